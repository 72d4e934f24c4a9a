// SPDX-License-Identifier: MIT
//
// The arms that are a plug-in and nothing else: spdlog-async, which writes lines to a file, and usdt, which writes
// nothing.
#include <fmt/format.h>

#include <filesystem>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/npt/arm_definition.hpp>

#include "line_count.hpp"
#include "plugin_object.hpp"

namespace maxlat::npt {
namespace {

class PluginArm : public Arm {
 public:
  ~PluginArm() override { close(); }

  core::Status set_up(const ArmSurroundings& surroundings) override {
    auto path = find_plugin(surroundings.spec.name);
    if (!path) return path.error();
    auto plugin = load_plugin(*path);
    if (!plugin) return plugin.error();
    log_ = surroundings.trace_folder + "/npt.log";
    const maxlat_npt_plugin_options options{surroundings.clock.to_ns(1.0), surroundings.trace_folder.c_str()};
    char error[256] = "";
    if ((*plugin)->open(&options, &probe_, error, sizeof error) != 0)
      return core::Error{fmt::format("the arm \"{}\" does not open: {}", surroundings.spec.name, error)};
    plugin_ = *plugin;
    return {};
  }
  core::Status prepare_thread() override {
    if (plugin_->prepare_thread != nullptr) plugin_->prepare_thread(probe_.state);
    return {};
  }
  maxlat_npt_probe probe() override { return probe_; }

  ArmBooks finish(const ArmRun&) override {
    ArmBooks books;
    const uint64_t lost = close();
    std::error_code missing;
    if (!std::filesystem::exists(log_, missing)) {
      books.verified_by = "nothing to verify: nothing was attached to the probe";
      return books;
    }
    books.events = core::EventCounts{.recorded = count_lines(log_), .lost_full = lost};
    books.verified_by = "lines of the file";
    books.facts[core::fact::kTraceBytes] = fmt::format("{}", std::filesystem::file_size(log_, missing));
    return books;
  }

 private:
  uint64_t close() {
    const maxlat_npt_plugin* const plugin = std::exchange(plugin_, nullptr);
    return plugin == nullptr || plugin->close == nullptr ? 0 : plugin->close(probe_.state);
  }

  const maxlat_npt_plugin* plugin_ = nullptr;  // open
  maxlat_npt_probe probe_{};
  std::string log_;
};

}  // namespace

std::unique_ptr<Arm> make_plugin_arm() {
  return std::make_unique<PluginArm>();
}

extern const ArmDefinition kSpdlogAsyncArm{.name = "spdlog-async", .make = make_plugin_arm};
extern const ArmDefinition kUsdtArm{.name = "usdt", .make = make_plugin_arm};

}  // namespace maxlat::npt
