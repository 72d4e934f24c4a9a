// SPDX-License-Identifier: MIT
#include "session/control_table.hpp"

#include <algorithm>
#include <atomic>

namespace maxlat::trace {
namespace detail {

// Each is a ControlCommand in a file of session/commands/, those that belong together in one, and has its row here.
#define MAXLAT_CONTROL_COMMANDS(ROW) \
  ROW(kHelloCommand)                 \
  ROW(kListCommand)                  \
  ROW(kCreateCommand)                \
  ROW(kChannelCommand)               \
  ROW(kEnableCommand)                \
  ROW(kDisableCommand)               \
  ROW(kStartCommand)                 \
  ROW(kAttachCommand)                \
  ROW(kStopCommand)                  \
  ROW(kDestroyCommand)               \
  ROW(kStatusCommand)                \
  ROW(kSnapshotCommand)              \
  ROW(kResumeCommand)                \
  ROW(kNextCommand)                  \
  ROW(kHelpCommand)

#define MAXLAT_DECLARE(command) extern const ControlCommand command;
#define MAXLAT_ADDRESS(command) &command,
MAXLAT_CONTROL_COMMANDS(MAXLAT_DECLARE)

namespace {

constexpr const ControlCommand* kOwn[] = {MAXLAT_CONTROL_COMMANDS(MAXLAT_ADDRESS)};

#undef MAXLAT_DECLARE
#undef MAXLAT_ADDRESS
#undef MAXLAT_CONTROL_COMMANDS

// What was added: a list that only grows, at its front. No lock: a fork() may come at any time, and a command is looked
// for while another thread is in the middle of a control call.
struct Added {
  const ControlCommand* command;
  const Added* before;
};
constinit std::atomic<const Added*> last_added{nullptr};

const Added* added() {
  return last_added.load(std::memory_order_acquire);  // acquire [K6]: add_control_command()
}

const ControlCommand* find(std::string_view name, const Added* among) {
  for (const ControlCommand* own : kOwn) {
    if (own->name() == name) return own;
  }
  for (; among != nullptr; among = among->before) {
    if (among->command->name() == name) return among->command;
  }
  return nullptr;
}

}  // namespace

const ControlCommand* find_control_command(std::string_view name) {
  return find(name, added());
}

std::vector<const ControlCommand*> control_commands() {
  std::vector<const ControlCommand*> all(std::begin(kOwn), std::end(kOwn));
  for (const Added* each = added(); each != nullptr; each = each->before) all.push_back(each->command);
  std::reverse(all.begin() + std::size(kOwn), all.end());
  return all;
}

}  // namespace detail

base::Status add_control_command(const ControlCommand& command) {
  if (command.name().empty()) return base::Error{"a control command without a name"};
  auto* mine = new detail::Added{&command, detail::added()};
  do {
    if (detail::find(command.name(), mine->before) != nullptr) {
      delete mine;
      return base::Error{"there is a control command " + std::string(command.name())};
    }
    // release [K6]: the list's new front before its address; the failed exchange acquires what was added meanwhile.
    // Partner: added(). Shape: publish.
  } while (!detail::last_added.compare_exchange_weak(mine->before, mine, std::memory_order_release,
                                                     std::memory_order_acquire));
  return {};
}

}  // namespace maxlat::trace
