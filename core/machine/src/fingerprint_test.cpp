// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <maxlat/core/machine/hash.hpp>
#include <maxlat/core/machine/machine_difference.hpp>
#include <maxlat/core/machine/settings.hpp>

#include "redact.hpp"
#include "test_good_machine.hpp"

namespace maxlat::core {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kUuid = "4c4c4544-0031-5a10-8052-b4c04f4d3633";
constexpr const char* kMac = "52:54:00:ab:cd:ef";

void make_machine(FakeMachine& root) {
  root.file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: A CPU\nmicrocode\t: 0x42\nflags\t: tsc constant_tsc\n");
  root.file("/proc/sys/kernel/hostname", "plant7\n");
  root.file("/proc/sys/kernel/osrelease", "6.1.0-37-rt-amd64\n");
  root.file("/proc/sys/kernel/version", "#1 SMP PREEMPT_RT\n");
  root.file("/proc/cmdline", std::string("root=UUID=") + kUuid +
                                 " ip=10.1.2.3::10.1.2.1:255.255.255.0:plant7:eth0 ifname=eth0:" + kMac +
                                 " isolcpus=2-3\n");
  root.file("/boot/config-6.1.0-37-rt-amd64", "CONFIG_PREEMPT_RT=y\n");
  root.file("/proc/meminfo", "MemTotal:       16303428 kB\nMemFree:  1 kB\n");
  root.file("/sys/class/dmi/id/bios_version", "1.2.3\n");
  root.file("/sys/class/dmi/id/product_serial", "ABC1234\n");
  root.file("/sys/class/dmi/id/product_uuid", kUuid);
  root.file("/sys/class/net/eth0/address", kMac);
  root.file("/proc/irq/9/effective_affinity_list", "0\n");
  root.file("/proc/irq/10/effective_affinity_list", "1\n");
  root.file("/sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n");
  root.file("/proc/sys/vm/stat_interval", "1\n");
  root.file("/proc/modules",
            "e1000e 278528 0 - Live 0x0000000000000000\n"
            "maxlat_hwlat 20480 0 - Live 0x0000000000000000 (OE)\n");
  const std::string slice = "/sys/fs/cgroup/system.slice/";
  root.file(slice + "cron.service/cgroup.procs", "412\n");
  root.file(slice + "ended.service/cgroup.procs", "");
  root.file(slice + "backup@plant7-10.1.2.3.service/cgroup.procs", "413\n");
  root.file("/etc/tuned/active_profile", "realtime\n");
  constexpr unsigned long kKernel = 0x00200000;
  root.file("/proc/15/task/15/stat", stat_line(15, "migration/0", kKernel, 99, 1));
  root.file("/proc/16/task/16/stat", stat_line(16, "migration/1", kKernel, 99, 1));
  root.file("/proc/17/task/17/stat", stat_line(17, "irq/24-eth0", kKernel, 50, 1));
  root.file("/proc/18/task/18/stat", stat_line(18, "kworker/0:1-events", kKernel, 0, 0));
  root.file("/proc/19/task/19/stat", stat_line(19, "a (daemon)", 0, 10, 2));
  root.file(
      "/var/lib/dpkg/status",
      "Package: rt-tests\nStatus: install ok installed\nVersion: 2.4-1\n\nPackage: stress-ng\nStatus: deinstall ok "
      "config-files\nVersion: 0.15\n\nPackage: libc6\nStatus: install ok installed\nVersion: 2.36\n\n"
      "Package: linux-image-6.1.0-37-rt-amd64\nStatus: install ok installed\nVersion: 6.1.140-1\n\n"
      "Package: linux-image-6.1.0-36-rt-amd64\nStatus: install ok installed\nVersion: 6.1.139-1\n\n"
      "Package: firmware-realtek\nStatus: install ok installed\nPriority: optional\nVersion: 20230210-5\n\n"
      "Package: irqbalance\nStatus: install ok installed\nVersion: 1.9.2-1\nDescription: daemon\n Version: 9\n\n"
      "Package: zlib1g\nStatus: install ok installed\nVersion: 1:1.2.13\n");
}

const FingerprintGroup& group(const std::vector<FingerprintGroup>& groups, std::string_view name) {
  for (const auto& candidate : groups)
    if (candidate.name == name) return candidate;
  static const FingerprintGroup none;
  ADD_FAILURE() << "no group " << name;
  return none;
}

std::string value(const FingerprintGroup& group, std::string_view name) {
  for (const auto& [key, text] : group.values)
    if (key == name) return text;
  return "absent";
}

TEST(Fingerprint, Groups) {
  FakeMachine root;
  make_machine(root);
  const auto groups = fingerprint(root.view({}));
  std::vector<std::string> names;
  for (const auto& one : groups) names.push_back(one.name);
  EXPECT_THAT(names, testing::ElementsAre("cpu", "kernel", "memory", "firmware", "clock", "interrupts", "mitigations",
                                          "sysctl", "settings", "kernel configuration", "modules", "services",
                                          "kernel threads", "tools", "packages", "other packages"));
  EXPECT_EQ(value(group(groups, "cpu"), "microcode"), "0x42");
  EXPECT_THAT(value(group(groups, "kernel"), "config"), HasSubstr(hash_text("CONFIG_PREEMPT_RT=y\n")));
  EXPECT_EQ(value(group(groups, "memory"), "MemTotal"), "16303428 kB");
  EXPECT_EQ(value(group(groups, "memory"), "MemFree"), "absent");  // changes by itself
  EXPECT_EQ(value(group(groups, "clock"), "counter"), "tsc constant_tsc");
  EXPECT_EQ(group(groups, "interrupts").values.front().first, "9");  // in the order of numbers
  EXPECT_EQ(value(group(groups, "interrupts"), "10"), "1");
  EXPECT_EQ(value(group(groups, "kernel configuration"), "PREEMPT_RT"), "y");
  EXPECT_EQ(value(group(groups, "kernel configuration"), "PREEMPT"), "n");
  EXPECT_EQ(group(groups, "kernel configuration").values.size(), 60u);
  EXPECT_EQ(value(group(groups, "modules"), "e1000e"), "loaded");
  EXPECT_EQ(value(group(groups, "modules"), "maxlat_hwlat"), "loaded (OE)");
  EXPECT_EQ(value(group(groups, "services"), "cron.service"), "running");
  EXPECT_EQ(value(group(groups, "services"), "ended.service"), "absent");
  EXPECT_EQ(value(group(groups, "services"), "tuned profile"), "realtime");
  EXPECT_EQ(value(group(groups, "kernel threads"), "migration/N"), "SCHED_FIFO 99");
  EXPECT_EQ(value(group(groups, "kernel threads"), "irq/24-eth0"), "SCHED_FIFO 50");
  EXPECT_EQ(value(group(groups, "kernel threads"), "kworker"), "SCHED_OTHER");
  EXPECT_EQ(value(group(groups, "kernel threads"), "a (daemon)"), "absent");  // not the kernel's
  EXPECT_EQ(value(group(groups, "tools"), "rt-tests"), "2.4-1");
  EXPECT_EQ(value(group(groups, "tools"), "stress-ng"), "absent");  // removed, its configuration is left
  EXPECT_EQ(value(group(groups, "tools"), "libc6"), "2.36");
}

// A defect: of an update of the microcode or of irqbalance a series told nothing.
TEST(Fingerprint, TellsThePackagesThatMoveLatenciesAndThatOthersChanged) {
  FakeMachine root;
  make_machine(root);
  const auto of_packages = [&] {
    const auto groups = fingerprint(root.view({}));
    return std::vector{group(groups, "packages"), group(groups, "other packages")};
  };
  const auto before = of_packages();
  EXPECT_EQ(value(before[0], "linux-image-6.1.0-37-rt-amd64"), "6.1.140-1") << "of the running kernel";
  EXPECT_EQ(value(before[0], "firmware-realtek"), "20230210-5");
  EXPECT_EQ(value(before[0], "irqbalance"), "1.9.2-1");
  EXPECT_EQ(value(before[0], "rt-tests"), "absent") << "a tool";
  EXPECT_EQ(value(before[1], "installed"),
            fmt::format("2 (hash {})", hash_text("linux-image-6.1.0-36-rt-amd64 6.1.139-1\nzlib1g 1:1.2.13\n")));
  const std::string status = *root.view({}).read("/var/lib/dpkg/status");
  root.file("/var/lib/dpkg/status", status + "\n\nPackage: less\nStatus: install ok installed\nVersion: 590\n");
  // A group of its own: where others are updated each night, a trend must still tell an update of the microcode.
  const auto differences = machine_differences(of_packages(), before);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_THAT(to_string(differences[0]), testing::StartsWith("other packages: installed is 3 (hash "));
  root.remove("/var/lib/dpkg/status");
  for (const FingerprintGroup& none : of_packages()) EXPECT_TRUE(none.values.empty());
}

TEST(Fingerprint, PrivateValuesAreRedactedVisibly) {
  FakeMachine root;
  make_machine(root);
  const auto groups = fingerprint(root.view({}));
  for (const auto& one : groups)
    for (const auto& [name, text] : one.values)
      for (const char* secret : {kUuid, kMac, "ABC1234", "plant7", "10.1.2.3"})
        EXPECT_THAT(name + " " + text, Not(HasSubstr(secret))) << one.name;
  root.file("/boot/config-6.1.0-37-rt-amd64", "CONFIG_DEFAULT_HOSTNAME=\"plant7\"\n");
  EXPECT_EQ(kernel_config(root.view({})), "CONFIG_DEFAULT_HOSTNAME=\"redacted\"\n");
  EXPECT_EQ(value(group(groups, "firmware"), "product_serial"), "redacted");
  EXPECT_EQ(value(group(groups, "firmware"), "product_uuid"), "redacted");
  EXPECT_EQ(value(group(groups, "firmware"), "MAC of eth0"), "redacted");
  EXPECT_EQ(value(group(groups, "firmware"), "host name"), "redacted");
  EXPECT_EQ(value(group(groups, "firmware"), "bios_version"), "1.2.3");
  EXPECT_EQ(value(group(groups, "kernel"), "command line"),
            "root=UUID=redacted ip=redacted::redacted:redacted:redacted:eth0 ifname=eth0:redacted isolcpus=2-3");
}

// A defect: on a host called vm there was no vm/swappiness, and two of its values had one name.
TEST(Fingerprint, AHostCalledLikeAWordOfTheKernelHidesNoName) {
  FakeMachine root;
  make_machine(root);
  root.file("/proc/sys/kernel/hostname", "vm\n");
  root.file("/proc/sys/vm/swappiness", "60\n");
  root.file("/sys/fs/cgroup/system.slice/vm-agent.service/cgroup.procs", "77\n");
  const auto groups = fingerprint(root.view({}));
  EXPECT_EQ(value(group(groups, "sysctl"), "vm/swappiness"), "60");
  EXPECT_EQ(value(group(groups, "services"), "redacted-agent.service"), "running");
}

// Each change moves the hash of its own group and of no other; a changed secret moves none.
TEST(Fingerprint, HashesTellWhatDiffers) {
  FakeMachine root;
  make_machine(root);
  const auto before = fingerprint(root.view({}));
  const auto changed = [&] {
    std::vector<std::string> names;
    const auto after = fingerprint(root.view({}));
    for (size_t i = 0; i < before.size(); ++i)
      if (after[i].hash != before[i].hash) names.push_back(after[i].name);
    make_machine(root);
    return names;
  };
  EXPECT_THAT(changed(), testing::IsEmpty());
  root.file("/proc/irq/10/effective_affinity_list", "0\n");
  EXPECT_THAT(changed(), testing::ElementsAre("interrupts"));
  root.file("/boot/config-6.1.0-37-rt-amd64", "CONFIG_PREEMPT_RT=n\n");
  EXPECT_THAT(changed(), testing::ElementsAre("kernel", "kernel configuration"));
  root.file("/proc/sys/vm/stat_interval", "10\n");
  EXPECT_THAT(changed(), testing::ElementsAre("sysctl", "settings"));
  root.file("/sys/class/dmi/id/product_serial", "XYZ\n");
  root.file("/proc/sys/kernel/hostname", "plant7\n");
  EXPECT_THAT(changed(), testing::IsEmpty());
}

TEST(KernelConfig, IsReadWhereItIs) {
  FakeMachine root;
  root.file("/proc/sys/kernel/osrelease", "6.6\n");
  EXPECT_EQ(kernel_config(root.view({})), std::nullopt);
  root.file("/lib/modules/6.6/config", "CONFIG_HZ=250\n");
  EXPECT_EQ(kernel_config(root.view({})), "CONFIG_HZ=250\n");
  root.file("/boot/config-6.6", "CONFIG_HZ=300\n");
  EXPECT_EQ(kernel_config(root.view({})), "CONFIG_HZ=300\n");
  auto unpacked = root.view({});
  unpacked.unpacked_config = "# CONFIG_PREEMPT is not set\nCONFIG_HZ=1000\n";
  const auto groups = fingerprint(unpacked);
  EXPECT_EQ(value(group(groups, "kernel configuration"), "HZ"), "1000");
  EXPECT_EQ(value(group(groups, "kernel configuration"), "PREEMPT"), "n");
}

TEST(Fingerprint, EmptyMachine) {
  const FakeMachine root;
  for (const auto& one : fingerprint(root.view({}))) EXPECT_TRUE(one.values.empty()) << one.name;
}

TEST(Redact, OnlyWhatIsPrivate) {
  EXPECT_EQ(redact("6.1.0-37 10.0.0.1", ""), "6.1.0-37 redacted");
  EXPECT_EQ(redact("v1.2.3.4x 1.2.3 1234.1.1.1", ""), "v1.2.3.4x 1.2.3 1234.1.1.1");
  EXPECT_EQ(redact("rt rtbox xrt rt-1", "rt"), "redacted rtbox xrt redacted-1");
  EXPECT_EQ(redact("a52:54:00:ab:cd:ef 52-54-00-AB-CD-EF", ""), "a52:54:00:ab:cd:ef redacted");
  EXPECT_EQ(redact("SRC=2001:0db8:0000:0000:0000:0000:0000:0001 fe80::1 fd00:1::2, end", ""),
            "SRC=redacted redacted redacted, end");
  EXPECT_EQ(redact("12:34:56 0000:00:1f.2 abc::def 1:2:3:4", ""), "12:34:56 0000:00:1f.2 abc::def 1:2:3:4");
  EXPECT_EQ(redact("", "x"), "");
}

TEST(Hash, KnownAnswers) {  // of FNV-1a, 64 bits
  EXPECT_EQ(hash_text(""), "cbf29ce484222325");
  EXPECT_EQ(hash_text("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(hash_text("foobar"), "85944171f73967e8");
}

// One table for check and fingerprint: what is set otherwise is another state of the machine.
TEST(Fingerprint, HasEverySettingThatCanBeSet) {
  FakeMachine root;
  make_good(root);
  const auto settings_of = [&](const CpuList& measured) {
    for (const FingerprintGroup& group : fingerprint(root.view(measured)))
      if (group.name == "settings") return group;
    return FingerprintGroup{};
  };
  const FingerprintGroup good = settings_of({2, 3});
  for (const Setting& setting : settings()) {
    const bool can_be_set = !setting.set.empty() || setting.set_here != nullptr || !setting.boot.empty();
    const auto found = std::find_if(good.values.begin(), good.values.end(),
                                    [&](const auto& value) { return value.first == setting.name; });
    EXPECT_EQ(found != good.values.end(), can_be_set) << setting.name;
  }
  EXPECT_EQ(settings_of({1}).hash, good.hash);  // whatever is measured
  root.file("/proc/sys/kernel/timer_migration", "1\n");
  EXPECT_NE(settings_of({2, 3}).hash, good.hash);
}

}  // namespace
}  // namespace maxlat::core
