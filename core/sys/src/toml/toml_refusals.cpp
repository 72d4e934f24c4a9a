// SPDX-License-Identifier: MIT
// refuse_what_breaks_toml(): the text is read as toml++ does, up to the first place that TOML has nothing for. There
// toml++ must have stopped, too: what it takes for a blank or for a text in quotes must be so for us.
#include <algorithm>
#include <maxlat/core/sys/toml_reader.hpp>
#include <vector>

namespace maxlat::core {
namespace {

constexpr std::string_view kBlanksAndBreaks = " \t\v\f\r\n";

class TomlScan {
 public:
  explicit TomlScan(std::string_view text) : text_(text) {}

  void run() {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    while (at_ < text_.size()) take();
  }

 private:
  [[noreturn]] void refuse_at(size_t at, const char* why) const {
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    throw TomlMistake{{static_cast<toml::source_index>(line), 1}, why};
  }

  bool is_ascii(size_t at) const { return at >= text_.size() || static_cast<unsigned char>(text_[at]) < 0x80; }

  void take() {
    const char each = text_[at_];
    if (each == '"' || each == '\'') return take_quoted(each);
    if (each == '#') return take_comment();
    if (!is_ascii(at_)) refuse_at(at_, "a letter that is not ASCII, outside quotes");
    if (each == '\n')
      begin(is_value_ && !open_.empty());
    else if (each == '=')
      take_equals();
    else if (each == '[' || each == '{')
      take_opening(each);
    else if (each == ']' || each == '}')
      take_closing();
    else if (each == ',')
      begin(!open_.empty() && open_.back() == '[');
    else if (each == '.' && !is_value_)
      take_dot();
    else
      in_word_ = kBlanksAndBreaks.find(each) == kBlanksAndBreaks.npos;
    ++at_;
  }

  // A key or a value begins here, or in a while.
  void begin(bool is_value) {
    is_value_ = is_value;
    in_word_ = false;
    names_ = 1;
  }

  void take_equals() {
    if (is_value_) refuse_at(at_, "a second \"=\"");
    begin(true);
  }

  void take_opening(char bracket) {
    if (is_value_ && in_word_) refuse_at(at_, "a bracket in a word");
    if (is_value_) open_.push_back(bracket);
    begin(is_value_ && bracket == '[');
  }

  void take_closing() {
    const bool closes_value = !open_.empty();
    if (closes_value) open_.pop_back();
    begin(closes_value);
  }

  void take_dot() {
    constexpr int kMostNames = 64;
    if (++names_ > kMostNames) refuse_at(at_, "more than 64 names in a key");
    in_word_ = false;
  }

  void take_comment() {
    at_ = std::min(text_.find('\n', at_), text_.size());
    in_word_ = false;
  }

  // To behind the text in quotes that begins here: of one line, or of several between three quotes. Without its end, to
  // the end of the line or of all.
  void take_quoted(char quote) {
    if (in_word_) refuse_at(at_, "a quote in a word");
    const std::string three(3, quote);
    const bool of_lines = text_.substr(at_, 3) == three;
    in_word_ = true;
    for (at_ += of_lines ? 3 : 1; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        take_backslash(of_lines);
      } else if (of_lines && text_.substr(at_, 3) == three) {
        const std::string_view end = text_.substr(at_, 5);  // two more may belong to the text
        at_ += std::min(end.find_first_not_of(quote), end.size());
        return;
      } else if (!of_lines && (text_[at_] == quote || text_[at_] == '\n')) {
        at_ += text_[at_] == quote;
        return;
      }
    }
  }

  // One that ends a line takes the blanks and line breaks that follow with it.
  void take_backslash(bool of_lines) {
    ++at_;
    const size_t next = of_lines ? std::min(text_.find_first_not_of(kBlanksAndBreaks, at_), text_.size()) : at_;
    if (!is_ascii(next)) refuse_at(next, "a letter that is not ASCII, behind a backslash");
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<char> open_;  // brackets of values
  bool is_value_ = false;   // what begins here is one; else a key, or a table's header
  bool in_word_ = false;    // there is no blank, and nothing that divides, in front of this place
  int names_ = 1;           // of the key
};

}  // namespace

void refuse_what_breaks_toml(std::string_view text) {
  TomlScan(text).run();
}

}  // namespace maxlat::core
