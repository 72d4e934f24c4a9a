// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/shield/shield_command.hpp>
#include <maxlat/test/fake_root.hpp>
#include <nlohmann/json.hpp>

#include "journal/journal.hpp"

namespace maxlat::shield {
namespace {

// Of a journal in this boot; the threads are those of this box, which no line of it has.
class StatusAsJson : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
  core::Exit status() const {
    const auto exit =
        shield_command().run({"status", "-q", "--journal", file("shield.journal"), "--json", file("status.json")});
    EXPECT_TRUE(exit) << exit.error().text;
    return exit ? *exit : core::Exit::error;
  }
  nlohmann::json json() const { return nlohmann::json::parse(core::read_text(file("status.json")).value_or("")); }

  test::FakeRoot folder_;
};

TEST_F(StatusAsJson, SaysThatNoneIsOn) {
  EXPECT_EQ(status(), core::Exit::pass);
  EXPECT_EQ(json(), (nlohmann::json{{"format", "maxlat-shield-status/1"}, {"on", false}}));
}

TEST_F(StatusAsJson, SaysWhatOfAShieldStands) {
  folder_.file("/stands", "0\n");
  folder_.file("/drifted", "7\n");
  {
    auto journal = Journal::create(file("shield.journal"), {.boot_id = Surface(core::MachineView{}).boot_id(),
                                                            .cpus = {0},
                                                            .housekeeping = {1},
                                                            .since = "2026-11-26T18:00:00Z"});
    ASSERT_TRUE(journal);
    const std::vector<Change> changes{{.path = file("stands"), .before = "1", .wanted = "0"},
                                      {.path = file("drifted"), .before = "1", .wanted = "0"},
                                      {.kind = Change::Kind::complete}};
    ASSERT_TRUE(journal->append(changes));
  }
  EXPECT_EQ(status(), core::Exit::limit_exceeded);
  const nlohmann::json told = json();
  EXPECT_EQ(told["on"], true);
  EXPECT_EQ(told["cpus"], "0");
  EXPECT_EQ(told["housekeeping"], "1");
  EXPECT_EQ(told["since"], "2026-11-26T18:00:00Z");
  EXPECT_EQ(told["complete"], true);
  EXPECT_EQ(told["held"], false);
  EXPECT_EQ(told["changes"], 2);
  EXPECT_EQ(told["standing"], 1);
  EXPECT_EQ(told["drifted"], nlohmann::json::array({file("drifted") + " is no longer 0"}));
  EXPECT_EQ(told["damage"], "");
  EXPECT_TRUE(told["settings"].is_array());
  EXPECT_TRUE(told["newcomers"].is_array());
}

}  // namespace
}  // namespace maxlat::shield
