// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <maxlat/import/input_text.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <string>
#include <vector>

namespace maxlat::importing {
namespace {

std::vector<std::string> lines_of(InputText& input) {
  std::vector<std::string> lines;
  while (const auto line = input.next_line()) lines.emplace_back(*line);
  return lines;
}

// A pipe with this in it, and its writing end closed.
InputText pipe_with(const std::string& text) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  auto input = InputText::open("/proc/self/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  EXPECT_TRUE(input.ok());
  return *std::move(input);
}

TEST(InputText, LinesEndWithOrWithoutTheirEnd) {
  for (const char* text : {"a\n\nb c\r\nd", "a\n\nb c\nd\n"}) {
    InputText memory((std::string_view(text)));
    EXPECT_THAT(lines_of(memory), testing::ElementsAre("a", "", "b c", "d"));
    EXPECT_EQ(memory.line_number(), 4u);
    InputText file = pipe_with(text);
    EXPECT_EQ(*file.beginning(), text);
    EXPECT_THAT(lines_of(file), testing::ElementsAre("a", "", "b c", "d"));
    EXPECT_TRUE(file.status().ok());
  }
}

// Every line once and whole, wherever the blocks of a long file end in it.
TEST(InputText, LinesAcrossBlocksAreWhole) {
  const maxlat::test::TemporaryFolder folder;
  const std::string path = folder / "long";
  std::string text;
  constexpr size_t kLines = 300'000;
  for (size_t i = 0; i < kLines; ++i) text += std::to_string(i * 7919 % 1'000'003) + std::string(i % 17, '.') + "\n";
  folder.write("long", text);
  auto file = InputText::open(path);
  ASSERT_TRUE(file.ok());
  InputText memory(text);
  while (const auto expected = memory.next_line()) ASSERT_EQ(file->next_line(), expected);
  EXPECT_FALSE(file->next_line());
  EXPECT_EQ(file->line_number(), kLines);
}

TEST(InputText, TheWholeIsReadAfterItsBeginning) {
  const std::string text(60'000, 'x');
  InputText input = pipe_with(text);
  EXPECT_EQ(input.beginning()->size(), text.size());
  EXPECT_EQ(*input.whole(), text);
}

TEST(InputText, WhatCannotBeReadSaysWhy) {
  EXPECT_THAT(InputText::open("/no/such").error().text, testing::HasSubstr("cannot read /no/such"));
  auto folder = InputText::open("/");
  ASSERT_TRUE(folder.ok());
  EXPECT_THAT(folder->beginning().error().text, testing::HasSubstr("cannot read /: is a directory"));
}

}  // namespace
}  // namespace maxlat::importing
