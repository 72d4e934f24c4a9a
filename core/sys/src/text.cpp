// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::core {
namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// What begins with these two bytes is no overlong form, no surrogate and not beyond the last character.
bool may_begin(unsigned char first, unsigned char second) {
  if (first == 0xe0) return second >= 0xa0;
  if (first == 0xed) return second < 0xa0;
  if (first == 0xf0) return second >= 0x90;
  return first != 0xf4 || second < 0x90;
}

// U+0080 to U+009F, which some terminals obey as they do ESC and a letter.
bool is_c1(std::string_view letter) {
  return letter.size() == 2 && letter[0] == '\xc2' && static_cast<unsigned char>(letter[1]) < 0xa0;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || text.size() < length || !may_begin(first, static_cast<unsigned char>(text[1]))) return 0;
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), continues) ? length : 0;
}

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string cut_to(std::string_view text, std::size_t width) {
  if (shown_width(text) <= width) return std::string(text);
  const std::size_t kept = width > 2 ? width - 2 : 0;
  std::size_t end = 0;
  for (std::size_t shown = 0; end < text.size(); ++end) {
    if (!continues(text[end]) && shown++ == kept) break;
  }
  return std::string(text.substr(0, end)) + std::string(std::min<std::size_t>(2, width), '.');
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const bool acts = length == 1 ? static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7f
                                  : length == 0 || is_c1(text.substr(0, length));
    out += acts ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view first, std::string_view indent) {
  constexpr std::string_view kWhite = " \t\r\n";
  std::string lines, line(first);
  bool fresh = true;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(kWhite, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kWhite, begin), text.size());
    const std::string word = printable(text.substr(begin, end - begin));
    if (!fresh && shown_width(line) + 1 + shown_width(word) > width) {
      lines += line + "\n";
      line = indent;
      fresh = true;
    }
    if (!fresh) line += ' ';
    line += word;
    fresh = false;
    begin = end;
  }
  return lines + line + "\n";
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view first) {
  return wrapped(text, width, first, std::string(shown_width(first), ' '));
}

std::string list_line(std::string_view name, std::string_view what, std::size_t width) {
  const std::size_t shown = shown_width(name);
  return std::string(name) + std::string(shown < width ? width - shown : 1, ' ') + std::string(what) + "\n";
}

}  // namespace maxlat::core
