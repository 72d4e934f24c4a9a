// SPDX-License-Identifier: MIT
#include "read_series.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <maxlat/base/owned.hpp>
#include <tuple>

#include "series_store.hpp"
#include "test/test_environment.hpp"
#include "test_series.hpp"

namespace maxlat::reports {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReadSeries : public ::testing::Test {
 protected:
  void put(unsigned day, double scale = 1, const std::string& below = "") {
    const std::string name = below + test::nightly_run(day, scale).id + ".json";
    folder_.write(name, core::to_json(test::nightly_run(day, scale)));
  }
  void put_many() {
    for (unsigned day = 0; day < kManyResults; ++day) put(day);
  }
  SeriesRuns read(std::optional<std::string> store = std::nullopt, bool no_store = false) {
    auto runs = read_series({.folder = folder_.path(), .store = std::move(store), .no_store = no_store});
    EXPECT_TRUE(runs) << runs.error().text;
    return runs ? *std::move(runs) : SeriesRuns{};
  }
  std::string index() const { return folder_ / kIndexName; }
  test::TemporaryFolder folder_;
};

// Everything that a trend is made of.
void expect_same(const SeriesRuns& one, const SeriesRuns& other) {
  ASSERT_EQ(one.runs.size(), other.runs.size());
  for (size_t i = 0; i < one.runs.size(); ++i) {
    const SeriesRun &a = one.runs[i], &b = other.runs[i];
    EXPECT_EQ(std::tie(a.path, a.id, a.started, a.time_of_file, a.box, a.plan, a.verdict),
              std::tie(b.path, b.id, b.started, b.time_of_file, b.box, b.plan, b.verdict));
    ASSERT_EQ(a.machine.size(), b.machine.size());
    for (size_t g = 0; g < a.machine.size(); ++g) {
      EXPECT_EQ(a.machine[g]->name, b.machine[g]->name);
      EXPECT_EQ(a.machine[g]->values, b.machine[g]->values);
    }
    ASSERT_EQ(a.phases.size(), b.phases.size());
    for (size_t p = 0; p < a.phases.size(); ++p) {
      const SeriesPhase &x = a.phases[p], &y = b.phases[p];
      EXPECT_EQ(std::tie(x.name, x.kind, x.how, x.use, x.why, x.samples, x.exposure_s, x.figures_ns),
                std::tie(y.name, y.kind, y.how, y.use, y.why, y.samples, y.exposure_s, y.figures_ns));
    }
  }
}

TEST_F(ReadSeries, RunFoldersAndResultFilesAtAnyDepth) {
  put(2);
  put(1, 1, "a/b/");
  folder_.write("run/result.json", core::to_json(test::nightly_run(0, 1)));
  folder_.write("run/phases/01-npt.json", core::to_json(test::nightly_run(7, 1)));  // a part of that run
  folder_.write("other.json", "{\"schema\": \"something\"}");
  fs::create_directory_symlink(folder_.path(), folder_ / "loop");
  const SeriesRuns runs = read();
  std::vector<std::string> paths;
  for (const SeriesRun& run : runs.runs) paths.push_back(run.path);
  EXPECT_THAT(paths, ElementsAre("run/result.json", "a/b/nightly-1.json", "nightly-2.json"));
  EXPECT_FALSE(fs::exists(index())) << "three files need none";
}

TEST_F(ReadSeries, ACopyIsNoSecondRun) {
  put(1);
  put(1, 1, "copies/");
  const SeriesRuns runs = read();
  EXPECT_THAT(runs.runs, SizeIs(1));
  EXPECT_THAT(runs.notes, ElementsAre(HasSubstr("1 result of runs that are there already")));
}

TEST_F(ReadSeries, WhatCannotBeReadIsNamed) {
  put(1);
  folder_.write("half.json", folder_.read("nightly-1.json").substr(0, 900));
  folder_.write("future.json", R"({"schema": "maxlat-result/99"})");
  EXPECT_THAT(read().unread, ElementsAre(HasSubstr("future.json"), HasSubstr("half.json")));
  fs::remove(folder_ / "nightly-1.json");
  const auto none = read_series({.folder = folder_.path()});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("holds no result that can be read"));
}

// A defect: what a full disk or a power cut had emptied was taken for another tool's file, and nobody missed it.
TEST_F(ReadSeries, AResultThatWasEmptiedIsNamed) {
  put(1);
  folder_.write("a.json", "");
  folder_.write("b.json", std::string(5000, '\0'));
  folder_.write("other.json", "{\"a\":1");
  folder_.write("run/result.json", "");
  folder_.write("torn/result.json", "{\"a\":1");
  EXPECT_THAT(read().unread,
              ElementsAre(HasSubstr("a.json"), HasSubstr("b.json"), HasSubstr("run/result.json"),
                          HasSubstr("torn/result.json")));
}

TEST_F(ReadSeries, AnIndexGivesWhatTheFilesGive) {
  put_many();
  const SeriesRuns first = read(), again = read(), direct = read(std::nullopt, true);
  EXPECT_TRUE(fs::exists(index()));
  EXPECT_EQ(first.read, kManyResults);
  EXPECT_EQ(again.read, 0U);
  EXPECT_EQ(first.files.size(), kManyResults + 1) << "and the index";
  expect_same(first, direct);
  expect_same(again, direct);
}

TEST_F(ReadSeries, OtherJsonFilesMakeNoIndex) {
  put(1);
  for (size_t i = 0; i < kManyResults; ++i) folder_.write(fmt::format("other-{}.json", i), "{}");
  EXPECT_THAT(read().runs, SizeIs(1));
  EXPECT_FALSE(fs::exists(index())) << "one result needs none";
}

TEST_F(ReadSeries, ADeletedIndexIsMadeAgain) {
  put_many();
  (void)read();
  fs::remove(index());
  EXPECT_EQ(read().read, kManyResults);
  EXPECT_EQ(read().read, 0U);
}

TEST_F(ReadSeries, AFileThatChangedCameOrWentIsSeen) {
  put_many();
  (void)read();
  put(5, 3);
  put(1000);
  fs::remove(folder_ / "nightly-7.json");
  const SeriesRuns runs = read();
  EXPECT_EQ(runs.read, 2U);
  expect_same(runs, read(std::nullopt, true));
}

TEST_F(ReadSeries, AFileThatBecameUnreadableIsInNoTrend) {
  put_many();
  (void)read();
  folder_.write("nightly-9.json", folder_.read("nightly-9.json").substr(0, 900));
  for (int time = 0; time < 2; ++time) {
    const SeriesRuns runs = read();
    EXPECT_THAT(runs.runs, SizeIs(kManyResults - 1));
    EXPECT_THAT(runs.unread, ElementsAre(HasSubstr("nightly-9.json")));
  }
}

// Another process that holds the index from its start until let_go(), or until this one ends.
class Locker {
 public:
  explicit Locker(const std::string& index) {
    std::array<int, 2> locked{}, let_go{};
    EXPECT_EQ(pipe2(locked.data(), O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(let_go.data(), O_CLOEXEC), 0);
    base::Descriptor read_locked(locked[0]), write_locked(locked[1]), read_let_go(let_go[0]);
    write_let_go_ = base::Descriptor(let_go[1]);
    child_ = fork();
    if (child_ == 0) {
      write_let_go_ = base::Descriptor();
      const auto sql = open_sqlite(index);
      const bool held = sql && (*sql)->begin_writing();
      char byte = held ? 'y' : 'n';
      held_until_told(write_locked.number(), read_let_go.number(), byte);
      if (held) (void)(*sql)->run("ROLLBACK");
      _exit(0);
    }
    write_locked = base::Descriptor();
    char answer = 0;
    EXPECT_EQ(::read(read_locked.number(), &answer, 1), 1);
    EXPECT_EQ(answer, 'y') << "the other process got no lock";
  }
  ~Locker() { let_go(); }
  void let_go() {
    if (!write_let_go_) return;
    write_let_go_ = base::Descriptor();
    EXPECT_EQ(waitpid(child_, nullptr, 0), child_);
  }

 private:
  static void held_until_told(int told, int end, char byte) {
    if (write(told, &byte, 1) == 1) (void)!::read(end, &byte, 1);  // its end: nobody writes
  }
  base::Descriptor write_let_go_;
  pid_t child_ = -1;
};

TEST_F(ReadSeries, AnIndexThatIsLockedIsLeftAlone) {
  put_many();
  (void)read();
  put(5, 3);
  Locker other(index());
  const SeriesRuns runs = read();
  EXPECT_THAT(runs.notes, ElementsAre(HasSubstr("is locked by another program")));
  expect_same(runs, read(std::nullopt, true));
  other.let_go();
  EXPECT_THAT(read().notes, IsEmpty());
}

TEST_F(ReadSeries, AnIndexThatIsDamagedIsLeftAlone) {
  put_many();
  folder_.write(kIndexName, std::string(5000, 'x'));
  EXPECT_THAT(read().notes, ElementsAre(HasSubstr("is damaged, or is no SQLite file")));
  EXPECT_EQ(folder_.read(kIndexName), std::string(5000, 'x'));
}

TEST_F(ReadSeries, AStoreThatTheUserNamedMustWork) {
  put(1);
  folder_.write("store.sqlite", std::string(5000, 'x'));
  for (const std::string& store :
       {folder_ / "store.sqlite", folder_ / "no/such/store", std::string("postgresql:///x?host=/nowhere")})
    EXPECT_FALSE(read_series({.folder = folder_.path(), .store = store})) << store;
}

TEST_F(ReadSeries, AStoreHasTheResultsOfSeveralFolders) {
  const test::TemporaryFolder elsewhere;
  const std::string store = elsewhere / "fleet.sqlite";
  put(1);
  EXPECT_THAT(read(store).runs, SizeIs(1));
  elsewhere.write("nightly-1.json", core::to_json(test::nightly_run(2, 1)));
  const auto both = read_series({.folder = elsewhere.path(), .store = store});
  ASSERT_TRUE(both);
  EXPECT_THAT(both->runs, SizeIs(2));
  const auto alone = read_series({.folder = "", .store = store});
  ASSERT_TRUE(alone);
  expect_same(*both, *alone);
}

TEST_F(ReadSeries, AStoreKeepsWhatIsNoLongerSeen) {
  const test::TemporaryFolder elsewhere;
  const std::string store = elsewhere / "fleet.sqlite";
  put(1);
  put(2);
  put(3, 1, "disk/");
  EXPECT_THAT(read(store).runs, SizeIs(3));
  folder_.write("nightly-1.json", folder_.read("nightly-1.json").substr(0, 900));  // can no longer be read
  fs::remove(folder_ / "nightly-2.json");
  fs::remove(folder_ / "disk/nightly-3.json");  // as of a disk that is not mounted
  const SeriesRuns runs = read(store);
  EXPECT_THAT(runs.runs, SizeIs(3));
  EXPECT_THAT(runs.unread, ElementsAre(HasSubstr("nightly-1.json")));
  fs::remove(folder_ / "nightly-1.json");
  EXPECT_THAT(read(store).runs, SizeIs(3)) << "of a folder that is empty now";
  put(1, 3);
  EXPECT_EQ(read(store).read, 1U);
  EXPECT_THAT(read(store).runs, SizeIs(3)) << "a file that is another one now takes the place of the old one";
}

TEST_F(ReadSeries, AStoreMayLieBelowALink) {
  const test::TemporaryFolder elsewhere;
  fs::create_directory(elsewhere / "real");
  fs::create_directory_symlink(elsewhere / "real", elsewhere / "link");
  put(1);
  EXPECT_THAT(read(elsewhere / "link/fleet.sqlite").runs, SizeIs(1));
  EXPECT_TRUE(fs::exists(elsewhere / "real/fleet.sqlite"));
  fs::create_symlink(elsewhere / "real/fleet.sqlite", elsewhere / "file");
  EXPECT_FALSE(read_series({.folder = folder_.path(), .store = elsewhere / "file"})) << "a link itself is not followed";
}

TEST_F(ReadSeries, ReadingAStoreWritesNothing) {
  const test::TemporaryFolder elsewhere;
  const std::string store = elsewhere / "fleet.sqlite";
  put(1);
  (void)read(store);
  const auto other = open_sqlite(store);
  ASSERT_TRUE(other);
  ASSERT_TRUE((*other)->begin_writing()) << "nobody else may write now";
  const auto alone = read_series({.folder = "", .store = store});
  ASSERT_TRUE(alone) << alone.error().text;
  EXPECT_THAT(alone->runs, SizeIs(1));
}

TEST_F(ReadSeries, APasswordInAUrlIsNotPrinted) {
  put(1);
  for (const char* url : {"postgresql://me:secret@[::1/x", "postgresql://me:secret%zz@host/x",
                          "postgresql://host/x?password=secret&nothing"}) {
    const auto read = read_series({.folder = folder_.path(), .store = url});
    ASSERT_FALSE(read) << url;
    EXPECT_EQ(read.error().text.find("secret"), std::string::npos) << read.error().text;
  }
}

TEST_F(ReadSeries, NamesThatAreNoTextDoNoHarm) {
  const test::TemporaryFolder elsewhere;
  folder_.write("odd-\xff'\"; DROP TABLE maxlat_run_4.json", core::to_json(test::nightly_run(1, 1)));
  for (int time = 0; time < 2; ++time) {
    const SeriesRuns runs = read(elsewhere / "store");
    ASSERT_THAT(runs.runs, SizeIs(1));
    EXPECT_EQ(runs.read, time == 0 ? 1U : 0U);
  }
}

}  // namespace
}  // namespace maxlat::reports
