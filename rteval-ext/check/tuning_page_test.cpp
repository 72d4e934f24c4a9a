// SPDX-License-Identifier: MIT
//
// docs/tuning.md has each setting of the table, in tables that are made of its rows. A failure prints what is missing.
#include <gmock/gmock.h>

#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <set>
#include <string>

namespace maxlat::rteval_ext {
namespace {

std::string replaced(std::string text, std::string_view blank, std::string_view by) {
  for (size_t at = 0; (at = text.find(blank, at)) != std::string::npos; at += by.size())
    text.replace(at, blank.size(), by);
  return text;
}

// The blanks of a row, as one reads them, and what a table of Markdown takes for its own.
std::string readable(std::string_view text) {
  std::string full(text);
  for (const auto& [blank, name] :
       {std::pair("{cpus}", "CPUS"), std::pair("{others}", "OTHERS"), std::pair("{others:mask}", "MASK OF OTHERS"),
        std::pair("{cpu}", "N"), std::pair("|", "\\|")})
    full = replaced(full, blank, name);
  return full;
}

std::string files_of(const core::Setting& setting) {
  std::string files;
  for (const core::SettingWrite& write : setting.set)
    files += (files.empty() ? ": " : ", ") + ("`" + readable(write.value) + "` in `" + readable(write.path) + "`");
  if (!setting.where.empty()) files += (files.empty() ? ": " : ", ") + readable(setting.where);
  return files;
}

std::string how(const core::Setting& setting) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  const bool by_shield = !setting.only_when_asked && (!setting.set.empty() || setting.set_here != nullptr);
  if (by_shield || !setting.set.empty() || !setting.where.empty())
    add((by_shield ? "**shield on**" : "by hand") + files_of(setting));
  if (!setting.boot.empty())
    add((setting.only_when_asked ? "at boot: `" : "**shield boot**: `") + readable(setting.boot) + "`");
  // What a person is told where no file is named has to be a whole sentence.
  const std::string_view words = text.empty() && !setting.elsewhere.empty() ? setting.elsewhere : setting.fix;
  if (!words.empty()) add(readable(words));
  return text;
}

std::string table_of(std::string_view group) {
  std::string table = "| setting | right | what goes wrong otherwise | how |\n|---|---|---|---|\n";
  for (const core::Setting& setting : core::settings())
    if (setting.group == group)
      table += "| " + std::string(setting.name) + " | " +
               (setting.expected.empty() ? "for information" : readable(setting.expected)) + " | " +
               readable(setting.why) + " | " + how(setting) + " |\n";
  return table;
}

TEST(TuningPage, HasATableOfEachGroupOfSettings) {
  const std::string page = core::read_file(MAXLAT_DOCS "/tuning.md").value_or("");
  std::set<std::string_view> groups;
  for (const core::Setting& setting : core::settings()) groups.insert(setting.group);
  EXPECT_GT(groups.size(), 5u);
  for (const std::string_view group : groups)
    EXPECT_TRUE(page.find("\n" + table_of(group)) != std::string::npos) << "docs/tuning.md has not this table:\n\n"
                                                                        << table_of(group);
}

// A defect: the rows of turbo, of interrupts and of idle states named no file.
TEST(TuningPage, EachSettingThatIsWrittenNamesItsFiles) {
  for (const core::Setting& setting : core::settings())
    if (setting.set_here != nullptr) {
      EXPECT_THAT(files_of(setting), testing::HasSubstr("` in `/")) << setting.name;
    }
}

}  // namespace
}  // namespace maxlat::rteval_ext
