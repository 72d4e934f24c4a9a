// SPDX-License-Identifier: MIT
//
// Kernel events by maxlat_trace.ko: a thread reads the rings of all chosen CPUs some fifty times a second, out of
// memory that it shares with the kernel, and writes each record under its name in the trace.
//
// BOOKS   The rings count what was delivered and what found no room. Where that was, the record behind it tells.
#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include <maxlat/attribution/reader_thread.hpp>
#include <utility>

#include "kernel_flight_recorder.hpp"
#include "kernel_recording.hpp"
#include "module_history.hpp"
#include "module_trace.hpp"

namespace maxlat::trace_tools {
namespace {

class ModuleRecording final : public KernelRecording {
 public:
  ModuleRecording(const KernelPlan& plan, ModuleSession module, std::unique_ptr<trace::TraceWriter> writer)
      : say_(plan.say),
        cpus_(plan.cpus.size()),
        module_(std::move(module)),
        trace_(std::move(writer), plan.cpus, module_.wanted) {
    reader_.start(
        [this, moved = false]() mutable {
          if (!std::exchange(moved, true)) trace::run_where_recorders_do();
          read_all();
          return false;
        },
        kReadKernelEvery);
    trace_.write_state();
  }

  const char* backend() const override { return kModuleBackend; }

  trace::RecordingReport finish() override {
    reader_.end();
    const std::uint64_t end = maxlat_counter_plain();
    if (const base::Status stopped = module_.session.stop(); !stopped) say_(stopped.error().text);
    read_all();
    return trace_.finish(module_.session.books(), end, std::vector<bool>(cpus_, !damaged_));  // nobody writes any more
  }

 private:
  void read_all() {
    if (damaged_) return;
    const base::Status read = module_.session.read([this](const trace::KernelRecord& record) { trace_.take(record); });
    if (!read) {
      say_(fmt::format("{}: nothing more is read", read.error().text));
      damaged_ = true;
    }
    trace_.look_at_the_clock();
  }

  std::function<void(const std::string&)> say_;
  const std::size_t cpus_;  // how many
  ModuleSession module_;
  ModuleTrace trace_;
  bool damaged_ = false;
  attribution::ReaderThread reader_;  // what is above is its own until it ends
};

}  // namespace

core::Result<std::unique_ptr<KernelRecording>> record_by_module(const KernelPlan& plan) {
  auto module = start_module_session(plan);
  if (!module) return module.error();
  if (plan.flight_recorder)
    return std::unique_ptr<KernelRecording>(
        std::make_unique<KernelFlightRecorder>(plan, std::make_unique<ModuleHistory>(plan, *std::move(module))));
  auto writer = make_kernel_writer(plan);
  if (!writer) return writer.error();
  return std::unique_ptr<KernelRecording>(
      std::make_unique<ModuleRecording>(plan, *std::move(module), *std::move(writer)));
}

}  // namespace maxlat::trace_tools
