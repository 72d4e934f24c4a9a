// SPDX-License-Identifier: MIT
//
// systemtap: the arm usdt with SystemTap attached to its probes, which writes a line for each event (arms/npt.stp).
//
// `stap -p4` translates the script into a kernel module for the running kernel; where a box has no compiler, a program
// of this name that prints the path of a module made elsewhere does as well. `staprun` loads it, writes what it sends
// to a file, and removes it at the end. When we are killed it cannot, so the module is in the journal.
#include <fmt/format.h>
#include <signal.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/npt/arm_definition.hpp>
#include <optional>
#include <string>

#include "arm_folder.hpp"
#include "plugin_object.hpp"

namespace maxlat::npt {

extern const ArmDefinition kUsdtArm;  // arm_plugin.cpp: what it attaches to

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kModule = "maxlat_npt";
constexpr seconds kTimeToTranslate{300}, kTimeToLoad{60}, kTimeToUnload{60};

// The first line that tells of an error, or the first one.
std::string reason_in(const std::string& text) {
  size_t line = text.find("rror");
  line = line == std::string::npos ? 0 : text.rfind('\n', line) + 1;
  return text.substr(line, text.find('\n', line) - line);
}

struct Lines {
  uint64_t events = 0;
  std::optional<uint64_t> runs;  // as the script has counted; nothing while it has not ended
  bool ready = false;
};

Lines read_lines(const std::string& path) {
  Lines lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("npt:")) ++lines.events;
    if (line.starts_with("runs ")) lines.runs = std::strtoull(line.c_str() + 5, nullptr, 10);
    if (line == "ready") lines.ready = true;
  }
  return lines;
}

class SystemtapArm : public Arm {
 public:
  core::Status set_up(const ArmSurroundings& surroundings) override {
    for (const char* program : {"stap", "staprun"})
      if (core::find_program(program).empty())
        return core::cannot_run(fmt::format("{} is not installed", program), "apt install systemtap");
    ArmSurroundings of_usdt = surroundings;
    of_usdt.spec.name = "usdt";
    auto object = find_plugin("usdt");
    if (!object) return object.error();
    if (core::Status status = usdt_->set_up(of_usdt); !status) return status;
    auto module = translate(*object, surroundings);
    if (!module) return module.error();
    log_ = surroundings.trace_folder + "/systemtap.txt";
    if (core::Status status = surroundings.folder->note(fmt::format("unload {}", kModule)); !status) return status;
    return load(*module, surroundings);
  }
  maxlat_npt_probe probe() override { return usdt_->probe(); }

  std::optional<double> consumer_cpu_s() const override { return staprun_->cpu_seconds(); }

  ArmBooks finish(const ArmRun& run) override {
    ArmBooks books = usdt_->finish(run);
    staprun_->signal(SIGINT);
    const auto end = staprun_->wait_for(kTimeToUnload);
    if (!end) books.invalid = "staprun did not end";
    const Lines lines = read_lines(log_);
    books.events = core::EventCounts{.recorded = lines.events, .lost_full = lines.runs.value_or(0) - lines.events};
    books.verified_by = "lines of the file; the script has counted what it lost";
    std::error_code unreadable;
    books.facts[core::fact::kTraceBytes] = fmt::format("{}", fs::file_size(log_, unreadable));
    if (!lines.runs || *lines.runs < lines.events) {
      books.events->lost_full = 0;
      if (books.invalid.empty()) books.invalid = "SystemTap lost its own count of the events";
    }
    return books;
  }

 private:
  static core::Result<std::string> translate(const std::string& object, const ArmSurroundings& surroundings) {
    core::ProcessSpec spec;
    spec.argv = {"stap", "-p4", "-m", kModule, fs::path(object).replace_filename("npt.stp"), object};
    spec.directory = surroundings.folder->path();
    spec.cpus = surroundings.consumer_cpus;
    spec.standard_output = core::ProcessSpec::Output::capture;
    auto end = core::run_process(spec, kTimeToTranslate);
    if (!end) return end.error();
    const std::string path = end->standard_output.substr(0, end->standard_output.find('\n'));
    if (end->succeeded() && !path.empty()) return (fs::path(spec.directory) / path).string();
    utsname kernel{};
    ::uname(&kernel);
    return core::cannot_run(fmt::format("SystemTap's kernel module does not build for Linux {}: {}", kernel.release,
                                        reason_in(end->standard_error)),
                            "it needs this kernel's headers, and a SystemTap that knows this kernel");
  }

  core::Status load(const std::string& module, const ArmSurroundings& surroundings) {
    const uint64_t mebibytes = std::max<uint64_t>(1, surroundings.spec.sub_buffer_bytes >> 20);
    core::ProcessSpec spec;
    spec.argv = {"staprun", "-b", fmt::format("{}", mebibytes), "-o", log_, module};
    spec.cpus = surroundings.consumer_cpus;
    auto started = core::Child::start(spec);
    if (!started) return started.error();
    staprun_.emplace(std::move(*started));
    const auto deadline = std::chrono::steady_clock::now() + kTimeToLoad;
    while (!read_lines(log_).ready) {
      if (const auto end = staprun_->wait_for(milliseconds(10)))
        return core::cannot_run(fmt::format("staprun: {}: {}", end->text(), reason_in(end->standard_error)), "");
      if (std::chrono::steady_clock::now() > deadline)
        return core::cannot_run("SystemTap was not ready within 60 s", "");
    }
    return {};
  }

  std::unique_ptr<Arm> usdt_ = kUsdtArm.make();
  std::optional<core::Child> staprun_;
  std::string log_;
};

}  // namespace

extern const ArmDefinition kSystemtapArm{.name = "systemtap",
                                         .make = [] { return std::unique_ptr<Arm>(std::make_unique<SystemtapArm>()); },
                                         .default_size = 32 * kMiB,
                                         .largest_size = kGiB};

}  // namespace maxlat::npt
