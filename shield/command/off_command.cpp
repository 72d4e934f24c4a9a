// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>

#include "shield_text.hpp"
#include "steps/shield.hpp"
#include "subcommand.hpp"

namespace maxlat::shield {
namespace {

constexpr core::CommandHelp kOffHelp{
    .synopsis = "maxlat shield off [options]",
    .about =
        "Undoes the shield from its journal, also one that was cut off by a crash. Safe to run again. Refused while\n"
        "a run uses the shield, or exec or a run holds it as its own.",
    .examples =
        "  maxlat shield off            what somebody else has changed since is named, and left\n"
        "  maxlat shield off --force    that, too, becomes what it was; and from under whoever uses it\n"};

void add_force(boost::program_options::options_description& options) {
  options.add_options()("force", "also what somebody else has changed since, and although a process holds or uses it");
}

core::Result<core::Exit> off(const core::CommandLine& line) {
  if (const core::Status none = no_operand(line); !none) return none.error();
  Surface surface(view_of({}));
  const core::Result<UndoReport> report = shield_off(line.get<std::string>("journal"), surface, line.has("force"));
  if (!report) return report.error();
  const bool whole = report->failed.empty() && report->left.empty();
  if (!line.has("quiet") || !whole) fmt::print("{}", text_of(*report));
  if (!report->failed.empty())
    return core::Error{"not everything could be undone", "the journal stays: maxlat shield off tries again"};
  if (!report->journal_stays.empty()) return core::Error{stays_text(*report), kWhenTheJournalStays};
  return core::Exit::pass;
}

}  // namespace

extern const Subcommand kOffSubcommand{
    .name = "off", .summary = "undo the shield", .help = kOffHelp, .add_options = add_force, .run = off};

}  // namespace maxlat::shield
