// SPDX-License-Identifier: MIT
//
// ctf_large_trace DIR EVENTS [STREAMS]: a trace of as many events as wanted, through real rings straight to disk, in
// less time than it takes to read it. One event has three 64-bit fields: its number, its stream, and the square of its
// number (in the arithmetic of 2^64), so that a reader's output can be checked line by line.
#include <maxlat/ring/switch.h>
#include <maxlat/ring/test_event_probe.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <maxlat/trace/ctf_format.hpp>
#include <memory>
#include <string>
#include <vector>

#include "ring/test_memory.hpp"

namespace maxlat::trace {
namespace {

constexpr std::uint32_t kSubBufferBits = 20, kRingBits = 1;
constexpr std::uint32_t kId = 1;
constexpr Field kFields[] = {{.name = "number", .kind = FieldKind::integer, .bytes = 8},
                             {.name = "stream", .kind = FieldKind::integer, .bytes = 8},
                             {.name = "square", .kind = FieldKind::integer, .bytes = 8}};

maxlat_ring_options options_of(const Uuid& uuid, std::uint32_t stream) {
  maxlat_ring_options options = ring_test::options_of(0, kSubBufferBits, kRingBits);
  options.owner = 1'000 + stream;
  const auto prefix = packet_prefix(uuid, 0, options.owner | std::uint64_t{stream} << 32);
  std::memcpy(options.prefix, prefix.data(), prefix.size());
  return options;
}

// A ring, and the file that it is emptied to by the thread that writes it.
class Stream {
 public:
  Stream(const std::string& folder, const Uuid& uuid, std::uint32_t number)
      : number_(number),
        memory_(options_of(uuid, number)),
        file_(folder + "/threads-" + std::to_string(number) + "-0", std::ios::binary) {}

  void event(std::uint64_t number) {
    while (!maxlat_ring_event(MAXLAT_RING_THREAD, &memory_.ring, kId, number, number_, number * number)) drain();
    if (++since_drain_ == 20'000) drain();  // before two sub-buffers are full: nothing is lost
  }
  bool finish() {
    maxlat_ring_finalise(MAXLAT_RING_THREAD, &memory_.ring);
    drain();
    return static_cast<bool>(file_.flush());
  }

 private:
  void drain() {
    maxlat_ring_view view;
    while (maxlat_ring_get(&memory_.reader, &view) == MAXLAT_RING_GOT) {
      maxlat_ring_packet head;
      std::memcpy(&head, view.bytes, sizeof head);
      head.content_bits = head.packet_bits = 8 * view.content_size;
      head.lost_total = head.lost_full + head.lost_wrap + head.lost_big;
      file_.write(reinterpret_cast<const char*>(&head), sizeof head);
      file_.write(reinterpret_cast<const char*>(view.bytes) + sizeof head,
                  static_cast<std::streamsize>(view.content_size - sizeof head));
      maxlat_ring_put(&memory_.reader, &view);
    }
    since_drain_ = 0;
  }

  std::uint64_t number_;
  ring_test::RingMemory memory_;
  std::ofstream file_;
  int since_drain_ = 0;
};

bool write(const std::string& folder, std::uint64_t events, std::uint32_t streams) {
  const Uuid uuid{0x77};
  std::ofstream(folder + "/metadata", std::ios::binary)
      << metadata_of_trace({uuid, "large", "large", 1}, trace_clock(base::calibrate()))
      << metadata_of_channel(0, "threads", StreamKind::thread)
      << metadata_of_event(0, kId, {"large", "event", Level::info, kFields});
  std::vector<std::unique_ptr<Stream>> all;
  for (std::uint32_t i = 0; i < streams; ++i) all.push_back(std::make_unique<Stream>(folder, uuid, i));
  for (std::uint64_t i = 0; i < events; ++i) all[i % streams]->event(i);
  std::ofstream(folder + "/.books") << "channel threads produced " << events << " recorded " << events << '\n';
  bool written = true;
  for (const auto& stream : all) written = stream->finish() && written;
  return written;
}

}  // namespace
}  // namespace maxlat::trace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: ctf_large_trace DIR EVENTS [STREAMS]\n");
    return 1;
  }
  const std::string folder = argv[1];
  mkdir(folder.c_str(), 0755);
  mkdir((folder + "/large-1").c_str(), 0755);
  const auto streams = static_cast<std::uint32_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 4);
  if (maxlat::trace::write(folder + "/large-1", std::strtoull(argv[2], nullptr, 10), streams)) return 0;
  std::perror(argv[1]);
  return 1;
}
