// SPDX-License-Identifier: MIT
#include "formats/rt_tests_json.hpp"

#include <fmt/core.h>
#include <time.h>

#include <charconv>
#include <chrono>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <optional>
#include <sstream>

#include "reading/json_reading.hpp"

namespace maxlat::importing {
namespace {

using nlohmann::json;

constexpr int kFileVersion = 1;

std::string text_with_odd_key(const json& document, const std::string& key) {
  for (const std::string& spelling : {key + ":", key}) {
    if (const auto found = document.find(spelling); found != document.end() && found->is_string()) {
      return found->get<std::string>();
    }
  }
  return {};
}

// "Sat, 21 Nov 2026 12:01:38 +0000"; nothing when it is not that, or of a year that is too far away for nanoseconds.
std::optional<std::chrono::system_clock::time_point> time_of(const json& document, const char* key) {
  const auto found = document.find(key);
  if (found == document.end() || !found->is_string()) return std::nullopt;
  const auto text = found->get<std::string>();
  tm parts{};
  const char* rest = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S %z", &parts);
  constexpr int kFirstYear = 1970 - 1900, kLastYear = 2200 - 1900;
  if (rest == nullptr || *rest != 0 || parts.tm_year < kFirstYear || parts.tm_year > kLastYear) return std::nullopt;
  const long offset_s = parts.tm_gmtoff;  // timegm() sets it
  return std::chrono::system_clock::from_time_t(::timegm(&parts) - offset_s);
}

std::string kernel_of(const json& document) {
  const auto info = document.find("sysinfo");
  if (info == document.end() || !info->is_object()) return {};
  std::string kernel;
  for (const char* key : {"sysname", "release", "version", "machine"})
    if (const auto word = info->find(key); word != info->end() && word->is_string())
      kernel += (kernel.empty() ? "" : " ") + word->get<std::string>();
  return kernel;
}

// The program's name, without its path.
bool is_command_of(std::string_view command, std::string_view tool) {
  const std::string_view program = command.substr(0, command.find(' '));
  return program.substr(program.rfind('/') + 1) == tool;
}

}  // namespace

bool is_rt_tests_json(std::string_view beginning, std::string_view tool) {
  const size_t version = beginning.find("\"rt_test_version"), key = beginning.find("\"cmdline");
  if (version == beginning.npos || key == beginning.npos) return false;
  const std::string_view line = beginning.substr(key, beginning.find('\n', key) - key);
  const size_t value = line.find('"', line.find(": \"") + 2);
  return value != line.npos && is_command_of(line.substr(value + 1), tool);
}

RtTestsHead rt_tests_head(const json& document, std::string_view tool) {
  RtTestsHead head;
  head.version = text_with_odd_key(document, "rt_test_version");
  head.command = text_with_odd_key(document, "cmdline");
  if (!is_command_of(head.command, tool)) throw Mistake{fmt::format("it is not from {}", tool)};
  if (const auto version = document.find("file_version"); version != document.end() && *version != kFileVersion)
    throw Mistake{fmt::format("its file_version is {}, and this maxlat knows {}", version->dump(), kFileVersion)};
  if (const auto code = document.find("return_code"); code != document.end() && *code != 0)
    throw Mistake{fmt::format("{} ended with return code {}", tool, code->dump())};
  head.kernel = kernel_of(document);
  const auto started = time_of(document, "start_time"), ended = time_of(document, "end_time");
  if (started) head.started = core::utc_text(*started);
  if (ended) head.ended = core::utc_text(*ended);
  if (started && ended) head.duration_s = std::chrono::duration<double>(*ended - *started).count();
  return head;
}

const json& rt_tests_threads(const json& document) {
  const auto threads = document.find("thread");
  if (threads == document.end() || !threads->is_object() || threads->empty()) throw Mistake{"it has no thread"};
  for (const auto& [name, thread] : threads->items())
    if (!thread.is_object()) throw Mistake{fmt::format("thread {} is not an object", name)};
  if (const auto told = document.find("num_threads"); told != document.end() && *told != threads->size())
    throw Mistake{fmt::format("it tells of {} threads, and has {}", told->dump(), threads->size())};
  return *threads;
}

unsigned rt_tests_cpu(const json& thread, const std::string& who) {
  const uint64_t cpu = count_of(thread, "cpu", who);
  if (cpu > core::kLargestCpu) throw Mistake{fmt::format("{} is on CPU {}", who, cpu)};
  return static_cast<unsigned>(cpu);
}

void tell_of(const RtTestsHead& head, core::Phase& phase) {
  phase.command = head.command;
  phase.started = head.started;
  phase.duration_s = head.duration_s;
  if (!head.kernel.empty()) phase.facts["kernel"] = head.kernel;
}

std::optional<double> option_us(const std::string& command, char letter, std::string_view name) {
  std::istringstream words(command);
  std::string word, value;
  std::optional<double> last;
  while (words >> word) {
    if (word.starts_with(name))
      value = word.substr(name.size());
    else if (const size_t at = word.find(letter);
             word.size() > 1 && word[0] == '-' && word[1] != '-' && at != word.npos)
      value = word.substr(at + 1);
    else
      continue;
    if (value.starts_with('=')) value.erase(0, 1);
    if (value.empty()) words >> value;
    double given = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), given).ec == std::errc{} && given > 0) last = given;
  }
  return last;
}

}  // namespace maxlat::importing
