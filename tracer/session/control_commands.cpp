// SPDX-License-Identifier: MIT
#include "session/control_commands.hpp"

#include <algorithm>
#include <vector>

#include "session/control_table.hpp"

namespace maxlat::trace {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r\n");
    if (begin == line.npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t\r\n"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// Of a usage: those in brackets may be missing.
bool allows(std::string_view usage, std::size_t words) {
  const std::vector<std::string_view> most = words_of(usage);
  const auto optional = std::count_if(most.begin(), most.end(), [](std::string_view word) { return word[0] == '['; });
  return words <= most.size() && words + static_cast<std::size_t>(optional) >= most.size();
}

}  // namespace

ControlAnswer control_ok(std::string lines) {
  return {"ok\n" + std::move(lines)};
}

ControlAnswer control_error(const base::Error& error) {
  return {"error " + error.text + (error.hint.empty() ? "" : " (" + error.hint + ")") + "\n"};
}

ControlAnswer control_answer(const base::Status& status) {
  return status ? control_ok() : control_error(status.error());
}

ControlAnswer detail::answer(std::string_view request) {
  const std::vector<std::string_view> words = words_of(request);
  if (words.empty()) return control_error({"an empty request"});
  const ControlCommand* command = find_control_command(words[0]);
  if (command == nullptr) return control_error({"no such request: " + std::string(words[0].substr(0, 40))});
  if (!allows(command->usage, words.size())) return control_error({std::string(words[0]) + ": wrong number of words"});
  return command->answer(words);
}

}  // namespace maxlat::trace
