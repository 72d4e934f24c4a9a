// SPDX-License-Identifier: MIT
//
// Kernel events by tracefs: a thread empties the kernel's buffers of all chosen CPUs some fifty times a second, and
// writes each record under its name in the trace (kernel_conversion.hpp).
//
// BOOKS   What the kernel says it produced (per_cpu/cpuN/stats) is held against what was written and what was lost.
//         Events that newer ones took the place of before they were read are `lost_full`, told where they were lost;
//         how many, the page says where it has room for it, and the kernel's own count otherwise.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <map>
#include <maxlat/attribution/kernel_buffers.hpp>
#include <maxlat/attribution/kernel_symbols.hpp>
#include <maxlat/trace/trace_writer.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "kernel_conversion.hpp"
#include "kernel_patterns.hpp"
#include "kernel_recording.hpp"
#include "state_dump.hpp"

namespace maxlat::trace_tools {
namespace {

using attribution::KernelBuffers;
using attribution::RingPage;

constexpr auto kReadEvery = std::chrono::milliseconds(20), kFlushEvery = std::chrono::milliseconds(200);
constexpr std::size_t kPagesOfOneTurn = 256;  // of a CPU, before the others have theirs
constexpr std::size_t kMostFunctions = 1 << 14;
// Before what is traced: the buffers wait for nobody. It needs little.
constexpr int kReadersNice = -10;

// By the kernel's number of the event.
struct KnownEvent {
  KernelConversion conversion;
  std::uint32_t id = 0;  // in the trace
};
struct KnownEvents {
  std::vector<std::optional<KnownEvent>> by_number;
  std::vector<std::string> names;  // "sched/sched_switch"
};

core::Status add_event(const std::string& events, const std::string& name, KnownEvents& known) {
  const auto format = attribution::read_event_format(events, name);
  if (!format) return format.error();
  if (!*format) return {};
  KernelConversion conversion(**format);
  const bool taken = std::any_of(known.by_number.begin(), known.by_number.end(), [&](const auto& other) {
    return other && other->conversion.name() == conversion.name();
  });
  if (taken) conversion.rename(name.substr(0, name.find('/')) + "_" + conversion.name());
  const std::size_t number = (*format)->id;
  if (known.by_number.size() <= number) known.by_number.resize(number + 1);
  known.by_number[number].emplace(KnownEvent{.conversion = std::move(conversion)});
  known.names.push_back(name);
  return {};
}

core::Result<KnownEvents> known_events(const std::string& events, const std::vector<std::string>& patterns) {
  KnownEvents known;
  for (const std::string& name : attribution::matching_events(events, patterns))
    if (const core::Status added = add_event(events, name, known); !added) return added.error();
  if (known.names.empty()) return core::cannot_run("this kernel has none of the wanted events");
  return known;
}

class TracefsRecording final : public KernelRecording {
 public:
  TracefsRecording(const KernelPlan& plan, KernelBuffers buffers, KnownEvents events,
                   std::unique_ptr<trace::TraceWriter> writer)
      : say_(plan.say),
        buffers_(std::move(buffers)),
        events_(std::move(events)),
        writer_(std::move(writer)),
        channel_(writer_->add_channel("kernel", trace::StreamKind::kernel)),
        dump_(*writer_) {
    for (auto& event : events_.by_number)
      if (event) event->id = writer_->add_event(channel_, event->conversion.description());
    for (const unsigned cpu : plan.cpus) cpus_.push_back({.cpu = cpu, .stream = writer_->add_stream(channel_, cpu)});
    dump_.write_state();
    reader_ = std::thread([this] { read_until_the_end(); });
  }
  ~TracefsRecording() override { end(); }

  trace::RecordingReport finish() override {
    end();
    buffers_.stop();
    for (Cpu& cpu : cpus_)
      while (read_some(cpu)) continue;  // nothing is recorded any more: it ends
    std::ifstream kallsyms("/proc/kallsyms");
    attribution::name_functions(kallsyms, functions_);
    dump_.write_functions(functions_);
    trace::TraceWriter::Told told{.not_written = unknown_};
    for (const Cpu& cpu : cpus_) {
      const auto counts = buffers_.instance().counts_of(cpu.cpu);
      told.produced += counts.all();
      told.lost_full += counts.dropped + (counts.overwritten - std::min(counts.overwritten, cpu.lost));
      told.lost_wrap += counts.overrun_writer;
      told.not_written += counts.kept;  // of a CPU whose pages are damaged
    }
    writer_->tell(channel_, told);
    return writer_->finish();
  }

 private:
  struct Cpu {
    unsigned cpu = 0;
    std::size_t stream = 0;
    std::uint64_t lost = 0;  // told so far
    bool damaged = false;
  };

  void end() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_one();
    if (reader_.joinable()) reader_.join();
  }

  void read_until_the_end() {
    trace::run_where_recorders_do();
    (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kReadersNice);
    auto next_flush = std::chrono::steady_clock::now() + kFlushEvery;
    std::unique_lock lock(mutex_);
    while (!ended_) {
      lock.unlock();
      bool more = false;
      for (Cpu& cpu : cpus_) more = read_some(cpu) || more;
      if (const auto now = std::chrono::steady_clock::now(); now >= next_flush) {
        writer_->flush();
        next_flush = now + kFlushEvery;
      }
      lock.lock();
      if (!more) wake_.wait_for(lock, kReadEvery, [this] { return ended_; });
    }
  }

  // RETURNS: there may be more.
  bool read_some(Cpu& cpu) {
    const auto place = static_cast<std::size_t>(&cpu - cpus_.data());
    for (std::size_t pages = 0; pages < kPagesOfOneTurn && !cpu.damaged; ++pages) {
      const core::Result<bool> any = buffers_.read(place, page_);
      if (!any) {
        say_(fmt::format("CPU {}: {}: nothing more is read of it", cpu.cpu, any.error().text));
        cpu.damaged = true;
      }
      if (!any || !*any) return false;
      if (page_.lost_before) tell_loss(cpu);
      for (const attribution::RingRecord& record : page_.records) take(cpu, record);
    }
    return !cpu.damaged;
  }

  // Never more than the kernel counts in all, so that the books stay exact where a page does not say how many.
  void tell_loss(Cpu& cpu) {
    const std::uint64_t all = buffers_.instance().counts_of(cpu.cpu).overwritten;
    const std::uint64_t untold = all - std::min(all, cpu.lost);
    const std::uint64_t lost = std::min(page_.lost_count.value_or(untold), untold);
    if (lost == 0) return;
    writer_->lose(cpu.stream, lost);
    cpu.lost += lost;
  }

  void take(const Cpu& cpu, const attribution::RingRecord& record) {
    const std::uint64_t number = record.bytes.size() < 2 ? 0 : attribution::word_of(record.bytes.first(2));
    payload_.clear();
    const KnownEvent* const event =
        number < events_.by_number.size() && events_.by_number[number] ? &*events_.by_number[number] : nullptr;
    if (event == nullptr || !event->conversion.convert(record.bytes, payload_)) {
      ++unknown_;
      return;
    }
    writer_->write(cpu.stream, event->id, record.tick, payload_);
    const auto function = event->conversion.function(record.bytes);
    if (function && functions_.size() < kMostFunctions) functions_[*function];
  }

  std::function<void(const std::string&)> say_;
  KernelBuffers buffers_;
  KnownEvents events_;
  std::unique_ptr<trace::TraceWriter> writer_;
  const std::uint32_t channel_;
  StateDump dump_;
  std::vector<Cpu> cpus_;
  RingPage page_;
  std::vector<std::uint8_t> payload_;
  std::map<std::uint64_t, std::string> functions_;
  std::uint64_t unknown_ = 0;  // records of no event that was asked for, or shorter than its format
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread reader_;  // what is above is its own until it is joined, but for `ended_`
};

}  // namespace

core::Result<std::unique_ptr<KernelRecording>> record_by_tracefs(const KernelPlan& plan) {
  auto buffers = KernelBuffers::open("/");
  if (!buffers) return buffers.error();
  auto events = known_events(buffers->events(), plan.patterns.empty() ? default_kernel_patterns() : plan.patterns);
  if (!events) return events.error();
  if (const core::Status recording = buffers->record(plan.cpus, events->names, plan.kb_of_a_cpu); !recording)
    return recording.error();
  // The last that can fail: what it makes on disk stays.
  auto writer = trace::TraceWriter::create(
      {.directory = plan.directory, .session = plan.session, .channels = 2, .say = plan.say});
  if (!writer) return writer.error();
  return std::unique_ptr<KernelRecording>(
      std::make_unique<TracefsRecording>(plan, *std::move(buffers), *std::move(events), *std::move(writer)));
}

}  // namespace maxlat::trace_tools
