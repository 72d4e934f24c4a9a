// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <maxlat/loadgen/load_definition.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <set>
#include <string>

#include "keeper.hpp"

namespace maxlat::loadgen {

extern const LoadDefinition kCommandLoad;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

core::Result<LoadPlan> plan_for(std::string_view text) {
  core::Result<NamedLoad> load = find_load(text);
  if (!load) return load.error();
  return load->definition->plan(load->argument, {0, 1});
}

// An environment variable for the length of a test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name), before_(getenv(name) ? getenv(name) : "") {
    setenv(name, value, 1);
  }
  ~ScopedVariable() { setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

TEST(LoadTable, NamesAreUniqueAndHoldNoColon) {
  std::set<std::string_view> names;
  for (const LoadKind& kind : load_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(kind.name.find(':'), std::string_view::npos);
  }
}

TEST(LoadTable, EachBuiltInPlansOneWorkerPerCpu) {
  for (const LoadDefinition* definition : load_table()) {
    if (!definition->kind.built_in) continue;
    core::Result<LoadPlan> plan = definition->plan("", {3, 5});
    ASSERT_TRUE(plan) << definition->kind.name << ": " << plan.error().text;
    ASSERT_EQ(plan->workers.size(), 2u) << definition->kind.name;
    EXPECT_THAT(plan->workers[0].cpus, ElementsAre(3));
    EXPECT_THAT(plan->workers[1].cpus, ElementsAre(5));
  }
}

TEST(LoadTable, TheArgumentIsAllBehindTheFirstColon) {
  core::Result<NamedLoad> load = find_load("command:echo a:b");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->definition, &kCommandLoad);
  EXPECT_EQ(load->argument, "echo a:b");
}

TEST(LoadTable, AnUnknownLoadIsNamedAndTheKnownOnesAreListed) {
  core::Result<NamedLoad> load = find_load("hackbnech");
  ASSERT_FALSE(load);
  EXPECT_EQ(load.error().text, "unknown load 'hackbnech'");
  EXPECT_THAT(load.error().hint, HasSubstr("hackbench[:ARGS] stress-ng:ARGS kernel[:DIRECTORY] command:WORDS cpu cache"));
  EXPECT_FALSE(find_load(""));
}

TEST(LoadTable, AnArgumentWhereNoneIsTakenIsAnError) {
  core::Result<NamedLoad> load = find_load("cpu:100");
  ASSERT_FALSE(load);
  EXPECT_EQ(load.error().text, "load 'cpu' takes no argument");
}

TEST(LoadTable, AMissingArgumentIsAnErrorWithAnExample) {
  for (const char* text : {"stress-ng", "stress-ng:", "command:", "command: ''"}) {
    core::Result<LoadPlan> plan = plan_for(text);
    ASSERT_FALSE(plan) << text;
    EXPECT_THAT(plan.error().text, HasSubstr("needs"));
    EXPECT_THAT(plan.error().hint, HasSubstr("for example"));
  }
}

TEST(LoadTable, HackbenchScalesItsGroupsWithTheCpusUnlessTold) {
  const test::TemporaryFolder folder;  // it need not be installed
  const std::string program = folder.path() + "/hackbench";
  std::ofstream(program) << "#!/bin/sh\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const ScopedVariable path("PATH", folder.path().c_str());
  EXPECT_THAT(plan_for("hackbench")->command, HasSubstr("hackbench -g 2 "));
  EXPECT_EQ(plan_for("hackbench:-T -g 7")->command, "hackbench -T -g 7");
}

TEST(LoadTable, AMissingProgramIsNamedWithItsPackage) {
  core::Result<LoadPlan> plan = plan_for("command:no-such-program-anywhere -x");
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().text, HasSubstr("no-such-program-anywhere"));
  EXPECT_EQ(plan.error().exit_status, core::Exit::cannot_run);

  const ScopedVariable path("PATH", "/nonexistent");
  for (const auto& [load, package] : {std::pair{"hackbench", "rt-tests"}, {"stress-ng:--cpu 1", "stress-ng"}}) {
    plan = plan_for(load);
    ASSERT_FALSE(plan) << load;
    EXPECT_THAT(plan.error().hint, HasSubstr(std::string("apt install ") + package));
  }
}

TEST(LoadTable, AKernelBuildNeedsASourceTree) {
  EXPECT_THAT(plan_for("kernel:/no/such/tree").error().text,
              HasSubstr("cannot build a kernel in '/no/such/tree': no such directory"));
  EXPECT_THAT(plan_for("kernel:/proc").error().text, HasSubstr("it has no Makefile"));
}

TEST(SplitWords, AsAShellWouldWithoutExpansions) {
  EXPECT_THAT(*split_words("a  'b c' \"d e\" f\\ g $HOME"), ElementsAre("a", "b c", "d e", "f g", "$HOME"));
  EXPECT_THAT(*split_words("  "), IsEmpty());
  EXPECT_FALSE(split_words("a\\"));
}

}  // namespace
}  // namespace maxlat::loadgen
