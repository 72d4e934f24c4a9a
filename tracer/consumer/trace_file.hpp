// SPDX-License-Identifier: MIT
//
// One stream's file. It holds whole packets from its first byte to its last at every moment, so also when its writer is
// killed at that moment: babeltrace2 reads what is left without a warning, and nobody needs to repair it first.
//
// PROBLEM. A file that grows by packets is torn by SIGKILL: the kernel looks for a fatal signal between any two pages
// of a write(2), and the size of a file cannot be changed together with the word that says what lies in it.
//
// IDEA. The file grows by empty packets only, and the last packet is an empty one whose padding is the room for those
// to come. A reader passes over it.
//
//    | packet | packet | empty packet: header | room ...                               |
//                      at_                                                             end_, a multiple of the page
//
//   1 grow      each page behind the end is an empty packet of its own: between any two pages of this write the file is
//               whole. Then the header at at_ is written again, with the size of all of them together: one packet again
//   2 records   into the room, where nobody looks
//   3 next      the header of the next empty packet, behind them
//   4 publish   the header of the packet, over the empty one's at at_
//
//   3 and 4 are 112 bytes in one page, which no kill divides; a packet whose successor's header would cross into the
//   next page is padded to it (packet_size > content_size in CTF). With the last append the room is cut off.
//
// INVARIANT (trace_file_test.cpp looks at the file after each page of each write): whole packets, and those appended
// are a prefix of it. NOT KEPT: over a power cut, where the file system orders what came to disk; and for the moment in
// which a limit of size that is no multiple of the page (RLIMIT_FSIZE) has cut a page in two, until it is cut off.
//
// WHY THE PAGE CACHE, AND NOT O_DIRECT. Seen here, 1000 packets of 1 MiB, one CPU: plain writes 0.3-0.8 GB/s on ext4
// and 0.4-2.1 on tmpfs, where the lower figure is that of memory which the virtual machine's host has to supply first;
// O_DIRECT 1.1-1.7, and 0.2 once the host had throttled the disk; there is none on tmpfs. With the page cache a disk
// slower than the events loses none while there is memory; with O_DIRECT the rings are full after some milliseconds.
// The kernel's one copy stays, and growing costs a second one, into pages that are still in the cache: kStep is small
// for that.
//
// THREADS: one at a time.
#pragma once

#include <maxlat/ring/layout.h>
#include <sys/uio.h>

#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/result.hpp>
#include <memory>
#include <span>
#include <string>

namespace maxlat::trace {

class TraceFile {
 public:
  // New, and only new.
  static base::Result<std::unique_ptr<TraceFile>> create(std::string path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // `head` as it shall be read, but for packet_bits, which is ours. REQUIRES: head.content_bits is that of header and
  // records, a multiple of 64. ERRORS: disk full and the like; the file then ends with the packet before.
  base::Status append(maxlat_ring_packet head, std::span<const std::uint8_t> records);

 private:
  TraceFile(std::string path, base::Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  bool grow(std::uint64_t until);
  bool write(const void* bytes, std::uint64_t size, std::uint64_t at);
  bool write_header(maxlat_ring_packet head, std::uint64_t at, std::uint64_t size);
  base::Status give_up(int reason);

  std::string path_;
  base::Descriptor file_;
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;
  maxlat_ring_packet empty_{};
};

// How bytes come to a file: pwritev(2). Tests replace it with one that looks at the file after each page.
using WriteParts = ssize_t (*)(int file, const iovec* parts, int count, off_t at);
extern WriteParts write_parts;

}  // namespace maxlat::trace
