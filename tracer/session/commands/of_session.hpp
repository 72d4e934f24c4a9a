// SPDX-License-Identifier: MIT
//
// Requests about a session that exists: their second word is its name.
#pragma once

#include <maxlat/trace/control_command.hpp>
#include <maxlat/trace/session.hpp>

namespace maxlat::trace::detail {

// As a ControlCommand's answer. ERRORS: there is no such session.
template <ControlAnswer (*answer)(Session&, ControlWords)>
ControlAnswer of_session(ControlWords words) {
  base::Result<Session> session = Session::find(words[1]);
  return session ? answer(*session, words) : control_error(session.error());
}

}  // namespace maxlat::trace::detail
