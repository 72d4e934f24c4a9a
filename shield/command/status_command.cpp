// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "journal/lock.hpp"
#include "shield_text.hpp"
#include "steps/shield.hpp"
#include "subcommand.hpp"

namespace maxlat::shield {
namespace {

constexpr core::CommandHelp kStatusHelp{
    .synopsis = "maxlat shield status [options]",
    .about =
        "Says whether a shield is on, and what of it has been changed since. Exit status 2 when something has, when\n"
        "the command that held it has died, when it did not come to its end, or when its journal is damaged.",
    .examples = "  maxlat shield status\n  maxlat shield status || maxlat shield off\n"};

core::Result<core::Exit> status(const core::CommandLine& line) {
  if (const core::Status none = no_operand(line); !none) return none.error();
  const Surface surface(view_of({}));
  const std::string journal = line.get<std::string>("journal");
  core::Result<ShieldStatus> now = shield_status(journal, surface);
  if (!now) return now.error();
  now->holder = Lock::holder(surface.view().root);
  if (!line.has("quiet")) fmt::print("{}", text_of(*now));
  const bool is_left_behind = now->on && !now->holder && (now->held || !now->is_complete);
  const bool stands = now->drifted.empty() && now->damage.empty();
  return stands && !is_left_behind ? core::Exit::pass : core::Exit::limit_exceeded;
}

}  // namespace

extern const Subcommand kStatusSubcommand{.name = "status",
                                          .summary = "what of the shield stands",
                                          .help = kStatusHelp,
                                          .add_options = [](boost::program_options::options_description&) {},
                                          .run = status};

}  // namespace maxlat::shield
