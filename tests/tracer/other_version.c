/* SPDX-License-Identifier: MIT */
/* To be preloaded: makes a traced program one of another version of maxlat, as its environment says in OTHER. The
   session's memory that it hands over says so in its header (tracer/shm/container_layout.h). */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { kMajor = 4, kMinor = 6, kNeededFeatures = 8, kOtherFeatures = 12 }; /* offsets */

static void change_version(int file) {
  const char* other = getenv("OTHER");
  uint8_t* head = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (head == MAP_FAILED || other == 0) return;
  if (memcmp(head, "MLTS", 4) == 0) {
    if (strcmp(other, "older") == 0) head[kMajor] -= 1;
    if (strcmp(other, "newer") == 0) head[kMajor] += 1;
    if (strcmp(other, "feature") == 0) head[kNeededFeatures] = 0x80;
    if (strcmp(other, "minor") == 0) head[kMinor] = head[kOtherFeatures] = 0x7f;
  }
  munmap(head, 4096);
}

ssize_t sendmsg(int socket, const struct msghdr* message, int flags) {
  for (struct cmsghdr* part = CMSG_FIRSTHDR(message); part != 0; part = CMSG_NXTHDR((struct msghdr*)message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    int files[8];
    size_t bytes = part->cmsg_len - CMSG_LEN(0);
    if (bytes > sizeof files) bytes = sizeof files;
    memcpy(files, CMSG_DATA(part), bytes);
    for (size_t i = 0; i < bytes / sizeof files[0]; ++i) change_version(files[i]);
  }
  ssize_t (*next)(int, const struct msghdr*, int);
  *(void**)&next = dlsym(RTLD_NEXT, "sendmsg");
  return next(socket, message, flags);
}
