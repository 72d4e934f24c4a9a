// SPDX-License-Identifier: MIT
#include "metrics/sensor_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {
namespace {

using core::OpenMetrics;
using Labels = OpenMetrics::Labels;

// Those that the format has for names, so that two names that become one are one family, and a family ends in its unit.
std::string letters_of(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c >= 0x80 || std::isalnum(c) == 0; }, '_');
  return text;
}

struct Unit {
  std::string name;
  double factor = 1;
};
// Of physics, with its prefix.
Unit si_unit(std::string_view unit) {
  constexpr std::pair<std::string_view, const char*> kBases[] = {
      {"V", "volts"}, {"A", "amperes"}, {"W", "watts"},    {"J", "joules"},  {"K", "kelvin"}, {"m", "meters"},
      {"g", "grams"}, {"Hz", "hertz"},  {"Pa", "pascals"}, {"N", "newtons"}, {"B", "bytes"}};
  constexpr std::pair<std::string_view, double> kPrefixes[] = {{"", 1},     {"n", 1e-9}, {"u", 1e-6}, {"µ", 1e-6},
                                                               {"m", 1e-3}, {"k", 1e3},  {"M", 1e6},  {"G", 1e9}};
  for (const auto& [letter, name] : kBases)
    for (const auto& [prefix, factor] : kPrefixes)
      if (unit.starts_with(prefix) && unit.substr(prefix.size()) == letter) return {name, factor};
  return {};
}
Unit base_unit(const std::string& unit) {
  if (const double ns = ns_of_unit(unit); ns != 0) return {"seconds", ns / 1e9};
  if (Unit si = si_unit(unit); !si.name.empty()) return si;
  if (const std::size_t slash = unit.find('/'); slash != std::string::npos && unit.find('/', slash + 1) == unit.npos) {
    const Unit over = base_unit(unit.substr(0, slash)), under = base_unit(unit.substr(slash + 1));
    const std::string one = under.name.ends_with('s') ? under.name.substr(0, under.name.size() - 1) : under.name;
    return {fmt::format("{}_per_{}", over.name, one), over.factor / under.factor};
  }
  return {letters_of(unit), 1};
}

// Samples that stand together.
struct Family {
  sensors::SensorKind kind{};
  bool posts = false;  // how often it was posted to
  std::vector<const ChosenSensor*> members{};
};
using Families = std::map<std::string, Family>;

// Under that name; two kinds of one name, in two programs, are two families.
void put(Families& families, std::string name, const ChosenSensor& sensor, bool posts) {
  const sensors::SensorKind kind = sensor.facts->kind;
  for (auto there = families.find(name);
       there != families.end() && (there->second.kind != kind || there->second.posts != posts);
       there = families.find(name))
    name = fmt::format("{}_{}", posts ? "posts" : sensors::word_of(kind), name);
  Family& family = families[name];
  family.kind = kind;
  family.posts = posts;
  family.members.push_back(&sensor);
}

Families families_of(const ChosenSensors& chosen) {
  Families families;
  for (const ChosenSensor& sensor : chosen.sensors) {
    const SensorShow& show = show_of(sensor.facts->kind);
    if (show.samples == nullptr) continue;
    const std::string name = letters_of(fmt::format("{}_{}", sensor.group->group(), sensor.facts->name));
    const std::string unit = base_unit(sensor.facts->unit).name;
    put(families, name + (unit.empty() ? "" : "_" + unit), sensor, false);
    if (show.posts_are_counted) put(families, name + "_posts", sensor, true);
  }
  return families;
}

}  // namespace

std::string metrics_of(const ChosenSensors& chosen, OpenMetrics::Format format) {
  OpenMetrics metrics(format);
  for (const auto& [name, family] : families_of(chosen)) {
    const ChosenSensor& first = *family.members.front();
    const SensorShow& show = show_of(family.kind);
    const std::string whole = fmt::format("{}/{}", first.group->group(), first.facts->name);
    const std::string about = first.facts->about.empty() ? "The sensor " + whole + "." : first.facts->about;
    const std::string unit = base_unit(first.facts->unit).name;
    if (family.posts)
      metrics.family(name, OpenMetrics::Type::counter, "", "How often there was a value of " + whole + ".");
    else
      metrics.family(name, show.samples_are, unit, about);
    for (const ChosenSensor* sensor : family.members) {
      const Labels labels{{"program", sensor->group->program()},
                          {"pid", std::to_string(sensor->group->pid())},
                          {"sensor", fmt::format("{}/{}", sensor->group->group(), sensor->facts->name)}};
      if (family.posts)
        metrics.sample("_total", labels, static_cast<double>(show.posts(sensor->value())));
      else
        show.samples(sensor->value(), {metrics, labels, base_unit(sensor->facts->unit).factor});
    }
  }
  return metrics.text();
}

}  // namespace maxlat::trace_tools
