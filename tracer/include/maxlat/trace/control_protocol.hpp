// SPDX-License-Identifier: MIT
//
// How a controller (`maxlat trace`) and a traced program talk: a SOCK_SEQPACKET Unix socket, one request and one reply
// a message, plain text. Control only; no event passes here.
//
//   the program listens   at socket_path(pid), after maxlat::trace::open_control(), or when MAXLAT_TRACE_CONTROL=listen
//   the program calls     MAXLAT_TRACE_CONTROL=connect:PATH (set by `maxlat trace record -- CMD`): before main() it
//                         connects to PATH and serves requests there; main() begins when `resume` has come, or when the
//                         connection is gone. Children of the program that exec inherit the variable and call, too.
//                         It also listens, so that another controller can come when that one is dead.
//
// REQUEST  a line of words; a word with a space in it is not possible, names are [A-Za-z0-9_.:-]+ without a dot
//          in front, patterns also *?
// REPLY    "ok" or "error TEXT" in the first line, then zero or more lines. A reply that does not fit in one message
//          (kMaxMessage) ends with the line "more"; the request `next` brings the rest. Two descriptors may come with
//          it (SCM_RIGHTS).
//
// REQUESTS come from a table (control_command.hpp), and parts of a program may add theirs. Which there are, and what
//          each wants and answers, is told by the program itself: ask it for `help`.
//
// SECURITY: the socket lies in a folder of mode 0700 of the user; the program serves its own user and root
// (SO_PEERCRED).
// LIMITS: requests are cut at 4096 bytes: longer is an error, not a wait.
#pragma once

#include <cstddef>
#include <string>

namespace maxlat::trace {

inline constexpr std::size_t kMaxRequest = 4096;
inline constexpr std::size_t kMaxMessage = 32768;
inline constexpr const char* kControlVariable = "MAXLAT_TRACE_CONTROL";
inline constexpr const char* kWaitVariable = "MAXLAT_TRACE_WAIT";

// ${XDG_RUNTIME_DIR}/maxlat or, without it, /tmp/maxlat-UID; and the socket of one process in it: PID.trace
std::string control_folder();
std::string socket_path(int pid);

}  // namespace maxlat::trace
