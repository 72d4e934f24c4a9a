// SPDX-License-Identifier: MIT
#include <maxlat/trace/reader.hpp>
#include <maxlat/trace/stream_overlap.hpp>

namespace maxlat::trace {

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
      merge_.add({streams_.back().get()});
    }
  }
}

bool TraceReader::next(RecordedEvent& event) {
  const Source* source = merge_.next();
  if (source == nullptr) return false;
  event = source->event;
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
