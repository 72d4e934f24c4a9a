// SPDX-License-Identifier: MIT
//
// Where the control socket of a program may be. A program and its controller need not have the same XDG_RUNTIME_DIR: a
// service has none, a shell over ssh may have none. So all places of a user are looked at:
//
//   ${XDG_RUNTIME_DIR}/maxlat   as it is set for us (control_protocol.hpp)
//   /run/user/UID/maxlat        where it usually is
//   /tmp/maxlat-UID             without it
//
// Root looks at the places of every user.
//
// TRUST. /tmp is everybody's, and root must not be led elsewhere. A place counts only as what make_folder() makes: a
// real folder, not a link, of the user whose place it is, closed to all others. It is kept open, and the socket is
// looked up in it, so that what was looked at is what is connected to. The socket is no link either, and who answers at
// it is the folder's owner by the kernel's word (SO_PEERCRED).
#pragma once

#include <sys/types.h>

#include <maxlat/base/owned.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::trace::detail {

struct ControlPlace {
  std::string folder;
  std::optional<uid_t> owner{};  // who it must belong to; nothing: whoever it does
  mode_t closed = 077;           // what others must not have there
};

// Of our own and, if that is another's and we are root, of its user's.
std::vector<ControlPlace> places_of_process(pid_t pid);
// Of our own, or, if we are root, of everybody.
std::vector<ControlPlace> all_places();

// The folder, open, and its owner; or none, and errno.
base::Descriptor open_place(const ControlPlace& place, uid_t& owner);
// The socket of that name there, connected; or none, and errno. `flags`: of socket(2).
base::Descriptor connect_in(const base::Descriptor& folder, uid_t owner, const std::string& name, int flags = 0);
// Both, for the control socket of a process.
base::Descriptor connect_to(const ControlPlace& place, pid_t pid);

}  // namespace maxlat::trace::detail
