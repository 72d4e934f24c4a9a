// SPDX-License-Identifier: MIT
#include "boot.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/test/fake_root.hpp>

namespace maxlat::shield {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kDropIn = "/etc/default/grub.d/maxlat.cfg";

// CPUs 2 and 3 of four, on a box whose kernel was given rcu_nocbs= for them.
class Boot : public testing::Test {
 protected:
  Boot() {
    root_.file("/sys/devices/system/cpu/online", "0-3\n");
    root_.file("/proc/cmdline", "root=/dev/sda1 rcu_nocbs=2-3 nohz_full=1\n");
  }
  core::MachineView machine() const { return {.root = root_.path(), .measured_cpus = {2, 3}}; }
  std::vector<core::BootParameter> parameters() const { return core::boot_parameters(machine()); }
  std::string text() const { return boot_text(parameters(), machine()); }
  core::Result<DropIn> write() const { return write_drop_in(parameters(), machine()); }
  void debian() {
    root_.file("/usr/sbin/grub-mkconfig", "for x in ${sysconfdir}/default/grub.d/*.cfg ; do\n");
    root_.file("/boot/grub/grub.cfg", "");
  }

  const std::string line_ =
      "isolcpus=managed_irq,domain,2-3 nohz_full=2-3 rcu_nocbs=2-3 irqaffinity=0-1 transparent_hugepage=never";
  test::FakeRoot root_;
};

TEST_F(Boot, TellsWhichParametersTheRunningKernelHas) {
  EXPECT_THAT(text(), testing::ContainsRegex("\nnohz_full=2-3 +has nohz_full=1 +nohz_full\n"));
  EXPECT_THAT(text(), testing::ContainsRegex("\nrcu_nocbs=2-3 +there already +rcu_nocbs\n"));
  EXPECT_THAT(text(), testing::ContainsRegex("\nirqaffinity=0-1 +not there +IRQ affinity, default IRQ affinity\n"));
  EXPECT_THAT(text(), HasSubstr("\n\n" + line_ + "\n\n"));
  EXPECT_THAT(text(), HasSubstr("take the other values out where they stand"));
  root_.file("/proc/cmdline", line_ + "\n");
  EXPECT_THAT(text(), HasSubstr("all of it is on the command line of the kernel that runs\n"));
  EXPECT_THAT(text(), Not(HasSubstr("take the other values out")));
}

// The drop-in, taken as the shell of grub-mkconfig takes it, adds to what the box has.
TEST_F(Boot, DebiansGrubHasADropInThatAddsToTheLine) {
  debian();
  EXPECT_THAT(text(), HasSubstr("file         /etc/default/grub.d/maxlat.cfg\n"
                                "written      by this command, with --write-boot\n"
                                "apply        update-grub, then reboot\n"
                                "undo         rm /etc/default/grub.d/maxlat.cfg && update-grub, then reboot\n"));
  const auto written = write();
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(*written, DropIn::written);
  root_.file("/shell", "GRUB_CMDLINE_LINUX_DEFAULT=quiet\n. " + root_.path() + kDropIn +
                           "\nprintf '%s' \"$GRUB_CMDLINE_LINUX_DEFAULT\" > " + root_.path() + "/line\n");
  ASSERT_EQ(std::system(("sh " + root_.path() + "/shell").c_str()), 0);
  EXPECT_EQ(core::read_file(root_.path() + "/line"), "quiet " + line_);
  EXPECT_EQ(*write(), DropIn::there_already);
}

TEST_F(Boot, AFileOfAnotherContentIsLeftAsItIs) {
  debian();
  root_.file(kDropIn, "GRUB_TIMEOUT=1\n");
  const auto refused = write();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("maxlat.cfg is there, with another content"));
  EXPECT_EQ(core::read_file(root_.path() + kDropIn), "GRUB_TIMEOUT=1\n");
  root_.remove(kDropIn);
  std::filesystem::create_symlink("/nowhere", root_.path() + kDropIn);
  EXPECT_FALSE(write()) << "a link that leads nowhere is not ours either";
}

TEST_F(Boot, NothingIsWrittenWhereTheRunningKernelHasItAll) {
  debian();
  root_.file("/proc/cmdline", line_ + "\n");
  EXPECT_EQ(*write(), DropIn::not_needed);
  EXPECT_FALSE(std::filesystem::exists(root_.path() + kDropIn));
}

TEST_F(Boot, AFolderThatCannotBeMadeIsAnErrorAndLeavesNothing) {
  debian();
  root_.file("/etc/default/grub.d", "a file\n");
  const auto refused = write();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("cannot make the folder of"));
}

TEST_F(Boot, GrubsProgramsAloneDoNotBootABox) {
  debian();
  root_.file("/etc/kernel/cmdline", "root=x\n");
  EXPECT_THAT(text(), HasSubstr("file         /etc/default/grub.d/maxlat.cfg\n"));
  root_.remove("/boot/grub/grub.cfg");  // os-prober needs grub-common, whatever boots
  EXPECT_THAT(text(), HasSubstr("file         /etc/kernel/cmdline\n"));
  EXPECT_FALSE(write());
}

TEST_F(Boot, OtherLoadersAreForAPersonAndNothingIsWritten) {
  EXPECT_THAT(text(), HasSubstr("how this box gives the kernel its command line is not known here"));
  EXPECT_FALSE(write());
  root_.file("/boot/firmware/cmdline.txt", "root=x\n");
  EXPECT_THAT(text(), HasSubstr("file         /boot/firmware/cmdline.txt\nby hand      add isolcpus="));
  root_.file("/etc/kernel/cmdline", "root=x\n");
  EXPECT_THAT(text(), HasSubstr("file         /etc/kernel/cmdline\nby hand      add isolcpus="));
  EXPECT_THAT(text(),
              HasSubstr("apply        kernel-install add $(uname -r) /boot/vmlinuz-$(uname -r), then reboot\n"));
  root_.file("/etc/default/grub", "GRUB_TIMEOUT=5\n");
  root_.file("/usr/sbin/grub-mkconfig", ". ${sysconfdir}/default/grub\n");
  EXPECT_THAT(text(), HasSubstr("file         /etc/default/grub\n")) << "this grub reads no drop-ins";
  EXPECT_FALSE(write());
  root_.file("/usr/sbin/grubby", "");
  EXPECT_THAT(text(), HasSubstr("by hand      grubby --update-kernel=ALL --args=\"isolcpus="));
  const auto refused = write();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("nothing was written"));
  EXPECT_EQ(core::read_file(root_.path() + "/etc/kernel/cmdline"), "root=x\n");
}

}  // namespace
}  // namespace maxlat::shield
