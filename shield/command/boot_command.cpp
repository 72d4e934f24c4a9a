// SPDX-License-Identifier: MIT
//
// maxlat shield boot: what no shield can set while the machine runs.
#include <fmt/format.h>

#include "boot/boot.hpp"
#include "steps/shield.hpp"
#include "subcommand.hpp"

namespace maxlat::shield {
namespace {

constexpr core::CommandHelp kBootHelp{
    .synopsis = "maxlat shield boot [options]",
    .about =
        "Prints the parameters of the kernel that shielded CPUs need from the next boot on, which of them the running\n"
        "kernel has, where this box writes them, and how that is applied and undone. Changes nothing unless asked.",
    .examples =
        "  maxlat shield boot --cpus 2-3\n"
        "  maxlat shield boot --cpus 2-3 --write-boot && update-grub    and a reboot\n"};

void add_boot_options(boost::program_options::options_description& options) {
  add_cpus(options);
  options.add_options()("write-boot", "write them into a file of grub that is maxlat's alone");
}

std::string_view told(DropIn written) {
  switch (written) {
    case DropIn::written:
      return "the file is written";
    case DropIn::there_already:
      return "the file is there already";
    case DropIn::not_needed:
      break;
  }
  return "nothing is written: the running kernel has it all";
}

core::Result<core::Exit> boot(const core::CommandLine& line) {
  if (const core::Status none = no_operand(line, "--cpus 2-3"); !none) return none.error();
  const core::Result<ShieldPlan> plan = plan_from(line);
  if (!plan) return plan.error();
  const core::MachineView machine = view_of(*plan);
  const std::vector<core::BootParameter> parameters = core::boot_parameters(machine);
  if (!line.has("quiet")) fmt::print("{}", boot_text(parameters, machine));
  if (!line.has("write-boot")) return core::Exit::pass;
  const core::Result<DropIn> written = write_drop_in(parameters, machine);
  if (!written) return written.error();
  if (!line.has("quiet")) fmt::print("{}\n", told(*written));
  return core::Exit::pass;
}

}  // namespace

extern const Subcommand kBootSubcommand{.name = "boot",
                                        .summary = "parameters of the kernel for shielded CPUs",
                                        .help = kBootHelp,
                                        .add_options = add_boot_options,
                                        .run = boot};

}  // namespace maxlat::shield
