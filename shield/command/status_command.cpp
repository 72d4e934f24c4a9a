// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <maxlat/core/sys/output_file.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "journal/lock.hpp"
#include "shield_text.hpp"
#include "steps/shield.hpp"
#include "subcommand.hpp"

namespace maxlat::shield {
namespace {

constexpr core::CommandHelp kStatusHelp{
    .synopsis = "maxlat shield status [options]",
    .about =
        "Says whether a shield is on, what of it has been changed since, which settings were right when it came and\n"
        "are not any more, and which threads may use its CPUs since. Exit status 2 when there are any of these, when\n"
        "the command that held it has died, when it did not come to its end, or when its journal is damaged.",
    .examples =
        "  maxlat shield status\n"
        "  maxlat shield status || maxlat shield off\n"
        "  maxlat shield status -q --json - | jq .drifted\n"};

void add_json(boost::program_options::options_description& options) {
  options.add_options()("json", core::argument("FILE"), "the same for programs (-: stdout)");
}

std::string json_of(const ShieldStatus& status) {
  nlohmann::ordered_json json{{"format", "maxlat-shield-status/1"}, {"on", status.on}};
  if (status.on) {
    json["cpus"] = core::to_string(status.cpus);
    json["housekeeping"] = core::to_string(status.housekeeping);
    json["since"] = status.since;
    json["complete"] = status.is_complete;
    json["held"] = status.held;
    if (status.holder) json["holder"] = *status.holder;
    json["changes"] = status.changes;
    json["standing"] = status.standing;
    json["gone"] = status.gone;
    json["drifted"] = status.drifted;
    json["settings"] = status.settings;
    json["newcomers"] = status.newcomers;
    json["moved_in"] = status.moved_in;
    json["damage"] = status.damage;
  }
  if (status.rebooted) json["rebooted_since"] = status.since;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

core::Result<core::Exit> status(const core::CommandLine& line) {
  if (const core::Status none = no_operand(line); !none) return none.error();
  const Surface surface(view_of({}));
  const std::string journal = line.get<std::string>("journal");
  core::Result<ShieldStatus> now = shield_status(journal, surface);
  if (!now) return now.error();
  now->holder = Lock::holder(surface.view().root);
  const std::string json = line.has("json") ? line.get<std::string>("json") : "";
  if (!json.empty())
    if (const core::Status written = core::write_atomically(json, json_of(*now) + "\n"); !written)
      return written.error();
  if (!line.has("quiet")) fmt::print(json == "-" ? stderr : stdout, "{}", text_of(*now));
  const bool is_left_behind = now->on && !now->holder && (now->held || !now->is_complete);
  const bool stands = now->drifted.empty() && now->settings.empty() && now->newcomers.empty() && now->damage.empty();
  return stands && !is_left_behind ? core::Exit::pass : core::Exit::limit_exceeded;
}

}  // namespace

extern const Subcommand kStatusSubcommand{.name = "status",
                                          .summary = "what of the shield stands",
                                          .help = kStatusHelp,
                                          .add_options = add_json,
                                          .run = status};

}  // namespace maxlat::shield
