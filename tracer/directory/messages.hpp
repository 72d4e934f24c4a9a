// SPDX-License-Identifier: MIT
//
// What is said to a directory, and what it says: one datagram each, over a socket in the file system (SOCK_SEQPACKET).
//
//   KEEP     a program, with the memory of a group that it has published. No answer, and no more of this connection.
//   NEXT     a monitor: which group has a higher serial number than this? GROUP, with its memory, or NO_MORE. Whoever
//            wants all asks again with that number. So the directory keeps nothing of an asker, and owes nobody more
//            than one answer.
//   FORGET   a group of the asker's own: DONE, or REFUSED.
//   SHARE    a program, with memory that it has made for a common group: GROUP, with the memory that the group has by
//            now, for writing; which may be the program's. Or REFUSED.
//
// A reader refuses another magic or version, and a shorter message. A longer one has something that it does not know.
// Numbers are the machine's: both ends are on it.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::sensors::detail {

constexpr std::uint32_t kDirectoryMagic = 0x52444c4d;  // "MLDR"
constexpr std::uint16_t kDirectoryVersion = 1;

enum class Request : std::uint16_t { keep = 1, next = 2, forget = 3, share = 4 };
enum class Answer : std::uint16_t { group = 1, no_more = 2, done = 3, refused = 4 };

struct RequestMessage {
  std::uint32_t magic = kDirectoryMagic;
  std::uint16_t version = kDirectoryVersion;
  Request request{};
  std::uint64_t after = 0;              // NEXT, and
  std::uint32_t running = 0;            //   1: of programs that run, 0: all
  std::int32_t pid = 0;                 // FORGET, and
  std::array<std::uint8_t, 16> uuid{};  // FORGET
};
static_assert(sizeof(RequestMessage) == 40);

struct AnswerMessage {
  std::uint32_t magic = kDirectoryMagic;
  std::uint16_t version = kDirectoryVersion;
  Answer answer{};
  std::uint64_t serial = 0;    // GROUP, these three
  std::uint64_t ended_ns = 0;  // of the wall clock; 0: it runs
  std::int32_t pid = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(AnswerMessage) == 32);

// Where programs and monitors look: all places where one of this user may be, and root's. `system`: root's alone.
std::vector<std::string> directories(bool system = false);

// Waits for nothing. RETURNS: nothing, and errno: nobody listens there (ENOENT, ECONNREFUSED), it is neither this
// user's nor root's (EPERM), or the system's reason.
//
// TRUST. As control_places.hpp: the folder is this user's or root's, nobody else may write there, and who answers is
// its owner.
base::Descriptor connect_to_directory(const std::string& path);

// As send_message() takes it, and receive_message().
template <class Message>
std::string_view bytes_of(const Message& message) {
  return {reinterpret_cast<const char*>(&message), sizeof message};
}
template <class Message>
std::span<char> room_of(Message& message) {
  return {reinterpret_cast<char*>(&message), sizeof message};
}

// Whether these bytes, of which so many came, are one.
template <class Message>
bool is_message(const Message& message, ssize_t size) {
  return size >= static_cast<ssize_t>(sizeof message) && message.magic == kDirectoryMagic &&
         message.version == kDirectoryVersion;
}

}  // namespace maxlat::sensors::detail
