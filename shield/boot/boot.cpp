// SPDX-License-Identifier: MIT
#include "boot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>

namespace maxlat::shield {
namespace {

// A loader is found by a file of it; where that has to say something, by what it says. grub's programs are on boxes,
// too, that another loader boots: it boots those where its configuration has been made.
struct Sign {
  BootLoader loader;
  std::string_view file, says;
  std::string_view boots_where = "/";  // is there, readable or not
};

// The first that is found counts. Debian's and Ubuntu's grub-mkconfig read drop-ins, which the one of GNU does not;
// grubby stands before it, because Fedora and Red Hat have both, and ignore what grub-mkconfig would make of the line.
constexpr std::array<Sign, 5> kSigns{{
    {{.name = "grub, by grubby",
      .file = "/boot/loader/entries",
      .change = "grubby --update-kernel=ALL --args=\"{}\"",
      .apply = "",
      .take_out = "grubby --update-kernel=ALL --remove-args=\"{}\""},
     "/usr/sbin/grubby",
     ""},
    {{.name = "grub, with drop-ins",
      .file = "/etc/default/grub.d/maxlat.cfg",
      .is_drop_in = true,
      .change = "by this command, with --write-boot",
      .apply = "update-grub",
      .take_out = "rm /etc/default/grub.d/maxlat.cfg"},
     "/usr/sbin/grub-mkconfig",
     "/default/grub.d/",
     "/boot/grub/grub.cfg"},
    {{.name = "grub",
      .file = "/etc/default/grub",
      .change = "add {} to GRUB_CMDLINE_LINUX_DEFAULT",
      .apply = "grub-mkconfig -o /boot/grub/grub.cfg",
      .take_out = "take the parameters out of GRUB_CMDLINE_LINUX_DEFAULT"},
     "/etc/default/grub",
     ""},
    {{.name = "systemd-boot, or another that kernel-install serves",
      .file = "/etc/kernel/cmdline",
      .change = "add {} to its one line",
      .apply = "kernel-install add $(uname -r) /boot/vmlinuz-$(uname -r)",
      .take_out = "take the parameters out of the line"},
     "/etc/kernel/cmdline",
     ""},
    {{.name = "the firmware of a Raspberry Pi",
      .file = "/boot/firmware/cmdline.txt",
      .change = "add {} to its one line",
      .apply = "",
      .take_out = "take the parameters out of the line"},
     "/boot/firmware/cmdline.txt",
     ""},
}};

std::string filled(std::string_view text, const std::string& parameters) {
  const size_t blank = text.find("{}");
  if (blank == std::string_view::npos) return std::string(text);
  return fmt::format("{}{}{}", text.substr(0, blank), parameters, text.substr(blank + 2));
}

// "update-grub, then reboot".
std::string then_reboot(std::string_view first, std::string_view apply) {
  std::string text(first);
  if (!apply.empty()) text += fmt::format("{}{}", text.empty() ? "" : " && ", apply);
  return text + (text.empty() ? "reboot" : ", then reboot");
}

std::string standing_text(const core::BootParameter& parameter) {
  switch (parameter.standing) {
    case core::BootParameter::Standing::there:
      return "there already";
    case core::BootParameter::Standing::other:
      return "has " + parameter.name + "=" + parameter.running;
    case core::BootParameter::Standing::missing:
      break;
  }
  return "not there";
}

bool all_there(const std::vector<core::BootParameter>& parameters) {
  return std::all_of(parameters.begin(), parameters.end(), [](const core::BootParameter& parameter) {
    return parameter.standing == core::BootParameter::Standing::there;
  });
}

std::string where_text(const std::vector<core::BootParameter>& parameters, const core::MachineView& machine) {
  const BootLoader* loader = boot_loader_of(machine);
  const std::string line = line_of(parameters);
  if (loader == nullptr)
    return core::wrapped(
        "how this box gives the kernel its command line is not known here: no grub, no /etc/kernel/cmdline and no "
        "/boot/firmware/cmdline.txt was found. Add the line where your boot loader has the others, and reboot.",
        core::kTextWidth, "");
  std::string text = fmt::format("boot loader  {}\nfile         {}\n", loader->name, loader->file);
  if (loader->is_drop_in)
    return text + fmt::format("written      {}\napply        {}\nundo         {}\n", loader->change,
                              then_reboot("", loader->apply), then_reboot(loader->take_out, loader->apply));
  text += core::wrapped(filled(loader->change, line), core::kTextWidth, "by hand      ");
  if (!loader->apply.empty()) text += fmt::format("apply        {}\n", then_reboot("", loader->apply));
  return text + core::wrapped(then_reboot(filled(loader->take_out, line), ""), core::kTextWidth, "undo         ");
}

}  // namespace

const BootLoader* boot_loader_of(const core::MachineView& machine) {
  const auto found = std::find_if(kSigns.begin(), kSigns.end(), [&](const Sign& sign) {
    const auto text = machine.read(sign.file);
    std::error_code error;
    return text && text->find(sign.says) != std::string::npos &&
           std::filesystem::exists(machine.root + std::string(sign.boots_where), error);
  });
  return found == kSigns.end() ? nullptr : &found->loader;
}

std::string line_of(const std::vector<core::BootParameter>& parameters) {
  std::string line;
  for (const core::BootParameter& parameter : parameters) line += (line.empty() ? "" : " ") + parameter.text();
  return line;
}

std::string drop_in_text(const std::vector<core::BootParameter>& parameters) {
  return fmt::format(
      "# Written by `maxlat shield boot --write-boot`. To undo it: remove this file, run update-grub, and reboot.\n"
      "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT {}\"\n",
      line_of(parameters));
}

core::Result<DropIn> write_drop_in(const std::vector<core::BootParameter>& parameters,
                                   const core::MachineView& machine) {
  const BootLoader* loader = boot_loader_of(machine);
  if (loader == nullptr || !loader->is_drop_in)
    return core::Error{"this box's boot loader reads no file that is maxlat's alone; nothing was written",
                       "maxlat shield boot without --write-boot says where the parameters go"};
  const std::string file(loader->file), text = drop_in_text(parameters);
  // A folder or a link without an end is there, too, though it cannot be read.
  std::error_code error;
  const bool is_there =
      std::filesystem::symlink_status(machine.root + file, error).type() != std::filesystem::file_type::not_found;
  if (const auto now = machine.read_bytes(file); now == text) return DropIn::there_already;
  if (is_there)
    return core::Error{fmt::format("{} is there, with another content; it is left as it is", file),
                       fmt::format("look at it, and remove it first: rm {}", file)};
  if (all_there(parameters)) return DropIn::not_needed;
  if (const core::Status made = core::make_folder_of(machine.root + file); !made) return made.error();
  if (const core::Status written = core::write_atomically(machine.root + file, text); !written) return written.error();
  return DropIn::written;
}

std::string boot_text(const std::vector<core::BootParameter>& parameters, const core::MachineView& machine) {
  core::TextTable table({"parameter", "running kernel", "for"});
  for (const core::BootParameter& parameter : parameters)
    table.row({parameter.text(), standing_text(parameter), fmt::format("{}", fmt::join(parameter.settings, ", "))});
  std::string text = table.text(core::kTextWidth, "") + "\n" + line_of(parameters) + "\n\n";
  if (all_there(parameters)) text += "all of it is on the command line of the kernel that runs\n";
  const bool another = std::any_of(parameters.begin(), parameters.end(), [](const core::BootParameter& parameter) {
    return parameter.standing == core::BootParameter::Standing::other;
  });
  if (another)
    text += "take the other values out where they stand: with two, the kernel takes the last one, or neither\n";
  return text + where_text(parameters, machine);
}

}  // namespace maxlat::shield
