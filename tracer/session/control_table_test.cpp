// SPDX-License-Identifier: MIT
// Requests as rows: what is added to the table is answered over the socket, and usages say the truth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <maxlat/test/temporary_folder.hpp>
#include <maxlat/trace/control.hpp>
#include <maxlat/trace/control_client.hpp>
#include <maxlat/trace/control_command.hpp>
#include <maxlat/trace/session.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "session/control_commands.hpp"
#include "session/test_child.hpp"

namespace maxlat::trace {
namespace {

using detail::answer;
using test::in_child;

constinit const ControlCommand kEcho{"echo WORD [MORE] [MORE]", "each word,\non a line", [](ControlWords words) {
                                       std::string lines;
                                       for (const std::string_view word : words.subspan(1)) {
                                         lines += std::string(word) + "\n";
                                       }
                                       return control_ok(std::move(lines));
                                     }};
constexpr int kManyLines = 5'000;
constinit const ControlCommand kLong{"long", "more than a message", [](ControlWords) {
                                       std::string lines;
                                       for (int n = 0; n < kManyLines; ++n) lines += std::to_string(n) + " line\n";
                                       return control_ok(std::move(lines));
                                     }};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The usages that `help` lists.
std::vector<std::string> usages() {
  std::istringstream lines(answer("help").text);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("request ")) all.push_back(line.substr(8));
  }
  return all;
}

std::string joined(const std::vector<std::string>& words, std::size_t count) {
  std::string line;
  for (std::size_t i = 0; i < count; ++i) line += (i == 0 ? "" : " ") + (i < words.size() ? words[i] : "x");
  return line;
}

TEST(ControlTable, HelpListsEveryRequestAndWhatItIs) {
  std::vector<std::string> names;
  for (const std::string& usage : usages()) names.push_back(words_of(usage)[0]);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_THAT(names, testing::IsSupersetOf({"hello", "create", "enable", "start", "stop", "snapshot", "help"}));
  EXPECT_THAT(answer("help").text,
              testing::HasSubstr("\nrequest enable SESSION CHANNEL PATTERN [level=N]\n"
                                 "told PATTERN is PROVIDER:NAME with wildcards; events that appear later, too\n"));
}

TEST(ControlTable, AUsageSaysHowManyWordsThereAre) {
  const std::string wrong = ": wrong number of words\n";
  for (const std::string& usage : usages()) {
    const std::vector<std::string> words = words_of(usage);
    const auto optional = std::count_if(words.begin(), words.end(), [](const auto& word) { return word[0] == '['; });
    const std::size_t least = words.size() - static_cast<std::size_t>(optional);
    const std::string refused = "error " + words[0] + wrong;
    if (least > 1) {
      EXPECT_EQ(answer(joined(words, least - 1)).text, refused);
    }
    EXPECT_EQ(answer(joined(words, words.size() + 1)).text, refused);
    EXPECT_THAT(answer(joined(words, least)).text, testing::Not(testing::EndsWith(wrong)));
    EXPECT_THAT(answer(joined(words, words.size())).text, testing::Not(testing::EndsWith(wrong)));
  }
  answer("destroy SESSION");  // of `create SESSION`
}

// [NAME=ONE|OTHER] and [NAME=NUMBER], each of them.
TEST(ControlTable, EveryOptionOfAChannelIsOne) {
  const std::vector<std::string> all = usages();
  const auto channel =
      std::find_if(all.begin(), all.end(), [](const auto& usage) { return usage.starts_with("channel "); });
  ASSERT_NE(channel, all.end());
  ASSERT_EQ(answer("create options").text, "ok\n");
  int channels = 0;
  for (const std::string& word : words_of(*channel)) {
    if (word[0] != '[') continue;
    const std::string name = word.substr(1, word.find('=') - 1);
    std::string values = word.substr(word.find('=') + 1);
    values.back() = '|';  // the bracket
    std::istringstream choices(values == "N|" ? "2|" : values == "BYTES|" ? "4096|" : values);
    for (std::string value; std::getline(choices, value, '|');) {
      const std::string line = "channel options c" + std::to_string(channels++ % 8) + " " + name + "=" + value;
      EXPECT_EQ(answer(line).text, "ok\n") << line;
      if (channels % 8 == 0) {
        answer("destroy options");
        answer("create options");
      }
    }
  }
  EXPECT_EQ(channels, 11);
  answer("destroy options");
}

TEST(ControlTable, AnUnknownRequestGetsOneLine) {
  for (const char* unknown : {"echo", "hell", "helloo", "HELLO", "request", "[level=N]"}) {
    EXPECT_EQ(answer(std::string(unknown) + " a b").text, "error no such request: " + std::string(unknown) + "\n");
  }
  const ControlAnswer long_one = answer(std::string(4'000, 'x'));
  EXPECT_EQ(long_one.text, "error no such request: " + std::string(40, 'x') + "\n");
}

// In a child, for what is added stays.
TEST(ControlTable, WhatIsAddedIsAnsweredOverTheSocket) {
  const maxlat::test::TemporaryFolder folder;
  EXPECT_EQ(in_child([&] {
              setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
              if (!open_control()) return 1;
              auto program = ControlConnection::connect(getpid());
              if (!program) return 2;
              const auto before = program->request("echo one");
              if (before || before.error().text != "no such request: echo") return 3;
              if (!add_control_command(kEcho) || !add_control_command(kLong)) return 4;  // the thread is at work
              const auto echo = program->request("echo one two");
              if (!echo || echo->lines != std::vector<std::string>{"one", "two"}) return 5;
              if (program->request("echo")) return 6;
              const auto help = program->request("help");
              const std::vector<std::string> end{"request echo WORD [MORE] [MORE]", "told each word,", "told on a line",
                                                 "request long", "told more than a message"};
              if (!help || !std::equal(end.rbegin(), end.rend(), help->lines.rbegin())) return 7;
              const auto all = program->request("long");  // with `next`
              if (!all || all->lines.size() != kManyLines || all->lines.back() != "4999 line") return 8;
              const auto none = program->request("next");  // nothing is left
              return none && none->lines.empty() ? 0 : 9;
            }),
            0);
}

TEST(ControlTable, ANameIsAddedOnce) {
  EXPECT_EQ(in_child([] {
              static const ControlCommand hello{"hello AGAIN", "", kEcho.answer}, nameless{"", "", kEcho.answer},
                  blank{" WORD", "", kEcho.answer}, other{"echo", "", kEcho.answer};
              const std::size_t ours = usages().size();
              if (add_control_command(hello) || add_control_command(nameless) || add_control_command(blank)) return 1;
              if (!add_control_command(kEcho) || add_control_command(kEcho) || add_control_command(other)) return 2;
              if (answer("hello").text.substr(0, 16) != "ok\nmaxlat-trace ") return 3;
              return answer("echo x").text == "ok\nx\n" && usages().size() == ours + 1 ? 0 : 4;
            }),
            0);
}

TEST(ControlTable, ThreadsThatAddAtOnceAllGetIn) {
  EXPECT_EQ(in_child([] {
              constexpr std::size_t kThreads = 4, kEach = 2'000;
              const std::size_t ours = usages().size();
              static std::vector<std::string> names(kEach);  // each thread adds them all: one succeeds
              static std::vector<ControlCommand> commands;
              for (std::size_t n = 0; n < kEach; ++n) names[n] = "added-" + std::to_string(n);
              for (const std::string& name : names) commands.push_back({name, "", kEcho.answer});
              std::atomic<std::size_t> ready{0}, succeeded{0};
              std::vector<std::thread> threads;
              for (std::size_t t = 0; t < kThreads; ++t) {
                threads.emplace_back([&] {
                  for (++ready; ready != kThreads;) continue;
                  for (const ControlCommand& command : commands) succeeded += add_control_command(command).ok();
                });
              }
              for (std::thread& thread : threads) thread.join();
              return succeeded == kEach && usages().size() == ours + kEach ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace maxlat::trace
