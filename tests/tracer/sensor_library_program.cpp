// SPDX-License-Identifier: MIT
// sensor_library_program LIBRARY: opens and closes a library with sensors (sensor_library.cpp), again and again. A
// monitor of this process sees its group while it is open and not otherwise, a view outlives the library, and nothing
// is left: no descriptor, no handler of forks.
#include <dirent.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <optional>
#include <variant>

namespace {

using namespace maxlat::sensors;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1);
}

int descriptors() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (folder != nullptr && readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

std::optional<GroupView> seen() {
  auto groups = find_groups(getpid());
  expect(groups.ok(), "this process can be looked at");
  for (GroupView& group : *groups)
    if (group.group() == "library") return std::move(group);
  return std::nullopt;
}

std::uint64_t calls(const GroupView& group) {
  return std::get<CounterValue>(group.read(group.sensors()[0])).value;
}

void fork_once() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = -1;
  waitpid(child, &status, 0);
  expect(status == 0, "a fork works");
}

// RETURNS: what a monitor still has of it.
GroupView open_call_close(const char* path, std::uint32_t times) {
  void* const library = dlopen(path, RTLD_NOW);
  if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror());
  expect(library != nullptr, "the library is opened");
  const auto call = reinterpret_cast<void (*)(std::uint32_t)>(dlsym(library, "library_call"));
  for (std::uint32_t number = 0; number < times; ++number) call(number);
  std::optional<GroupView> group = seen();
  expect(group.has_value(), "a monitor sees its group");
  expect(calls(*group) == times, "from zero each time");
  fork_once();
  expect(dlclose(library) == 0 && dlopen(path, RTLD_NOW | RTLD_NOLOAD) == nullptr, "it is gone");
  return std::move(*group);
}

}  // namespace

int main(int, char** arguments) {
  (void)open_call_close(arguments[1], 1);
  const int before = descriptors();
  for (std::uint32_t round = 1; round < 50; ++round) {
    const GroupView kept = open_call_close(arguments[1], round);
    expect(!seen(), "nobody finds a group of a library that is gone");
    expect(calls(kept) == round, "a view keeps what was posted last");
    EventReader events = kept.events(kept.sensors()[1]);
    ListedEvent event;
    expect(events.next(event, 1) == EventStep::event && event.payload[0] == (round <= 16 ? 0 : round - 16),
           "its list, too");
    fork_once();
  }
  expect(descriptors() == before, "no descriptor is left");
  return 0;
}
