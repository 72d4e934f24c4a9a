// SPDX-License-Identifier: MIT
#include "recording.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <maxlat/core/sys/counted.hpp>

namespace maxlat::trace_tools {
namespace {

// The word after `key` in lines of words; empty: no such line.
std::string word_after(const std::vector<std::string>& lines, const std::string& key) {
  for (const std::string& line : lines) {
    if (line.starts_with(key + " ")) return line.substr(key.size() + 1);
  }
  return {};
}

// Does the process have this file mapped? One that called exec() does not, one that only closed its control does.
bool still_maps(int pid, int memory) {
  struct stat facts {};
  if (fstat(memory, &facts) != 0) return false;
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  const std::string inode = " " + std::to_string(facts.st_ino) + " ";
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/memfd:") != std::string::npos && line.find(inode) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

core::Result<std::string> Recording::make_session(trace::ControlConnection& connection, Origin& origin) const {
  const std::string& session = options_.session;
  auto status = connection.request("status");
  if (!status) return status.error();
  for (const std::string& line : status->lines) {
    if (!line.starts_with("session " + session + " ")) continue;
    // It is there already: the program's own, or left by a recorder that died.
    origin.found = session != kOwnSession;
    return (line.ends_with(" running") ? "attach " : "start ") + session;
  }
  std::vector<std::string> requests = {"create " + session};
  for (const RecordedChannel& channel : options_.channels) {
    const std::vector<std::string> more = channel.requests(session);
    requests.insert(requests.end(), more.begin(), more.end());
  }
  for (const std::string& request : requests) {
    const auto reply = connection.request(request);
    if (!reply) return reply.error();
    origin.made = true;
  }
  return "start " + session;
}

// What it cannot tell, the trace does.
void Recording::see_events(trace::ControlConnection& connection) {
  if (const auto list = connection.request("list")) events_.add_list(list->lines);
}

// Events may come late, with a module, and in a program that ended since: the trace describes those that were wanted.
// RETURNS: whether any pattern matched, as far as is known.
bool Recording::warn_of_patterns_without_events() const {
  if (events_.empty()) return true;
  SeenEvents all = events_;
  all.add_described(options_.recorder.directory);
  bool any = false;
  for (const RecordedChannel& channel : options_.channels) {
    for (const std::string& pattern : channel.patterns) {
      if (all.any_matches(pattern)) {
        any = true;
        continue;
      }
      const std::string hint = pattern.find(':') != std::string::npos
                                   ? ""
                                   : fmt::format("; an event is named PROVIDER:NAME, for example *:{}", pattern);
      tell("no event matches \"{}\"; there are events of {}{}\n", pattern, fmt::join(all.providers(), ", "), hint);
    }
  }
  return any;
}

core::Status Recording::add(trace::ControlConnection connection, bool waits) {
  const auto hello = connection.request("hello");
  if (!hello) return hello.error();
  const std::string number = word_after(hello->lines, "pid");
  const int pid = std::atoi(number.c_str());
  const std::string name = word_after(hello->lines, "process");
  Origin origin;
  const auto refused = [&](const core::Error& error) {
    // A session of ours that nobody records would keep its name and its memory until the program ends.
    if (origin.made) (void)connection.request("destroy " + options_.session).ok();  // gone: nothing to destroy
    return core::Error{fmt::format("{} (process {}): {}", name, number, error.text), error.hint};
  };
  const auto last_request = make_session(connection, origin);
  if (!last_request) return refused(last_request.error());
  if (!origin.found) see_events(connection);
  auto handed_over = connection.request(*last_request);
  if (!handed_over) return refused(handed_over.error());
  base::Descriptor memory = handed_over->take_descriptor(0), wakeup = handed_over->take_descriptor(1);
  auto recorder = trace::Recorder::attach(memory.number(), options_.recorder);
  if (!recorder) return refused(recorder.error());
  const auto id = thread_.add(std::move(*recorder), wakeup.release());
  base::Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  processes_.push_back(
      {std::move(connection), pid, name, id, std::move(memory), std::move(pidfd), origin.found, false});
  ++seen_;
  if (waits) (void)processes_.back().connection.request("resume").ok();  // gone: the next poll sees it
  return {};
}

std::vector<pollfd> Recording::watched() const {
  std::vector<pollfd> all;
  for (const Process& process : processes_) {
    all.push_back({process.orphan ? process.pidfd.number() : process.connection.socket(), POLLIN, 0});
  }
  return all;
}

void Recording::end_those_gone(const std::vector<pollfd>& watched) {
  std::size_t i = 0;
  for (auto process = processes_.begin(); process != processes_.end() && i < watched.size(); ++i) {
    const auto next = std::next(process);
    if (watched[i].revents != 0) {
      if (!process->orphan && process->pidfd && still_maps(process->pid, process->memory.number())) {
        process->orphan = true;
      } else {
        end(*process, false);
        processes_.erase(process);
      }
    }
    process = next;
  }
}

void Recording::end(Process& process, bool stop) {
  auto how = trace::RecordingEnd::producer_gone;
  bool in_doubt = false;
  const std::string who = fmt::format("{}-{}", process.name, process.pid);
  if (stop && !process.found) see_events(process.connection);
  if (stop) {
    const auto stopped = process.connection.request("stop " + options_.session);
    if (stopped || still_maps(process.pid, process.memory.number())) how = trace::RecordingEnd::stopped;
    in_doubt = !stopped && how == trace::RecordingEnd::stopped;
    if (in_doubt) {
      tell("{}: not stopped ({}): its books may be wrong\n", who, stopped.error().text);
    }
  }
  ended_.push_back({who, thread_.finish(process.recorder, how), in_doubt});
  if (stop && !process.found) {
    (void)process.connection.request("destroy " + options_.session).ok();  // gone: nothing to destroy
  }
}

void Recording::end_all() {
  for (Process& process : processes_) end(process, true);
  processes_.clear();
}

core::EventCounts Recording::counts() const {
  core::EventCounts all;
  for (const Ended& ended : ended_) {
    for (const trace::ChannelBooks& books : ended.report.channels) {
      all.produced += books.produced - books.overwritten - books.lost_frozen;
      all.recorded += books.recorded;
      all.lost_wrap += books.lost_wrap;
      all.lost_big += books.lost_big;
    }
  }
  all.lost_full = all.produced - all.recorded - all.lost_wrap - all.lost_big;  // a result has no word for the others
  return all;
}

void Recording::tell_losses(const std::string& who, const trace::ChannelBooks& books) const {
  struct Loss {
    std::uint64_t count;
    const char *why, *help = "";
  };
  const Loss losses[] = {
      who == kKernel ? Loss{books.lost_full, "they came faster than they were read", " (larger --kernel-size)"}
                     : Loss{books.lost_full, "the buffer was full", " (larger --size or --count, shorter --period)"},
      {books.lost_wrap, "the ring came round to a record that was still being written"},
      {books.lost_big, "a sub-buffer is smaller than such an event", " (larger --size)"},
      {books.lost_no_ring, "there was no ring for a thread", " (more --slots, or memory)"},
      {books.not_written, "they could not be written"},
      {books.unfinished, "a thread died while writing"}};
  for (const auto& [count, why, help] : losses)
    if (count != 0)
      tell("{}: {} lost because {}{}\n", who, core::counted(count, "event"), why,
           options_.command == kRecordCommand ? help : "");
  if (books.unaccounted() != 0)
    tell("{}: the books of {} do not balance: {} events\n", who, books.name, books.unaccounted());
}

core::Exit Recording::report() const {
  std::uint64_t events = 0, bytes = 0, overwritten = 0, frozen = 0, snapshots = 0;
  bool complete = true;
  for (const Ended& ended : ended_) {
    complete = complete && ended.report.complete() && !ended.in_doubt;
    snapshots += ended.report.snapshots;
    if (ended.report.snapshots_skipped != 0) {
      tell("{}: {} for a snapshot came too soon after another: skipped\n", ended.who,
           core::counted(ended.report.snapshots_skipped, "request"));
    }
    if (ended.report.broken_rings != 0) {
      tell("{}: {} damaged: the rest of each is not in the trace\n", ended.who,
           core::counted(ended.report.broken_rings, "ring"));
    }
    for (const trace::ChannelBooks& books : ended.report.channels) {
      events += books.recorded;
      bytes += books.bytes;
      overwritten += books.overwritten;
      frozen += books.lost_frozen;
      tell_losses(ended.who, books);
    }
  }
  if (!options_.quiet) {
    const bool kernel = kernel_backend_ != nullptr;
    const std::size_t processes = ended_.size() - (kernel ? 1 : 0);
    std::string line = fmt::format("{} of ", core::counted(events, "event"));
    if (kernel) line += fmt::format("the kernel (by {})", kernel_backend_);
    if (kernel && processes != 0) line += " and ";
    if (!kernel || processes != 0) line += fmt::format("{} process{}", processes, processes == 1 ? "" : "es");
    line += fmt::format(", {} bytes", bytes);
    if (snapshots != 0) line += ", " + core::counted(snapshots, "snapshot");
    if (snapshots > 1) line += " (an event that stands in two is counted in both)";
    if (overwritten != 0) line += ", " + core::counted(overwritten, "older event") + " overwritten";
    if (frozen != 0)
      line += ", " + core::counted(frozen, "event") + " left out while the rings were kept for a snapshot";
    tell("{}, in {}\n", line, options_.recorder.directory);
  }
  const bool matched = warn_of_patterns_without_events();
  return complete && matched ? core::Exit::pass : core::Exit::invalid;
}

}  // namespace maxlat::trace_tools
