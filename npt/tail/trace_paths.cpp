// SPDX-License-Identifier: MIT
#include "trace_paths.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <maxlat/trace/stream_reader.hpp>
#include <maxlat/trace/trace_folder.hpp>
#include <memory>
#include <utility>

#include "outlier_watch.hpp"

namespace maxlat::npt {
namespace {

enum Path : size_t { kOrdinary, kSwitch, kLastOfSubBuffer, kLongRecord, kFirstTouch };
constexpr uint64_t kPage = 4096;

// npt:loop, as it lies in the trace.
struct LoopEvent {
  uint64_t count = 0, ticks = 0;
  double duration = 0;
};
constexpr uint64_t kShortLoopRecord = 8 + sizeof(LoopEvent);

std::vector<PathGaps> empty_paths(const ArmSpec& arm) {
  std::vector<PathGaps> paths(kFirstTouch + 1);
  paths[kOrdinary].name = "ordinary event";
  paths[kSwitch].name = arm.policy == "wakeup" ? "sub-buffer switch and wakeup" : "sub-buffer switch";
  paths[kLastOfSubBuffer].name = "last event of a sub-buffer";
  paths[kLongRecord].name = "long record after a silence";
  paths[kFirstTouch].name = "first touch of a page";
  for (PathGaps& path : paths) path.rare = &path != &paths[kOrdinary];
  return paths;
}

// The place of the record that is read, in its packet and in its ring.
class Place {
 public:
  explicit Place(const ArmSpec& arm) : sub_buffer_(arm.sub_buffer_bytes), sub_buffers_(arm.sub_buffers) {}

  void enter(const trace::StreamReader& file, bool first_of_file) {
    const maxlat_ring_packet& head = file.packet();
    const uint64_t lost = head.lost_full + head.lost_wrap + head.lost_big;
    const bool again = first_of_file && entered_ && head.begin_time == begin_time_;
    known_already_ = again ? records_ : 0;
    records_ = 0;
    offset_ = MAXLAT_RING_PACKET_HEADER;
    if (!again) {
      // The books of a packet are closed when the next one is opened, or with its last record, if that ends it.
      const bool lost_between = lost_ > lost_before_ || (ended_full_ && lost > lost_);
      const bool follows = entered_ && !first_of_file && head.sequence == sequence_ + 1;
      hole_ = !follows || lost_between;
      packets_from_start_ = follows ? packets_from_start_ + 1 : entered_ ? sub_buffers_ : 0;
      lost_before_ = lost_;
    }
    lost_ = lost;
    begin_time_ = head.begin_time;
    sequence_ = head.sequence;
    ended_full_ = head.content_bits == 8 * sub_buffer_;
    entered_ = true;
  }
  // False: it was in the snapshot before this one, too.
  bool advance(uint64_t size) {
    begin_ = std::exchange(offset_, offset_ + size);
    size_ = size;
    return ++records_ > known_already_;
  }
  // The trace begins with the first record of the ring.
  void begins_whole() { hole_ = false; }
  // It does not, so nothing is known of passes.
  void begins_late() { packets_from_start_ = sub_buffers_; }

  bool take_hole() { return std::exchange(hole_, false); }
  // Something was dropped while this packet was the open one: behind all its npt:loops, for which there was no room any
  // more. npt:stop is shorter, and may have found some.
  bool has_lost() const { return lost_ > lost_before_; }
  Path path() const {
    if (begin_ == MAXLAT_RING_PACKET_HEADER) return kSwitch;
    if (begin_ + size_ == sub_buffer_) return kLastOfSubBuffer;
    if (size_ > kShortLoopRecord) return kLongRecord;
    const bool first_pass = packets_from_start_ < sub_buffers_;
    return first_pass && (begin_ % kPage == 0 || begin_ % kPage + size_ > kPage) ? kFirstTouch : kOrdinary;
  }

 private:
  uint64_t sub_buffer_, sub_buffers_;
  bool entered_ = false, hole_ = true, ended_full_ = false;
  uint64_t begin_time_ = 0, sequence_ = 0, lost_ = 0, lost_before_ = 0;
  uint64_t packets_from_start_ = 0;  // before this one; as many as sub-buffers: the first pass is over, or unknown
  uint64_t records_ = 0, known_already_ = 0;
  uint64_t offset_ = 0, begin_ = 0, size_ = 0;
};

// The events of one ring, file after file.
class RingReader {
 public:
  // `thread`: null where it is not one of those that measure.
  RingReader(const ArmSpec& arm, const ArmRun& run, const MeasuredThread* thread, const UntoldWords& words,
             TraceReadBack& trace)
      : place_(arm), run_(run), thread_(thread), trace_(trace) {
    if (thread != nullptr) watch_ = std::make_unique<OutlierWatch>(*thread, words);
  }

  // REQUIRES: the reader is at its first packet.
  void read(trace::StreamReader& file) {
    bool first_of_file = true;
    trace::RecordedEvent event;
    do {
      place_.enter(file, std::exchange(first_of_file, false));
      while (file.next_in_packet(event))
        if (place_.advance(event.size)) take(event);
    } while (file.next_packet());
  }
  const MeasuredThread* thread() const { return thread_; }
  std::vector<OutlierStory> stories() { return watch_->stories(last_ == "npt:stop"); }

 private:
  void take(const trace::RecordedEvent& event) {
    ++trace_.events;
    if (thread_ == nullptr) return;
    const bool is_loop = (event.type == loop_ || recognise(event)) && event.payload.size() >= sizeof(LoopEvent);
    const bool hole = place_.take_hole() || (!is_loop && place_.has_lost());
    LoopEvent loop;
    if (is_loop) std::memcpy(&loop, event.payload.data(), sizeof loop);
    const SeenEvent seen{event.ticks, &event.type->name, loop.count,
                         loop.ticks,  is_loop,           &trace_.tail.paths[place_.path()]};
    if (is_loop && before_.has_fields && !hole) tell_gap(seen);
    watch_->see(seen, hole);
    before_ = seen;
  }
  // The gap in which the event before this one was made.
  void tell_gap(const SeenEvent& seen) {
    const bool follows = !run_.event_in_every_turn || seen.count == before_.count + 1;
    if (!follows || seen.ticks == 0 || before_.time < thread_->begin) return;
    trace_.tail.paths[static_cast<size_t>(before_.path - trace_.tail.paths.data())].gaps.record(seen.ticks);
  }
  // Whether it is npt:loop. Another event is the first of the ring, or the last, or none of npt's.
  bool recognise(const trace::RecordedEvent& event) {
    const bool first = std::exchange(first_, false);
    last_ = event.type->name;
    if (last_ == "npt:start" && first) place_.begins_whole();
    if (last_ != "npt:start" && first) place_.begins_late();
    if (last_ != "npt:loop") return false;
    loop_ = event.type;
    return true;
  }

  Place place_;
  const ArmRun& run_;
  const MeasuredThread* thread_;
  TraceReadBack& trace_;
  std::unique_ptr<OutlierWatch> watch_;
  const trace::EventType* loop_ = nullptr;
  bool first_ = true;
  std::string last_;  // name of the last event that was looked at
  SeenEvent before_;
};

const MeasuredThread* thread_of(const trace::TraceStream& stream, const ArmSpec& arm, const ArmRun& run) {
  const auto owns = [&](const MeasuredThread& thread) {
    return stream.owner == (arm.owner == ArmSpec::Owner::cpu ? thread.cpu : thread.thread_id);
  };
  const auto found = std::find_if(run.threads.begin(), run.threads.end(), owns);
  return found == run.threads.end() ? nullptr : &*found;
}

UntoldWords words_for(const ArmSpec& arm, const ArmRun& run) {
  UntoldWords words;
  (run.event_in_every_turn ? words.lost_path : words.lost_cause) = path_of_lost_events(arm);
  if (!run.event_in_every_turn) words.lost_cause += ", if it had one";
  return words;
}

// Snapshots have numbers for names: "9" comes before "10".
void sort_by_snapshot(std::vector<trace::StoredProcess>& processes) {
  std::stable_sort(processes.begin(), processes.end(), [](const auto& a, const auto& b) {
    return a.description.folder.size() < b.description.folder.size();
  });
}

}  // namespace

std::string path_of_lost_events(const ArmSpec& arm) {
  return arm.when_full == ArmSpec::WhenFull::overwrite ? "event overwritten" : "event dropped";
}

core::Result<TraceReadBack> read_trace_back(const std::string& folder, const ArmSpec& arm, const ArmRun& run) {
  auto processes = trace::open_trace_folder(folder);
  if (!processes) return processes.error();
  sort_by_snapshot(*processes);
  TraceReadBack trace;
  trace.tail.paths = empty_paths(arm);
  trace.tail.stories.resize(run.threads.size());
  const UntoldWords words = words_for(arm, run);
  const trace::ReadOptions everything;
  std::map<std::pair<uint32_t, uint32_t>, RingReader> rings;  // by owner and slot
  for (const trace::StoredProcess& process : *processes)
    for (const std::string& path : process.stream_files) {
      trace::StreamReader file(process.description, path, everything);
      if (file.next_packet()) {
        const trace::TraceStream& stream = file.stream();
        const auto ring =
            rings.try_emplace({stream.owner, stream.slot}, arm, run, thread_of(stream, arm, run), words, trace);
        ring.first->second.read(file);
      }
      if (trace.damage.empty() && !file.breaks().empty())
        trace.damage = file.breaks().front().file + ": " + file.breaks().front().why;
    }
  for (auto& [owner, ring] : rings)
    if (ring.thread() != nullptr)
      trace.tail.stories[static_cast<size_t>(ring.thread() - run.threads.data())] = ring.stories();
  return trace;
}

}  // namespace maxlat::npt
