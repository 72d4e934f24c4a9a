// SPDX-License-Identifier: MIT
#include "text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace maxlat::core {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  const size_t first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

// read(), not a stream: some files of /sys open and then fail with EIO or EINVAL, which a stream shows as empty
// content. O_NONBLOCK, because a path may turn out to be a pipe of tracefs.
std::optional<std::string> read_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  std::string content;
  char block[4096];
  for (;;) {
    const ssize_t got = ::read(fd, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      ::close(fd);
      return std::nullopt;
    }
    if (got == 0) break;
    content.append(block, static_cast<size_t>(got));
  }
  ::close(fd);
  return content;
}

std::optional<std::string> read_text(const std::string& path) {
  const auto content = read_file(path);
  if (!content) return std::nullopt;
  return std::string(trimmed(*content));
}

}  // namespace maxlat::core
