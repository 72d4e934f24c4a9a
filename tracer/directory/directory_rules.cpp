// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <fstream>
#include <maxlat/sensors/directory.hpp>
#include <sstream>

namespace maxlat::sensors {
namespace {

std::optional<unsigned> number_in(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "name:x:number:..." in a file. Not by getpwnam(): a static program has no name services.
std::optional<unsigned> number_of(const std::string& name, const char* file) {
  if (const auto number = number_in(name)) return number;
  std::ifstream names(file);
  for (std::string line; std::getline(names, line);) {
    std::istringstream fields(line);
    std::string its_name, password, number;
    std::getline(fields, its_name, ':');
    std::getline(fields, password, ':');
    std::getline(fields, number, ':');
    if (its_name == name) return number_in(number);
  }
  return std::nullopt;
}

constexpr const char* kForm = "allow USER|@GROUP|* PROGRAM/GROUP, with * ? [] in each part";

base::Result<DirectoryRule> rule_of(const std::string& line) {
  std::istringstream words(line);
  std::string allow, who, extra;
  DirectoryRule rule;
  words >> allow >> who >> rule.pattern;
  if (allow != "allow" || rule.pattern.empty() || (words >> extra))
    return base::Error{"not a rule: \"" + line + "\"", kForm};
  if (rule.pattern == "*") rule.pattern = "*/*";
  if (std::count(rule.pattern.begin(), rule.pattern.end(), '/') != 1)
    return base::Error{"not PROGRAM/GROUP: \"" + rule.pattern + "\"", kForm};
  if (who == "*") return rule;
  const bool is_group = who.starts_with("@");
  auto& number = is_group ? rule.users : rule.user;
  number = is_group ? number_of(who.substr(1), "/etc/group") : number_of(who, "/etc/passwd");
  if (!number) return base::Error{"no such " + std::string(is_group ? "group" : "user") + ": " + who};
  return rule;
}

}  // namespace

base::Result<std::vector<DirectoryRule>> directory_rules(std::string_view text) {
  std::vector<DirectoryRule> rules;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(std::min(line.find('#'), line.size()));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto rule = rule_of(line);
    if (!rule) return base::Error{"line " + std::to_string(number) + ": " + rule.error().text, rule.error().hint};
    rules.push_back(std::move(*rule));
  }
  return rules;
}

}  // namespace maxlat::sensors
