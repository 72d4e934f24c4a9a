// SPDX-License-Identifier: MIT
#include "html.hpp"

#include <cstdint>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::reports {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

// Elements within a line: a line break after them would show as a space before the next comma.
bool is_inline(std::string_view name) {
  for (const std::string_view one : {"a", "code", "em", "small", "span", "strong"}) {
    if (name == one) return true;
  }
  return false;
}

bool forbidden_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x7f || (byte < 0x20 && c != '\n' && c != '\t');
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = core::utf8_length(text);
    if (length == 0 || forbidden_control(text.front())) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    if (const auto as = entity(text.front()); !as.empty())
      out += as;
    else
      out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

void Html::open(std::string_view name, Attributes attributes) {
  out_ += '<';
  out_ += name;
  for (const auto& [attribute, value] : attributes) {
    if (value.empty()) continue;
    out_ += ' ';
    out_ += attribute;
    out_ += "=\"";
    out_ += escape_html(value);
    out_ += '"';
  }
  out_ += '>';
}

void Html::close(std::string_view name) {
  out_ += "</";
  out_ += name;
  out_ += is_inline(name) ? ">" : ">\n";
}

Html::Element Html::element(std::string_view name, Attributes attributes) {
  open(name, attributes);
  return Element(*this, name);
}

void Html::leaf(std::string_view name, std::string_view text, Attributes attributes) {
  open(name, attributes);
  out_ += escape_html(text);
  close(name);
}

void Html::empty(std::string_view name, Attributes attributes) {
  open(name, attributes);
  out_ += '\n';
}

}  // namespace maxlat::reports
