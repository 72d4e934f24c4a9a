// SPDX-License-Identifier: MIT
#include "directory/hand_over.hpp"

#include <errno.h>

#include "directory/messages.hpp"
#include "shm/local_socket.hpp"

namespace maxlat::sensors::detail {

void hand_over(int memory, std::span<const std::string> directories) {
  const int before = errno;
  for (const std::string& directory : directories) {
    const base::Descriptor socket = connect_to_directory(directory);
    const RequestMessage message{.request = Request::keep};
    if (socket) (void)trace::detail::send_message(socket.number(), bytes_of(message), {{memory}});
  }
  errno = before;
}

}  // namespace maxlat::sensors::detail
