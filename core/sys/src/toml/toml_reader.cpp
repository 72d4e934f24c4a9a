// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/toml_reader.hpp>

namespace maxlat::core {
Error error_in_file(const std::string& file, const toml::source_position& where, std::string_view text,
                    std::string_view hint) {
  // A quoted key may hold anything, a line break, too.
  return Error{fmt::format("{}:{}: {}", file, std::max<toml::source_index>(where.line, 1), printable(text)),
               std::string(hint)};
}

void refuse(const toml::node& node, std::string text) {
  throw TomlMistake{node.source().begin, std::move(text)};
}

std::string toml_text(const toml::node& node, std::string_view key) {
  if (const auto* text = node.as_string()) return text->get();
  refuse(node, fmt::format("'{}' must be a text in quotes", key));
}

std::string toml_line(const toml::node& node, std::string_view key) {
  std::string text = toml_text(node, key);
  const bool control = std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (control) refuse(node, fmt::format("'{}' must be one line of text", key));
  return text;
}

std::vector<std::string> toml_texts(const toml::node& node, std::string_view key) {
  const toml::array* array = node.as_array();
  if (array == nullptr) refuse(node, fmt::format("'{}' must be a list of texts", key));
  std::vector<std::string> texts;
  for (const toml::node& element : *array) texts.push_back(toml_text(element, key));
  return texts;
}

uint64_t toml_time_ns(const toml::node& node, std::string_view key) {
  const Result<uint64_t> ns = parse_duration_ns(toml_text(node, key), kUnitNeeded);
  if (!ns) refuse(node, fmt::format("'{}': {}; {}", key, ns.error().text, ns.error().hint));
  return *ns;
}

const toml::table& toml_table(const toml::node& node, std::string_view key) {
  if (const toml::table* table = node.as_table()) return *table;
  refuse(node, fmt::format("'{}' must be a table", key));
}

std::vector<TomlEntry> toml_in_order(const toml::table& table) {
  std::vector<const toml::node*> nodes;
  for (const auto& [key, value] : table) nodes.push_back(&value);
  std::sort(nodes.begin(), nodes.end(), [](const toml::node* a, const toml::node* b) {
    const auto &one = a->source().begin, &other = b->source().begin;
    return std::pair(one.line, one.column) < std::pair(other.line, other.column);
  });
  std::vector<TomlEntry> entries;
  for (const toml::node* node : nodes)
    for (const auto& [key, value] : table)
      if (&value == node) entries.push_back({std::string(key.str()), value});
  return entries;
}

void refuse_dotted_key(const toml::node& node, std::string_view key) {
  if (node.is_table() && key.starts_with('p'))
    refuse(node, fmt::format("a quantile with a dot needs quotes: \"{}.…\" = …", key));
}

}  // namespace maxlat::core
