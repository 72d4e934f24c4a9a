// SPDX-License-Identifier: MIT
//
// Builds an HTML document: elements close when their guard goes out of scope, and every text and attribute is escaped.
// Only trusted() takes markup as it is, and only for what this room made itself (style sheet, cleaned plots).
//
//   Html html;
//   { const auto row = html.element("tr"); html.leaf("td", "50 µs", {{"class", "number"}}); }
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace maxlat::reports {

// &, <, >, and both quotes as entities. Control characters and bytes that are no UTF-8 become U+FFFD: results hold what
// the kernel, programs and users wrote.
std::string escape_html(std::string_view text);

class Html {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  class Element {
   public:
    ~Element() { html_.close(name_); }
    Element(const Element&) = delete;
    Element& operator=(const Element&) = delete;

   private:
    friend class Html;
    Element(Html& html, std::string_view name) : html_(html), name_(name) {}
    Html& html_;
    std::string name_;
  };

  // An attribute with an empty value is left out, so that a condition can be written in place.
  [[nodiscard]] Element element(std::string_view name, Attributes attributes = {});
  void leaf(std::string_view name, std::string_view text, Attributes attributes = {});  // <name>text</name>
  void empty(std::string_view name, Attributes attributes = {});                        // <meta …>: never closed
  void text(std::string_view text) { out_ += escape_html(text); }
  void trusted(std::string_view markup) { out_ += markup; }

  std::string take() { return std::move(out_); }

 private:
  void open(std::string_view name, Attributes attributes);
  void close(std::string_view name);
  std::string out_;
};

}  // namespace maxlat::reports
