// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/core/machine/setting_readers.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/command.hpp>
#include <maxlat/shield/shield_command.hpp>
#include <string>
#include <vector>

#include "steps/shield.hpp"
#include "subcommand.hpp"

namespace maxlat::shield {
namespace {

namespace po = boost::program_options;

void add_common(po::options_description& options) {
  auto add = options.add_options();
  add("journal", core::argument("FILE")->default_value(ShieldPlan{}.journal),
      "where old values are kept; on a disk that outlives a reboot");
  add("quiet,q", "only what went wrong");
  add("help,h", "this text");
}

core::Result<core::Exit> run_shield(const core::Arguments& arguments) {
  const auto table = subcommand_rows();
  std::vector<core::Command> rows;
  for (const Subcommand* sub : table) rows.push_back({sub->name, sub->summary, nullptr});
  const auto row = core::row_of_family(
      {"maxlat shield", "Sets CPUs of this box up for real time, and undoes it.", rows,
       "  maxlat shield on --cpus 2-3                              until maxlat shield off\n"
       "  maxlat shield exec --cpus 1 -- maxlat npt -a 1 -D 10s    for one command\n"},
      arguments);
  if (!row) return row.error();
  if (*row == nullptr) return core::Exit::pass;
  const Subcommand* const found = table[static_cast<size_t>(*row - rows.data())];
  po::options_description options("Options");
  found->add_options(options);
  add_common(options);
  const auto line =
      core::parse_or_help(found->help, options, core::Arguments(arguments.begin() + 1, arguments.end()));
  if (!line) return line.error();
  return *line ? found->run(**line) : core::Result<core::Exit>(core::Exit::pass);
}

}  // namespace

void add_cpus(po::options_description& options) {
  auto add = options.add_options();
  add("cpus", core::argument<core::CpuListArgument>("CPUS"), "CPUs to shield");
  add("housekeeping", core::argument<core::CpuListArgument>("CPUS"), "CPUs for everything else (default: all others)");
}

void add_cpus_and_requests(po::options_description& options) {
  add_cpus(options);
  auto add = options.add_options();
  add("smt", "takes the other hardware threads of the shielded cores offline, until off");
  add("timers", "sends each shielded CPU offline once, and so its timers to others");
  add("mount", "mounts tracefs and debugfs where they are not mounted, until off");
}

core::Result<ShieldPlan> plan_from(const core::CommandLine& line) {
  if (!line.has("cpus")) return core::Error{"which CPUs?", "--cpus 2-3"};
  ShieldPlan plan;
  plan.cpus = line.get<core::CpuListArgument>("cpus").cpus;
  if (line.has("housekeeping")) plan.housekeeping = line.get<core::CpuListArgument>("housekeeping").cpus;
  plan.journal = line.get<std::string>("journal");
  plan.mounts = line.has("mount");
  plan.timers = line.has("timers");
  if (line.has("smt")) plan.siblings = core::siblings_of(view_of(plan));
  const core::Result<core::CpuList> online = core::online_cpus();
  if (!online) return online.error();
  return complete_plan(std::move(plan), *online);
}

core::Status no_operand(const core::CommandLine& line, std::string_view hint) {
  if (line.operands.empty()) return {};
  return core::Error{fmt::format("unexpected '{}'", line.operands.front()), std::string(hint)};
}

const core::Command& shield_command() {
  static const core::Command kCommand{"shield", "set CPUs up for real time, and undo it", run_shield};
  return kCommand;
}

}  // namespace maxlat::shield
