// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/trace/reader.hpp>
#include <maxlat/trace/stream_overlap.hpp>

namespace maxlat::trace {

bool TraceReader::Head::before(const Head& other) const {
  if (event.time_ns != other.event.time_ns) return event.time_ns < other.event.time_ns;
  if (event.ticks != other.event.ticks) return event.ticks < other.event.ticks;
  return order < other.order;
}

base::Result<std::unique_ptr<TraceReader>> TraceReader::open(const std::string& folder, ReadOptions options) {
  std::vector<TraceBreak> unreadable;
  auto processes = open_trace_folder(folder, &unreadable);
  if (!processes) return processes.error();
  return std::unique_ptr<TraceReader>(
      new TraceReader(*std::move(processes), std::move(unreadable), std::move(options)));
}

TraceReader::TraceReader(std::vector<StoredProcess> processes, std::vector<TraceBreak> unreadable, ReadOptions options)
    : processes_(std::move(processes)), unreadable_(std::move(unreadable)), options_(std::move(options)) {
  const StreamOverlap overlap(processes_);
  for (const StoredProcess& process : processes_) {
    for (const std::string& file : process.stream_files) {
      streams_.push_back(std::make_unique<StreamReader>(process.description, file, options_, streams_.size()));
      streams_.back()->leave_from(overlap.begins(file));
    }
  }
}

void TraceReader::start() {
  started_ = true;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Head head{{}, streams_[i].get(), i};
    if (head.reader->next(head.event)) heap_.push_back(head);
  }
  std::make_heap(heap_.begin(), heap_.end(), [](const Head& a, const Head& b) { return b.before(a); });
}

// The first of the heap has another event than before: puts it where it belongs.
void TraceReader::sift_down() {
  const Head moved = heap_[0];
  std::size_t hole = 0;
  for (;;) {
    std::size_t child = 2 * hole + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
    if (!heap_[child].before(moved)) break;
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = moved;
}

bool TraceReader::next(RecordedEvent& event) {
  if (!started_) {
    start();
  } else if (!heap_.empty()) {
    // The event given last is that of the first stream; only now may its bytes go.
    if (!heap_[0].reader->next(heap_[0].event)) {
      heap_[0] = heap_.back();
      heap_.pop_back();
    }
    if (!heap_.empty()) sift_down();
  }
  if (heap_.empty()) return false;
  event = heap_[0].event;
  return true;
}

std::vector<TraceBreak> TraceReader::breaks() const {
  std::vector<TraceBreak> all = unreadable_;
  for (const StoredProcess& process : processes_) {
    if (!process.description.cut.empty()) all.push_back({process.description.folder, 0, process.description.cut});
  }
  for (const auto& stream : streams_) {
    all.insert(all.end(), stream->breaks().begin(), stream->breaks().end());
  }
  return all;
}

}  // namespace maxlat::trace
