// SPDX-License-Identifier: MIT
//
// What concerns the process and the conversation with it: who it is, which events it has, which requests it answers.
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "session/control_lock.hpp"
#include "session/control_table.hpp"
#include "session/events.hpp"

namespace maxlat::trace::detail {
namespace {

std::string type_of(const Field& field) {
  const std::string bits = std::to_string(8 * field.bytes);
  const bool floating = field.is_float || field.kind == FieldKind::floating;
  const bool enumeration = field.kind == FieldKind::enumeration;
  const std::string shown_as = field.is_hex ? "hex:" : enumeration ? "enum:" : "";
  const std::string element = shown_as + (floating ? "float" : field.is_signed ? "int" : "uint") + bits;
  const std::string count = std::to_string(field.count);
  switch (field.kind) {
    case FieldKind::array:
      return element + "[" + count + "]";
    case FieldKind::sequence:
      return element + "[0.." + count + "]";
    case FieldKind::string:
      return "string[0.." + count + "]";
    case FieldKind::integer:
    case FieldKind::floating:
    case FieldKind::enumeration:
      break;
  }
  return element;
}

ControlAnswer hello(ControlWords) {
  return control_ok("maxlat-trace 1\npid " + std::to_string(getpid()) + "\nprocess " + program_invocation_short_name +
                    "\nthread-of-control " + std::to_string(syscall(SYS_gettid)) + "\n");
}

// Events of one name in several modules are one event to whoever asks.
ControlAnswer list(ControlWords) {
  const ControlLock lock;
  std::string lines;
  std::set<std::string> seen;
  for (const Event* event = first_event(); event != nullptr; event = event->next) {
    const std::string name = full_name(*event->description);
    if (!seen.insert(name).second) continue;
    lines +=
        "event " + name + " " + std::string(kLevelNames[static_cast<std::size_t>(event->description->level)]) + "\n";
    for (const Field& field : event->description->fields) {
      lines += "field " + std::string(field.name) + " " + type_of(field) + "\n";
    }
  }
  return control_ok(std::move(lines));
}

ControlAnswer resume(ControlWords) {
  ControlAnswer yes = control_ok();
  yes.resume = true;
  return yes;
}

ControlAnswer next(ControlWords) {
  ControlAnswer yes = control_ok();
  yes.rest = true;
  return yes;
}

ControlAnswer help(ControlWords) {
  std::string lines;
  for (const ControlCommand* command : control_commands()) {
    lines += "request " + std::string(command->usage) + "\n";
    std::string_view rest = command->told;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      lines += "told " + std::string(rest.substr(0, end)) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return control_ok(std::move(lines));
}

}  // namespace

extern constinit const ControlCommand kHelloCommand{
    "hello", "maxlat-trace 1 / pid N / process NAME / thread-of-control TID", hello};
extern constinit const ControlCommand kListCommand{
    "list",
    "one line an event: \"event PROVIDER:NAME LEVEL\", then \"field NAME TYPE\" lines;\n"
    "TYPE: int32, uint8, float64, hex:uint64 (in base 16), enum:uint8 (with labels),\n"
    "uint8[3], uint8[0..64], string[0..64]",
    list};
extern constinit const ControlCommand kResumeCommand{"resume", "main() of a program that called begins", resume};
extern constinit const ControlCommand kNextCommand{"next", "the rest of a reply that ended with \"more\"", next};
extern constinit const ControlCommand kHelpCommand{"help", "\"request USAGE\", then \"told TEXT\" lines: these", help};

}  // namespace maxlat::trace::detail
