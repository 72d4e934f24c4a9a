// SPDX-License-Identifier: MIT
#include "thread_name_text.hpp"

#include "read/escape.hpp"

namespace maxlat::trace_tools {
namespace {

constexpr std::size_t kLongest = 15;  // the kernel cuts names there, the program's own, too

std::string quoted(const trace::ThreadName& name) {
  return '"' + c_escaped(name.text) + '"';
}

bool is_the_programs(const trace::TraceStream& stream, const trace::ThreadName& name) {
  return name.text == std::string_view(stream.process->name).substr(0, kLongest);
}

}  // namespace

std::string name_in_text(const trace::TraceStream& stream, const trace::ThreadName& name) {
  return is_the_programs(stream, name) ? "" : ' ' + quoted(name);
}

std::string names_in_text(const trace::TraceStream& stream) {
  constexpr std::size_t kMostShown = 4;
  const auto& names = stream.names;
  if (names.empty() || (names.size() == 1 && is_the_programs(stream, names[0]))) return "";
  std::string text = ' ' + quoted(names[0]);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names.size() > kMostShown && i + 1 < names.size()) {
      if (i == 1) text += " -> ...";
    } else {
      text += " -> " + quoted(names[i]);
    }
  }
  return text;
}

std::string names_json(const trace::TraceStream& stream) {
  std::string json = "[";
  for (const trace::ThreadName& name : stream.names) {
    json += (json.size() > 1 ? ",\"" : "\"") + json_escaped(name.text) + '"';
  }
  return json + ']';
}

}  // namespace maxlat::trace_tools
