// SPDX-License-Identifier: MIT
//
// What the threads of a traced process were called, as it stands beside their events: DIR/<process>-<pid>/.threads, a
// line for each name that the thread of a ring had:
//
//   ring CHANNEL-SLOT-GENERATION tid TID from TICKS name "TEXT"
//
// RING: the stream's file. FROM: of the events of that ring with this time (counter ticks) or later; 0: of its first,
// what the thread was called when the ring was made. TEXT: as TSDL writes strings, so that a name is one line whatever
// is in it. Lines of one ring are in the order of time; the last of equal times is the one that holds.
//
// A RENAME is seen by a look at /proc/PID/task/TID/comm (recorder.hpp, NAMES). FROM is the last look at which the
// thread had its old name: an event after the rename never has the old name, and an event shortly before may have the
// new one. If a thread ends together with its process, a rename after the last look is not seen; a thread that ends
// by itself reports its last name.
//
// The name of the file begins with a dot, because CTF's readers take every other file for a stream. A trace without it,
// or without a line for a ring, is a trace whose names nobody knows. THREADS: values, and functions without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace {

inline constexpr const char* kThreadNamesFile = ".threads";

struct ThreadName {
  std::uint64_t from_ticks = 0;
  std::string text;  // any bytes but zeros: what shows it must escape it
};

// By the name of a stream's file.
using ThreadNames = std::map<std::string, std::vector<ThreadName>, std::less<>>;

// With its line's end.
std::string thread_name_line(std::string_view ring, std::uint32_t thread_id, const ThreadName& name);

// TRUST: the text may be anything. Lines that are none count as not there: a recorder that was killed may have left
// half a line as the last.
ThreadNames parse_thread_names(std::string_view text);

// The number of the first whole line that is none; 0: there is no such line.
std::size_t wrong_thread_name_line(std::string_view text);

}  // namespace maxlat::trace
