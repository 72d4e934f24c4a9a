// SPDX-License-Identifier: MIT
//
// jitterdebugger's file, of each version so far: for each thread a histogram of whole microseconds, a count, the
// extremes and the average. With -N they are nanoseconds, which its sysinfo tells. Its "cpu" is the number of the
// thread, as it is in the source. The histogram ends at 1 ms: longer samples are in the count alone, so they are kept
// as overflows.
#include <fmt/format.h>

#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <maxlat/import/import_definition.hpp>

#include "reading/foreign_histogram.hpp"
#include "reading/imported_run.hpp"
#include "reading/json_reading.hpp"

namespace maxlat::importing {
namespace {

constexpr int kNewestVersion = 3;

// The older versions do not tell it, and have one alone.
double unit_of(const nlohmann::json& document) {
  const auto sysinfo = document.find("sysinfo");
  if (sysinfo == document.end() || !sysinfo->is_object() || !sysinfo->contains("resolution_in_ns"))
    return kMicrosecond_ns;
  const uint64_t resolution_ns = count_of(*sysinfo, "resolution_in_ns", "sysinfo");
  if (resolution_ns != 1 && resolution_ns != 1000)
    throw Mistake{fmt::format("its resolution is {} ns, and this maxlat knows 1 and 1000", resolution_ns)};
  return static_cast<double>(resolution_ns);
}

core::CpuResult jitterdebugger_thread(const std::string& name, const nlohmann::json& thread, double unit_ns) {
  const auto number = core::whole_number<unsigned>(name);
  if (!number || *number > core::kLargestCpu) throw Mistake{fmt::format("thread {} has no number", name)};
  if (!thread.is_object()) throw Mistake{fmt::format("thread {} is not an object", name)};
  ForeignHistogram histogram{.who = "thread " + name, .cpu = *number, .unit_ns = unit_ns};
  histogram.rows = histogram_of(thread, histogram.who);
  histogram.samples = count_of(thread, "count", histogram.who);
  histogram.min = number_of(thread, "min", histogram.who);
  histogram.mean = number_of(thread, "avg", histogram.who);
  histogram.max = number_of(thread, "max", histogram.who);
  return value_or_throw(cpu_result_of(histogram));
}

core::RunResult jitterdebugger_run(const nlohmann::json& document) {
  const auto version = document.find("version");
  if (version != document.end() && (!version->is_number_unsigned() || *version > kNewestVersion))
    throw Mistake{
        fmt::format("its version is {}, and this maxlat knows those up to {}", version->dump(), kNewestVersion)};
  const auto threads = document.find("cpu");
  if (threads == document.end() || !threads->is_object() || threads->empty()) throw Mistake{"it has no \"cpu\""};
  core::Phase phase = imported_phase("jitterdebugger", core::kCyclictestKind, "jitterdebugger");
  const double unit_ns = unit_of(document);
  for (const auto& [name, thread] : threads->items())
    phase.per_cpu.push_back(jitterdebugger_thread(name, thread, unit_ns));
  phase.warnings.emplace_back(kThreadsForCpus);
  phase.warnings.emplace_back(kExposureUnknown);
  return imported_run("jitterdebugger", {std::move(phase)});
}

bool is_jitterdebugger(std::string_view beginning) {
  return beginning.find("\"cpu\": {") != beginning.npos && beginning.find("\"histogram\"") != beginning.npos &&
         beginning.find("rt_test_version") == beginning.npos;
}

}  // namespace

extern const ImportDefinition kJitterdebugger{
    .name = "jitterdebugger",
    .made_by = "jitterdebugger -f, and results.json of its -o",
    .recognises = is_jitterdebugger,
    .read = [](std::string_view text) { return read_json("jitterdebugger", text, jitterdebugger_run); }};

}  // namespace maxlat::importing
