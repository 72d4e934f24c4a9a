// SPDX-License-Identifier: MIT
#include "kernel_trace.hpp"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <maxlat/attribution/kernel_symbols.hpp>
#include <mutex>
#include <utility>

namespace maxlat::trace_tools {
namespace {

constexpr auto kFlushEvery = std::chrono::milliseconds(200);
constexpr std::size_t kMostFunctions = 1 << 14;

// For the state dump beside the events.
class LockedWriter final : public trace::TraceWriter {
 public:
  explicit LockedWriter(std::unique_ptr<trace::TraceWriter> writer) : writer_(std::move(writer)) {}

  std::uint32_t add_channel(const std::string& name, trace::StreamKind kind) override {
    const std::lock_guard lock(mutex_);
    return writer_->add_channel(name, kind);
  }
  std::uint32_t add_event(std::uint32_t channel, const trace::EventDescription& event) override {
    const std::lock_guard lock(mutex_);
    return writer_->add_event(channel, event);
  }
  std::size_t add_stream(std::uint32_t channel, std::uint32_t owner) override {
    const std::lock_guard lock(mutex_);
    return writer_->add_stream(channel, owner);
  }
  void write(std::size_t stream, std::uint32_t id, std::uint64_t ticks,
             std::span<const std::uint8_t> payload) override {
    const std::lock_guard lock(mutex_);
    writer_->write(stream, id, ticks, payload);
  }
  void lose(std::size_t stream, std::uint64_t events) override {
    const std::lock_guard lock(mutex_);
    writer_->lose(stream, events);
  }
  void flush() override {
    const std::lock_guard lock(mutex_);
    writer_->flush();
  }
  void tell(std::uint32_t channel, const Told& told) override {
    const std::lock_guard lock(mutex_);
    writer_->tell(channel, told);
  }
  trace::RecordingReport finish() override {
    const std::lock_guard lock(mutex_);
    return writer_->finish();
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<trace::TraceWriter> writer_;
};

}  // namespace

base::Result<std::unique_ptr<trace::TraceWriter>> make_kernel_writer(const KernelPlan& plan) {
  return trace::TraceWriter::create(
      {.directory = plan.directory, .session = plan.session, .channels = 2, .say = plan.say});
}

KernelTrace::KernelTrace(std::unique_ptr<trace::TraceWriter> writer, const core::CpuList& cpus)
    : writer_(std::make_unique<LockedWriter>(std::move(writer))),
      channel_(writer_->add_channel("kernel", trace::StreamKind::kernel)),
      end_of_recording_(
          add_event({.provider = "", .name = "maxlat_recording_end", .level = trace::Level::info, .fields = {}})),
      dump_(*writer_),
      next_flush_(std::chrono::steady_clock::now() + kFlushEvery) {
  for (const unsigned cpu : cpus) streams_.push_back(writer_->add_stream(channel_, cpu));
}

void KernelTrace::met_function(std::uint64_t address) {
  if (functions_.size() < kMostFunctions) functions_[address];
}

void KernelTrace::met_caller(std::uint64_t address) {
  if (callers_.size() < kMostFunctions) callers_[address];
}

void KernelTrace::look_at_the_clock() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_flush_) return;
  writer_->flush();
  next_flush_ = now + kFlushEvery;
}

void KernelTrace::end_of_cpu(std::size_t place, std::uint64_t tick) {
  const auto thread = static_cast<std::int32_t>(::gettid());
  std::vector<std::uint8_t> context(trace::kContextSize);
  std::memcpy(context.data(), &thread, sizeof thread);
  write(place, end_of_recording_, tick, context);
  ++ends_;
}

trace::RecordingReport KernelTrace::finish(trace::TraceWriter::Told told) {
  told.produced += ends_;
  std::ifstream kallsyms("/proc/kallsyms");
  attribution::name_symbols(kallsyms, functions_, callers_);
  functions_.merge(callers_);
  dump_.write_functions(functions_);
  writer_->tell(channel_, told);
  return writer_->finish();
}

}  // namespace maxlat::trace_tools
