// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/input_file.hpp>
#include <maxlat/core/sys/text_file.hpp>

namespace maxlat::core {
namespace {

// read(), not a stream: what opens and then fails with EISDIR, EIO or EINVAL, a stream shows as empty content or by an
// exception. Nothing with errno set.
std::optional<std::string> content_of(const base::Descriptor& file) {
  if (!file) return std::nullopt;
  std::string content;
  char block[4096];
  ssize_t got = 0;
  for (;;) {
    got = ::read(file.number(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    content.append(block, static_cast<size_t>(got));
  }
  if (got < 0) return std::nullopt;
  return content;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  const size_t first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

// O_NONBLOCK, because a path may turn out to be a pipe of tracefs.
std::optional<std::string> read_file(const std::string& path) {
  return content_of(base::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)));
}

Result<std::string> read_input(const std::string& path) {
  auto content = content_of(base::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
  if (!content) return system_error("cannot read " + path, errno);
  return *std::move(content);
}

std::optional<std::string> read_text(const std::string& path) {
  const auto content = read_file(path);
  if (!content) return std::nullopt;
  return std::string(trimmed(*content));
}

}  // namespace maxlat::core
