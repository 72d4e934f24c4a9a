// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <sstream>

namespace maxlat::core {
namespace {

namespace po = boost::program_options;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

po::options_description the_options() {
  po::options_description all("Options");
  po::options_description where("Where");
  where.add_options()                                                                                             //
      ("affinity,a", po::value<CpuListArgument>()->implicit_value({{7}}, "all")->value_name("CPUS"), "the CPUs")  //
      ("histogram,h", po::value<unsigned>()->implicit_value(0, "")->value_name("N"), "alone: this help");
  all.add_options()                                                                      //
      ("prio,p", po::value<unsigned>()->default_value(99)->value_name("N"), "priority")  //
      ("duration,D", po::value<std::string>()->value_name("TIME"), "how long")           //
      ("quiet,q", po::bool_switch(), "no output")                                        //
      ("verbose,v", po::bool_switch(), "more output")                                    //
      ("version", po::bool_switch(), "version")                                          //
      ("load", po::value<std::vector<std::string>>()->composing(), "may be repeated")    //
      ("json", po::value<std::string>()->value_name("FILE"), "result");
  all.add(where);
  return all;
}

Result<CommandLine> parsed(const Arguments& arguments) {
  return parse(the_options(), arguments);
}

CpuList affinity(const Arguments& arguments) {
  const auto line = parsed(arguments);
  EXPECT_TRUE(line.ok()) << (line.ok() ? "" : line.error().text);
  return line.ok() && line->has("affinity") ? line->get<CpuListArgument>("affinity").cpus : CpuList{};
}

TEST(CliKit, OptionalArgumentInEverySpelling) {
  const CpuList implicit{7};
  EXPECT_EQ(affinity({}), CpuList{});
  EXPECT_EQ(affinity({"-a"}), implicit);
  EXPECT_EQ(affinity({"--affinity"}), implicit);
  EXPECT_EQ(affinity({"-a", "1"}), CpuList{1});
  EXPECT_EQ(affinity({"-a1"}), CpuList{1});
  EXPECT_EQ(affinity({"-a=1"}), CpuList{1});
  EXPECT_THAT(affinity({"--affinity=1-3"}), ElementsAre(1, 2, 3));
  EXPECT_THAT(affinity({"--affinity", "1-3"}), ElementsAre(1, 2, 3));
  EXPECT_THAT(affinity({"--aff=0,2"}), ElementsAre(0, 2));
  EXPECT_THAT(affinity({"-qva", "0,2"}), ElementsAre(0, 2));
  EXPECT_THAT(affinity({"-qa0,2"}), ElementsAre(0, 2));
  EXPECT_EQ(affinity({"-a", "-q"}), implicit);
  EXPECT_EQ(affinity({"-a", "-D", "1"}), implicit);
  EXPECT_EQ(affinity({"-a", "--", "1"}), implicit);
}

TEST(CliKit, AWordThatCannotBeTheArgumentIsLeftAlone) {
  const auto line = parsed({"-a", "hackbench", "-h", "fast"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->get<CpuListArgument>("affinity").cpus, CpuList{7});
  EXPECT_EQ(line->get<unsigned>("histogram"), 0u);
  EXPECT_THAT(line->operands, ElementsAre("hackbench", "fast"));
  // Glued to the option it can be nothing else, so it is a mistake.
  EXPECT_THAT(parsed({"-ahackbench"}).error().text, HasSubstr("hackbench"));
  EXPECT_THAT(parsed({"--affinity=3-1"}).error().text, HasSubstr("3-1"));
  EXPECT_THAT(parsed({"--affinity=3-1"}).error().hint, HasSubstr("0,2-5"));
}

TEST(CliKit, HistogramAloneIsNotHistogramOf400) {
  EXPECT_EQ(parsed({"-h"})->get<unsigned>("histogram"), 0u);
  EXPECT_EQ(parsed({"-h", "400"})->get<unsigned>("histogram"), 400u);
  EXPECT_EQ(parsed({"-h400"})->get<unsigned>("histogram"), 400u);
  EXPECT_EQ(parsed({"-h", "-p", "5"})->get<unsigned>("histogram"), 0u);
  EXPECT_FALSE(parsed({})->has("histogram"));
}

TEST(CliKit, RequiredArguments) {
  for (const Arguments& words : {Arguments{"-p", "5"}, {"-p5"}, {"-p=5"}, {"--prio=5"}, {"--prio", "5"}, {"-qp5"}})
    EXPECT_EQ(parsed(words)->get<unsigned>("prio"), 5u);
  EXPECT_EQ(parsed({})->get<unsigned>("prio"), 99u);
  EXPECT_TRUE(parsed({})->has("prio"));
  EXPECT_FALSE(parsed({})->given("prio"));
  EXPECT_TRUE(parsed({"-p99"})->given("prio"));
  EXPECT_EQ(parsed({"--json", "-"})->get<std::string>("json"), "-");
  EXPECT_EQ(parsed({"--json", "-odd"})->get<std::string>("json"), "-odd");
  EXPECT_THAT(parsed({"--load=a", "--load", "b"})->get<std::vector<std::string>>("load"), ElementsAre("a", "b"));
}

TEST(CliKit, SwitchesAndOperands) {
  const auto line = parsed({"one", "-qv", "two", "-", "--", "-x", "--json", "--"});
  ASSERT_TRUE(line.ok());
  EXPECT_TRUE(line->get<bool>("quiet"));
  EXPECT_TRUE(line->get<bool>("verbose"));
  EXPECT_FALSE(line->get<bool>("version"));
  EXPECT_THAT(line->operands, ElementsAre("one", "two", "-", "-x", "--json", "--"));
  EXPECT_THAT(parsed({"-q"})->operands, IsEmpty());
}

// Each mistake is an Error with a hint, and no exception gets out.
TEST(CliKit, MistakesAreErrorsWithAHint) {
  const std::pair<Arguments, const char*> mistakes[] = {
      {{"--nonsense"}, "unknown option '--nonsense'"},
      {{"-x"}, "unknown option '-x'"},
      {{"-qx"}, "unknown option '-x'"},
      {{"---"}, "unknown option"},
      {{"--=3"}, "unknown option"},
      {{"--ver"}, "could be"},  // verbose or version
      {{"-p"}, "needs an argument"},
      {{"--duration"}, "needs an argument"},
      {{"--quiet=1"}, "takes no argument"},
      {{"-p", "high"}, "'high'"},
      {{"-p", ""}, "prio"},
      {{"-p", "-5"}, "negative"},
      {{"-p5", "-p6"}, "more than once"},
      {{"-h-1"}, "negative"},
      {{"-p", "99999999999"}, "99999999999"},
  };
  for (const auto& [words, text] : mistakes) {
    const auto line = parsed(words);
    ASSERT_FALSE(line.ok()) << words[0];
    EXPECT_THAT(line.error().text, HasSubstr(text));
    EXPECT_FALSE(line.error().hint.empty());
    EXPECT_EQ(line.error().exit_status, Exit::error);
  }
  EXPECT_THAT(parsed({"--durration=1"}).error().hint, HasSubstr("did you mean --duration?"));
}

TEST(CliKit, HelpShowsGroupsAndEndsWithTheExamples) {
  const std::string text =
      help_text({"maxlat tool [options]", "Does a thing.", "  maxlat tool -a 1\n      one CPU\n"}, the_options());
  EXPECT_THAT(text, testing::StartsWith("Usage: maxlat tool [options]\n\nDoes a thing.\n\n"));
  EXPECT_THAT(text, HasSubstr("\nWhere:\n"));
  EXPECT_THAT(text, HasSubstr("  -a, --affinity[=CPUS(=all)] "));
  EXPECT_THAT(text, HasSubstr("  -D, --duration TIME "));
  EXPECT_THAT(text, HasSubstr("  -q, --quiet "));
  EXPECT_THAT(text, HasSubstr("  --version "));
  EXPECT_THAT(text, testing::EndsWith("\nExamples:\n  maxlat tool -a 1\n      one CPU\n"));
  // The descriptions stand in one column.
  size_t column = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    for (const char* about : {"how long", "no output", "result"})
      if (const size_t at = line.find(about); at != std::string::npos) {
        EXPECT_EQ(at, column == 0 ? at : column) << line;
        column = at;
      }
  EXPECT_GT(column, 0u);
}

// Defect this watches: where the text begins right after the longest option, the saved characters went nowhere.
TEST(CliKit, TheLongestOptionKeepsTheColumnToo) {
  po::options_description options("Options");
  options.add_options()("affinity,a", po::value<std::string>()->value_name("CPUS"), "where")("quiet,q", "what");
  const std::string text = help_text({"x", "y", "z"}, options);
  std::istringstream lines(text);
  size_t where = 0, what = 0;
  for (std::string line; std::getline(lines, line);) {
    if (const size_t at = line.find("where"); at != std::string::npos) where = at;
    if (const size_t at = line.find("what"); at != std::string::npos) what = at;
  }
  EXPECT_GT(where, 0u);
  EXPECT_EQ(where, what);
}

TEST(CliKit, TimesAreTakenInTheirUnitsAndZeroOnlyWhereItMeansSomething) {
  po::options_description options("Options");
  for (const char* name : {"duration", "break", "width"}) options.add_options()(name, argument("TIME"), "");
  uint64_t duration_ns = 7, break_ns = 7, width_ns = 7;
  const auto take = [&](const Arguments& words) {
    const TimeOption times[] = {
        {"duration", "s", duration_ns, 'D'}, {"break", "us", break_ns}, {"width", kUnitNeeded, width_ns, 0, true}};
    const Status taken = take_times(*parse(options, words), times);
    return taken ? "" : taken.error().text;
  };
  EXPECT_EQ(take({"--break=40", "--width=0"}), "");
  EXPECT_EQ(duration_ns, 7u) << "it was not given";
  EXPECT_EQ(break_ns, 40'000u);
  EXPECT_EQ(width_ns, 0u);
  EXPECT_EQ(take({"--duration=0"}), "-D, --duration must be longer than 0");
  EXPECT_THAT(take({"--width=5"}), testing::StartsWith("--width: "));
}

// A defect: who left out what has a default was promised that there would be none.
TEST(CliKit, TheHintSaysWhatHoldsWithoutTheTime) {
  po::options_description options("Options");
  for (const char* name : {"interval", "duration", "round"}) options.add_options()(name, argument("TIME"), "");
  uint64_t interval_ns = 1'500'000'000, duration_ns = 0, round_ns = 0;
  const auto hint = [&](const Arguments& words) {
    const TimeOption times[] = {{"interval", "s", interval_ns},
                                {"duration", "s", duration_ns},
                                {"round", "s", round_ns, 0, false, "rounds of the usual length"}};
    return take_times(*parse(options, words), times).error().hint;
  };
  EXPECT_EQ(hint({"--interval=0"}), "leave it out for 1.5 s");
  EXPECT_EQ(hint({"--duration=0ms"}), "leave it out for none");
  EXPECT_EQ(hint({"--round=0"}), "leave it out for rounds of the usual length");
}

TEST(CliKit, WhatWasWrittenCanBeWrittenAgain) {
  const auto line = parsed({"-qp95", "-a1", "--dur", "3s", "-h", "--load=a b", "--load", "c"});
  ASSERT_TRUE(line.ok()) << line.error().text;
  EXPECT_THAT(line->written_without({"prio"}),
              ElementsAre("--quiet", "--affinity=1", "--duration=3s", "--histogram", "--load=a b", "--load=c"));
  const auto again = parsed(line->written_without({}));
  ASSERT_TRUE(again.ok()) << again.error().text;
  EXPECT_EQ(again->written_without({}), line->written_without({}));
}

}  // namespace
}  // namespace maxlat::core
