// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>
#include <maxlat/core/sys/counted.hpp>
#include <string>
#include <vector>

#include "move/shield_move.hpp"
#include "steps/shield.hpp"
#include "subcommand.hpp"

namespace maxlat::shield {
namespace {

constexpr core::CommandHelp kMoveHelp{
    .synopsis = "maxlat shield move [options] PID ...",
    .about =
        "Sends processes that run already into the shield that is on, each with all its threads and with what it\n"
        "begins from then on. maxlat shield off brings them back to where they were.",
    .examples =
        "  maxlat shield move $(pidof control-loop)\n"
        "  maxlat shield move --out 812                   back to where it was\n"};

void add_out(boost::program_options::options_description& options) {
  options.add_options()("out", "out of the shield again, to where each was before it was moved in");
}

core::Result<std::vector<pid_t>> numbers_from(const core::CommandLine& line) {
  if (line.operands.empty()) return core::Error{"which process?", "maxlat shield move PID"};
  std::vector<pid_t> numbers;
  for (const std::string& word : line.operands) {
    pid_t number = 0;
    const auto end = std::from_chars(word.data(), word.data() + word.size(), number);
    if (end.ec != std::errc() || end.ptr != word.data() + word.size() || number <= 0)
      return core::Error{fmt::format("'{}' is no number of a process", word), "maxlat shield move $(pidof PROGRAM)"};
    numbers.push_back(number);
  }
  return numbers;
}

void tell(const MoveReport& report, bool out) {
  const std::string cpus = core::to_string(report.cpus);
  for (const MovedProcess& process : report.processes) {
    const std::string name = fmt::format("{} ({})", process.name, process.number);
    if (!process.refused.empty()) continue;
    if (process.threads == 0)
      fmt::print("{} is {} the shield of CPU {} already\n", name, out ? "out of" : "in", cpus);
    else
      fmt::print("{}: {} {} the shield of CPU {}\n", name, core::counted(process.threads, "thread"),
                 out ? "left" : "moved into", cpus);
  }
}

// All of them went, or it is an error: the first that did not.
core::Status all_moved(const MoveReport& report) {
  for (const MovedProcess& process : report.processes) {
    if (process.refused.empty()) continue;
    return core::Error{fmt::format("{} ({}): {} cannot be moved: {}", process.name, process.number,
                                   core::counted(process.refused.size(), "thread"), process.refused.front()),
                       "a thread that the kernel has bound keeps its process out"};
  }
  return {};
}

core::Result<core::Exit> move(const core::CommandLine& line) {
  const core::Result<std::vector<pid_t>> numbers = numbers_from(line);
  if (!numbers) return numbers.error();
  if (const core::Status root = require_root(); !root) return root.error();
  Surface surface(view_of({}));
  const std::string journal = line.get<std::string>("journal");
  const bool out = line.has("out");
  const core::Result<MoveReport> report =
      out ? shield_move_out(journal, *numbers, surface) : shield_move_in(journal, *numbers, surface);
  if (!report) return report.error();
  if (!line.has("quiet")) tell(*report, out);
  if (const core::Status all = all_moved(*report); !all) return all.error();
  return core::Exit::pass;
}

}  // namespace

extern const Subcommand kMoveSubcommand{.name = "move",
                                        .summary = "send processes that run into the shield",
                                        .help = kMoveHelp,
                                        .add_options = add_out,
                                        .run = move};

}  // namespace maxlat::shield
