// SPDX-License-Identifier: MIT
#include "svg_clean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>

#include "page/html.hpp"

namespace maxlat::reports {
namespace {

using Tree = boost::property_tree::ptree;
constexpr const char* kAttributes = "<xmlattr>";
constexpr const char* kText = "<xmltext>";

bool is_element(const std::string& name) {
  return !name.empty() && name.front() != '<';
}

Tree* attributes_of(Tree& element) {
  const auto found = element.find(kAttributes);
  return found == element.not_found() ? nullptr : &found->second;
}

// The id that an attribute refers to: href="#x" or anything="url(#x)".
std::optional<std::string> referred(const std::string& name, const std::string& value) {
  if (name == "xlink:href" && value.starts_with('#')) return value.substr(1);
  if (value.starts_with("url(#") && value.ends_with(')')) return value.substr(5, value.size() - 6);
  return std::nullopt;
}

void collect_references(const Tree& element, std::set<std::string>& ids) {
  for (const auto& [name, child] : element) {
    if (name == kAttributes) {
      for (const auto& [attribute, value] : child) {
        if (const auto id = referred(attribute, value.data())) ids.insert(*id);
      }
    } else if (is_element(name)) {
      collect_references(child, ids);
    }
  }
}

// Leaves in <defs> what is referred to, directly or by what is left.
void prune_definitions(Tree& canvas, Tree& definitions) {
  std::set<std::string> wanted;
  for (const auto& [name, child] : canvas) {
    if (is_element(name) && name != "defs") collect_references(child, wanted);
  }
  for (size_t before = 0; before != wanted.size();) {
    before = wanted.size();
    for (const auto& [name, child] : definitions) {
      if (is_element(name) && wanted.count(child.get("<xmlattr>.id", "")) != 0) collect_references(child, wanted);
    }
  }
  for (auto child = definitions.begin(); child != definitions.end();) {
    const bool keep = is_element(child->first) && wanted.count(child->second.get("<xmlattr>.id", "")) != 0;
    child = keep ? std::next(child) : definitions.erase(child);
  }
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\n") == std::string::npos;
}

// Removes the space between elements, and groups, definitions and texts with nothing in them.
// RETURNS: whether the element itself is empty.
bool prune_empty(Tree& element) {
  bool empty = true;
  for (auto child = element.begin(); child != element.end();) {
    const std::string& name = child->first;
    const bool removable = name == "g" || name == "defs" || name == "text";
    const bool blank = name == kText && is_blank(child->second.data());
    if (blank || (is_element(name) && prune_empty(child->second) && removable)) {
      child = element.erase(child);
      continue;
    }
    if ((is_element(name) && name != "title") || name == kText) empty = false;
    ++child;
  }
  return empty;
}

// "rgb( 18,  52,  86)" or "#123456" as "#123456".
std::string hex_colour(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c != ' ') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  unsigned r = 0, g = 0, b = 0;
  if (std::sscanf(text.c_str(), "rgb(%u,%u,%u)", &r, &g, &b) == 3) return fmt::format("#{:02x}{:02x}{:02x}", r, g, b);
  return text;
}

std::string page_colour(const std::string& value) {
  const std::string colour = hex_colour(value);
  if (colour == "black") return "currentColor";
  if (colour == kGridColour) return fmt::format("var(--grid,{})", colour);
  if (colour == kMarkColour) return fmt::format("var(--mark,{})", colour);
  for (size_t i = 0; i < std::size(kPalette); ++i) {
    if (colour == kPalette[i]) return fmt::format("var(--s{},{})", i, colour);
  }
  return value;
}

struct Context {
  std::string_view id;
  const Plot& plot;
};

std::string cleaned_value(const Context& context, const std::string& name, const std::string& value) {
  if (name == "id") return fmt::format("{}-{}", context.id, value);
  if (const auto id = referred(name, value)) {
    return fmt::format(fmt::runtime(name == "xlink:href" ? "#{}-{}" : "url(#{}-{})"), context.id, *id);
  }
  if (name == "stroke" || name == "fill" || name == "color") return page_colour(value);
  return value;
}

bool dropped(const std::string& element, const std::string& name, const std::string& value) {
  if (name == "font-family") return true;
  // Groups carry the colour of the pen before last; what is drawn inside names its own.
  return element == "g" && name == "color" && (value == "black" || value == "white" || value == "#FFFFFF");
}

// "p3_plot_2" -> the second series.
const Series* series_of(const Context& context, const std::string& group) {
  const std::string prefix = std::string(context.id) + "_plot_";
  if (!group.starts_with(prefix)) return nullptr;
  const size_t number = static_cast<size_t>(std::strtoul(group.c_str() + prefix.size(), nullptr, 10));
  return number >= 1 && number <= context.plot.series.size() ? &context.plot.series[number - 1] : nullptr;
}

// By hand, and not by pugixml: all but the brackets is a rule of ours (what is dropped, renamed, put in), and every
// build would need one more library for them. The parsing is Boost's.
void serialise(const Context& context, const std::string& name, Tree& element, std::string& out) {
  out += '<' + name;
  const Series* series = nullptr;
  if (Tree* attributes = attributes_of(element)) {
    for (const auto& [attribute, value] : *attributes) {
      if (attribute == "id" && name == "g") series = series_of(context, value.data());
      if (dropped(name, attribute, value.data())) continue;
      const std::string as = attribute == "xlink:href" ? "href" : attribute;
      out += fmt::format(" {}=\"{}\"", as, escape_html(cleaned_value(context, attribute, value.data())));
    }
  }
  if (series != nullptr) out += fmt::format(" class=\"series\" data-series=\"{}\"", escape_html(series->name));
  out += '>';
  if (series != nullptr) out += fmt::format("<title>{}</title>", escape_html(series->name));
  for (auto& [child_name, child] : element) {
    if (child_name == kText)
      out += escape_html(child.data());
    else if (is_element(child_name) && !(series != nullptr && child_name == "title"))
      serialise(context, child_name, child, out);
  }
  out += fmt::format("</{}>", name);
}

// "log 10 1e+06 ns": for the page's script, which turns places back into values.
std::string axis_words(const Axis& axis) {
  return fmt::format("{} {:.9g} {:.9g} {}", axis.logarithmic ? "log" : "lin", axis.low, axis.high, axis.unit);
}

std::string opening(const Context& context, const std::string& view_box) {
  const Plot& plot = context.plot;
  return fmt::format(
      "<svg class=\"plot\" id=\"{0}\" data-kind=\"{1}\" viewBox=\"{2}\" role=\"img\" "
      "aria-labelledby=\"{0}-title {0}-desc\" data-x=\"{5}\" data-y=\"{6}\">"
      "<title id=\"{0}-title\">{3}</title><desc id=\"{0}-desc\">{4}</desc>",
      context.id, escape_html(plot.kind), escape_html(view_box), escape_html(plot.title), escape_html(plot.description),
      escape_html(axis_words(plot.x)), escape_html(axis_words(plot.y)));
}

}  // namespace

core::Result<std::string> clean_svg(const std::string& svg, std::string_view id, const Plot& plot) {
  namespace xml = boost::property_tree::xml_parser;
  Tree document;
  try {
    std::istringstream in(svg);
    xml::read_xml(in, document, xml::no_concat_text | xml::no_comments);
  } catch (const boost::property_tree::ptree_error& error) {
    return core::Error{fmt::format("gnuplot's drawing of \"{}\" is not well-formed: {}", plot.title, error.what())};
  }
  const auto root = document.find("svg");
  if (root == document.not_found())
    return core::Error{fmt::format("gnuplot's drawing of \"{}\" has no <svg>", plot.title)};

  const Context context{id, plot};
  std::string out = opening(context, root->second.get("<xmlattr>.viewBox", ""));
  for (auto& [name, child] : root->second) {
    if (name != "g") continue;
    if (const auto definitions = child.find("defs"); definitions != child.not_found())
      prune_definitions(child, definitions->second);
    prune_empty(child);
    serialise(context, name, child, out);
  }
  return out + "</svg>";
}

}  // namespace maxlat::reports
