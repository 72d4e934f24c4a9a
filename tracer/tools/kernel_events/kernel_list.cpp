// SPDX-License-Identifier: MIT
#include "kernel_list.hpp"

#include <fmt/format.h>

#include <maxlat/core/sys/tell.hpp>

#include "wanted_events.hpp"

namespace maxlat::trace_tools {
namespace {

using trace::KernelFieldKind;

// As the list of a program's events has them.
std::string shown(std::string_view name, KernelFieldKind kind, unsigned bytes) {
  switch (kind) {
    case KernelFieldKind::number:
      return fmt::format(" {} int{}", name, 8 * bytes);
    case KernelFieldKind::cardinal:
      return fmt::format(" {} uint{}", name, 8 * bytes);
    case KernelFieldKind::address:
      return fmt::format(" {} hex:uint{}", name, 8 * bytes);
    case KernelFieldKind::text:
      break;
  }
  return fmt::format(" {} string[0..{}]", name, bytes);
}

void print_event(std::string_view group, std::string_view name, const std::string& fields) {
  fmt::print("  {:<40}{}\n", fmt::format("{}:{}", group, name), fields);
}

void print_raw(const trace::KernelRawEvent& event) {
  std::string fields;
  if (event.kind == trace::KernelRawEvent::Kind::function) fields = shown("caller", KernelFieldKind::address, 8);
  for (const auto& argument : event.arguments) fields += shown(argument.name, argument.kind, argument.bytes);
  print_event(event.group, event.name, fields);
}

}  // namespace

core::Status list_kernel_events(const std::vector<std::string>& patterns) {
  const auto session = trace::KernelSession::open();
  if (!session)
    core::tell("maxlat trace list: {}: some of the events may be missing in this kernel\n", session.error().text);
  const auto wanted = wanted_kernel_events(patterns, session ? session->capabilities().events : UINT64_MAX);
  if (!wanted) return wanted.error();
  for (const trace::KernelEventType& type : trace::kernel_event_types()) {
    if ((wanted->table & type.bit()) == 0) continue;
    std::string fields;
    for (const trace::KernelField& field : type.fields) fields += shown(field.name, field.kind, field.bytes);
    print_event(type.group, type.name, fields);
  }
  for (const trace::KernelRawEvent& event : wanted->raw) print_raw(event);
  for (const std::string& note : wanted->notes) core::tell("maxlat trace list: {}\n", note);
  if (!wanted->left_out.empty()) core::tell("maxlat trace list: not recorded: {}\n", wanted->left_out);
  return {};
}

}  // namespace maxlat::trace_tools
