// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <maxlat/core/sys/open_metrics.hpp>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::core {
namespace {

const char* name_of(OpenMetrics::Type type) {
  using Type = OpenMetrics::Type;
  switch (type) {
    case Type::gauge:
      return "gauge";
    case Type::counter:
      return "counter";
    case Type::histogram:
      return "histogram";
    case Type::info:
      return "info";
    case Type::stateset:
      return "stateset";
  }
  return "unknown";
}

std::string legal_name(std::string_view name) {
  std::string legal(name);
  std::replace_if(
      legal.begin(), legal.end(), [](unsigned char c) { return c >= 0x80 || (std::isalnum(c) == 0 && c != '_'); }, '_');
  if (legal.empty() || std::isdigit(static_cast<unsigned char>(legal[0])) != 0) legal.insert(legal.begin(), '_');
  return legal;
}

// What is HELP in the older format knows no quote behind a backslash.
std::string escaped(std::string_view text, std::string_view behind_backslash = "\"\\") {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0)
      out += "\xef\xbf\xbd";  // U+FFFD, as in a result
    else if (text[0] == '\n')
      out += "\\n";
    else if (behind_backslash.find(text[0]) != behind_backslash.npos)
      (out += '\\') += text[0];
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

}  // namespace

void OpenMetrics::family(std::string_view name, Type type, std::string_view unit, std::string_view help) {
  name_ = legal_name(name);
  if (format_ == Format::prometheus) {
    const bool is_known = type == Type::gauge || type == Type::counter || type == Type::histogram;
    const std::string whole = name_ + (type == Type::counter ? "_total" : type == Type::info ? "_info" : "");
    text_ += fmt::format("# HELP {} {}\n", whole, escaped(help, "\\"));
    text_ += fmt::format("# TYPE {} {}\n", whole, name_of(is_known ? type : Type::gauge));
    return;
  }
  text_ += fmt::format("# TYPE {} {}\n", name_, name_of(type));
  if (!unit.empty()) text_ += fmt::format("# UNIT {} {}\n", name_, unit);
  text_ += fmt::format("# HELP {} {}\n", name_, escaped(help));
}

void OpenMetrics::sample(std::string_view suffix, const Labels& labels, double value) {
  text_ += name_;
  text_ += suffix;
  char separator = '{';
  for (const auto& [label, text] : labels) {
    text_ += fmt::format("{}{}=\"{}\"", separator, legal_name(label), escaped(text));
    separator = ',';
  }
  if (!labels.empty()) text_ += '}';
  text_ += fmt::format(" {}\n", number(value));
}

}  // namespace maxlat::core
