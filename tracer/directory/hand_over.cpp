// SPDX-License-Identifier: MIT
#include "directory/hand_over.hpp"

#include <errno.h>

#include "directory/messages.hpp"

namespace maxlat::sensors::detail {

void hand_over(int memory, std::span<const std::string> directories) {
  const int before = errno;
  for (const std::string& directory : directories) {
    const base::Descriptor socket = connect_to_directory(directory);
    const RequestMessage message{.request = Request::keep};
    if (socket) send_message(socket.number(), &message, sizeof message, memory);
  }
  errno = before;
}

}  // namespace maxlat::sensors::detail
