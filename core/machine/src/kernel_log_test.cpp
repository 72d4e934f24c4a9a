// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <maxlat/core/machine/kernel_log.hpp>
#include <maxlat/test/fake_root.hpp>

namespace maxlat::core {
namespace {

using Level = KernelMessage::Level;

TEST(KernelLog, ARecordHasLevelTimeAndItsFirstLine) {
  const auto record = kernel_record("4,339,5140900,-;clocksource: timekeeping watchdog\n SUBSYSTEM=acpi\n");
  ASSERT_TRUE(record);
  ASSERT_TRUE(record->message);
  EXPECT_EQ(record->number, 339u);
  EXPECT_EQ(record->message->level, Level::warning);
  EXPECT_DOUBLE_EQ(record->message->uptime_s, 5.1409);
  EXPECT_EQ(record->message->text, "clocksource: timekeeping watchdog");
}

TEST(KernelLog, WhatAProgramWroteIsNoMessageOfTheKernel) {
  const auto record = kernel_record("12,340,5140901,-;systemd[1]: Started.\n");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->number, 340u) << "it is counted in the numbers all the same";
  EXPECT_FALSE(record->message);
}

TEST(KernelLog, WhatIsNoRecordIsNone) {
  for (const char* text : {"", "6", "6,1,2", "6,1,2,-", "x,1,2,-;text\n", "6,,2,-;text\n", "[    5.140900] text\n"})
    EXPECT_FALSE(kernel_record(text)) << text;
}

TEST(KernelLog, ALongTextIsCutBetweenCharacters) {
  EXPECT_EQ(shown_text(std::string(239, 'a') + "\xc2\xb5 and more", ""), std::string(239, 'a') + "...");
}

TEST(KernelLog, WhatIdentifiesSomebodyIsNotShown) {
  EXPECT_EQ(shown_text("usb 1-1: SerialNumber: 4C530001", ""), "usb 1-1: SerialNumber: redacted");
  EXPECT_EQ(shown_text("audit: type=1400 exe=\"/home/alice/app\"", ""), "audit: redacted");
  EXPECT_EQ(shown_text("DROP IN=eth0 SRC=2001:0db8::17 on plant7", "plant7"), "DROP IN=eth0 SRC=redacted on redacted");
  const std::string mac_at_the_cut = std::string(235, 'a') + " 52:54:00:ab:cd:ef";
  EXPECT_EQ(shown_text(mac_at_the_cut, ""), std::string(235, 'a') + " reda...");
}

TEST(KernelLog, OfTooManyTheWorstAreKeptInTheOrderOfTime) {
  std::vector<KernelMessage> messages;
  for (int i = 0; i < 100; ++i)
    messages.push_back({i == 50 || i == 99 ? Level::warning : Level::info, static_cast<double>(i), std::to_string(i)});
  const KernelMessages kept = bounded(messages, 7);
  EXPECT_EQ(kept.count, 100u);
  EXPECT_EQ(kept.overwritten, 7u);
  ASSERT_EQ(kept.kept.size(), KernelMessages::kMostKept);
  EXPECT_EQ(kept.kept.front().text, "0");
  EXPECT_EQ(kept.kept[18].text, "50");
  EXPECT_EQ(kept.kept[19].text, "99");
  EXPECT_EQ(kept.worst()->text, "50");
  EXPECT_EQ(to_string(kept), "the kernel logged 100 messages meanwhile, the worst (warning): [50.000000] 50");
}

TEST(KernelLog, WithoutALogThereIsNothingToTell) {
  const test::FakeRoot root;
  MachineView machine;
  machine.root = root.path();
  EXPECT_FALSE(KernelLog(machine).messages());
}

}  // namespace
}  // namespace maxlat::core
