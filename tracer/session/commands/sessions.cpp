// SPDX-License-Identifier: MIT
//
// What concerns whole sessions: their life, their books, and the way to their memory.
#include <array>

#include "session/commands/of_session.hpp"

namespace maxlat::trace::detail {
namespace {

constexpr std::array<std::string_view, 4> kStates = {"created", "running", "stopped", "destroyed"};

ControlAnswer create(ControlWords words) {
  const base::Result<Session> session = Session::create({.name = std::string(words[1])});
  return session ? control_ok() : control_error(session.error());
}

ControlAnswer status(ControlWords) {
  std::string lines;
  for (const SessionStatus& session : Session::all()) {
    lines += "session " + session.name + " " + std::string(kStates[static_cast<std::size_t>(session.state)]) + "\n";
    for (const ChannelStatus& channel : session.channels) {
      const Books& books = channel.books;
      lines += "channel " + channel.name + " produced " + std::to_string(books.produced()) + " recorded " +
               std::to_string(books.recorded) + " lost_full " + std::to_string(books.lost_full) + " lost_wrap " +
               std::to_string(books.lost_wrap) + " lost_big " + std::to_string(books.lost_big) + " lost_no_ring " +
               std::to_string(books.lost_no_ring) + " slots " + std::to_string(channel.slots_used) + "/" +
               std::to_string(channel.slots) + "\n";
    }
  }
  return control_ok(std::move(lines));
}

ControlAnswer attach(Session& session, ControlWords) {
  const base::Result<SessionDescriptors> descriptors = session.descriptors();
  if (!descriptors) return control_error(descriptors.error());
  ControlAnswer yes = control_ok();
  yes.descriptors.emplace_back(descriptors->memory);
  if (descriptors->wakeup >= 0) yes.descriptors.emplace_back(descriptors->wakeup);
  return yes;
}

ControlAnswer start(Session& session, ControlWords words) {
  const base::Status started = session.start();
  return started ? attach(session, words) : control_error(started.error());
}

ControlAnswer stop(Session& session, ControlWords) {
  return control_answer(session.stop());
}

ControlAnswer destroy(Session& session, ControlWords) {
  return control_answer(session.destroy());
}

ControlAnswer snapshot(Session& session, ControlWords) {
  session.request_snapshot();
  return control_ok();
}

}  // namespace

extern constinit const ControlCommand kCreateCommand{"create SESSION", "makes a session without channels", create};
extern constinit const ControlCommand kStartCommand{
    "start SESSION",
    "makes the memory if it is the first start. The reply carries the session's memfd\n"
    "and, with a wakeup channel, an eventfd after it",
    of_session<start>};
extern constinit const ControlCommand kAttachCommand{
    "attach SESSION", "the same descriptors again, for another consumer", of_session<attach>};
extern constinit const ControlCommand kStopCommand{
    "stop SESSION", "returns when no probe is inside any more: the books are then exact", of_session<stop>};
extern constinit const ControlCommand kDestroyCommand{
    "destroy SESSION", "its memory stays with those who have the descriptors", of_session<destroy>};
extern constinit const ControlCommand kStatusCommand{
    "status",
    "\"session NAME STATE\", \"channel NAME produced N recorded N lost_full N\n"
    "lost_wrap N lost_big N lost_no_ring N slots USED/ALL\", ...",
    status};
extern constinit const ControlCommand kSnapshotCommand{"snapshot SESSION", "raises snapshot_requests",
                                                       of_session<snapshot>};

}  // namespace maxlat::trace::detail
