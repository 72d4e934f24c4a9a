// SPDX-License-Identifier: MIT
// What knows libbabeltrace2, in a program without it.
#include "foreign_trace.hpp"

namespace maxlat::trace_tools {

bool can_read_foreign() {
  return false;
}
bool any_foreign_readable(const std::vector<std::string>&) {
  return false;
}
std::vector<trace::TraceBreak> read_foreign(const std::vector<std::string>&, const ForeignSink&) {
  return {};
}
void write_foreign_fields(OutputBuffer&, const bt_event*, bool) {}
std::optional<std::int64_t> foreign_number(const bt_event*, const char*) {
  return {};
}
std::optional<std::int64_t> foreign_field_number(const bt_event*, const char*) {
  return {};
}
std::optional<std::string> foreign_field_text(const bt_event*, const char*) {
  return {};
}

}  // namespace maxlat::trace_tools
