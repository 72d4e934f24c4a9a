// SPDX-License-Identifier: MIT
#include "journal.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/test/temporary_folder.hpp>

namespace maxlat::shield {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Change kFile{.path = "/proc/sys/kernel/nmi_watchdog", .before = "1", .wanted = "0"};
const Change kThread{.kind = Change::Kind::affinity,
                     .before = "0-3",
                     .wanted = "0-1",
                     .task = 812,
                     .started = 99,
                     .name = "a \"name\"\twith\nall \xff"};

class JournalFile : public testing::Test {
 protected:
  std::string path() const { return folder_ / "deep/below/shield.journal"; }
  JournalHeader header() const {
    return {.boot_id = "boot",
            .cpus = {2, 3},
            .housekeeping = {0},
            .siblings = {1},
            .since = "2026-11-24T22:01:07Z",
            .held = true};
  }
  std::string text() const { return *core::read_file(path()); }
  void replace(const std::string& text) { std::ofstream(path(), std::ios::trunc) << text; }

  test::TemporaryFolder folder_;
};

TEST_F(JournalFile, HoldsWhatWasWritten) {
  auto journal = Journal::create(path(), header());
  ASSERT_TRUE(journal) << journal.error().text;
  const std::vector<Change> changes{kFile, kThread};
  ASSERT_TRUE(journal->append(changes));
  const auto read = read_journal(path());
  ASSERT_TRUE(read);
  const JournalContent& content = **read;
  EXPECT_EQ(content.header.boot_id, "boot");
  EXPECT_EQ(content.header.cpus, (core::CpuList{2, 3}));
  EXPECT_EQ(content.header.housekeeping, (core::CpuList{0}));
  EXPECT_EQ(content.header.siblings, core::CpuList{1});
  ASSERT_EQ(content.changes.size(), 2u);
  EXPECT_EQ(content.changes[0], kFile);
  EXPECT_EQ(content.changes[1].task, 812);
  EXPECT_FALSE(content.torn);
  EXPECT_THAT(content.damaged, ElementsAre());
}

TEST_F(JournalFile, NoneIsNothingAndASecondIsRefused) {
  EXPECT_FALSE(read_journal(path())->has_value());
  ASSERT_TRUE(Journal::create(path(), header()));
  EXPECT_THAT(Journal::create(path(), header()).error().text, HasSubstr("cannot make the journal"));
}

// Invariant (2), at every byte.
TEST_F(JournalFile, CutAnywhereItHasTheChangesBeforeTheCut) {
  {
    auto journal = Journal::create(path(), header());
    const std::vector<Change> changes{kFile, kThread, kFile};
    ASSERT_TRUE(journal->append(changes));
  }
  const std::string whole = text();
  for (size_t length = 0; length <= whole.size(); ++length) {
    replace(whole.substr(0, length));
    const auto read = read_journal(path());
    ASSERT_TRUE(read) << length << ": " << read.error().text;
    const auto lines = static_cast<size_t>(std::count(whole.begin(), whole.begin() + static_cast<long>(length), '\n'));
    EXPECT_EQ((*read)->changes.size(), lines == 0 ? 0 : lines - 1) << length;
    EXPECT_EQ((*read)->torn, length > 0 && whole[length - 1] != '\n') << length;
    EXPECT_THAT((*read)->damaged, ElementsAre()) << length;
  }
}

TEST_F(JournalFile, AByteThatChangedIsDamage) {
  {
    auto journal = Journal::create(path(), header());
    const std::vector<Change> changes{kFile, kThread};
    ASSERT_TRUE(journal->append(changes));
  }
  const std::string whole = text();
  const size_t second = whole.find('\n') + 1, third = whole.find('\n', second) + 1;
  for (size_t at = second; at + 1 < third; ++at) {
    std::string spoiled = whole;
    spoiled[at] = spoiled[at] == 'x' ? 'y' : 'x';
    replace(spoiled);
    const auto read = read_journal(path());
    ASSERT_TRUE(read);
    EXPECT_THAT((*read)->damaged, ElementsAre(2u)) << at;
    EXPECT_EQ((*read)->changes.size(), 1u) << at;
  }
}

TEST_F(JournalFile, AnotherVersionIsNotTouched) {
  { ASSERT_TRUE(Journal::create(path(), header())); }
  std::string other = text();
  other.replace(other.find("\"maxlat-shield\":1"), 17, "\"maxlat-shield\":2");
  replace(other);
  EXPECT_THAT(read_journal(path()).error().text, HasSubstr("another version of maxlat"));
  replace("something else\n");
  EXPECT_THAT(read_journal(path()).error().text, HasSubstr("damaged in its first line"));
}

// A defect: it was followed, and who has a folder in the way could have root read and write what he liked.
TEST_F(JournalFile, ALinkIsNotFollowed) {
  { ASSERT_TRUE(Journal::create(path(), header())); }
  const std::string link = path() + "-linked";
  std::filesystem::create_symlink(path(), link);
  EXPECT_FALSE(read_journal(link));
}

TEST_F(JournalFile, OfAnotherUserIsNotBelieved) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  { ASSERT_TRUE(Journal::create(path(), header())); }
  ASSERT_EQ(::chown(path().c_str(), 65534, 65534), 0);
  EXPECT_THAT(read_journal(path()).error().text, HasSubstr("others than root may write "));
}

// A disk that fills up, by a limit on the size of files: the journal ends where it did before.
TEST_F(JournalFile, WhatDoesNotFitIsNotThere) {
  auto journal = Journal::create(path(), header());
  ASSERT_TRUE(journal);
  const std::string before = text();
  rlimit whole{};
  getrlimit(RLIMIT_FSIZE, &whole);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{before.size() + 20, whole.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::vector<Change> changes{kFile};
  const core::Status written = journal->append(changes);
  setrlimit(RLIMIT_FSIZE, &whole);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(written);
  EXPECT_EQ(text(), before);
}

}  // namespace
}  // namespace maxlat::shield
