// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <maxlat/import/input_text.hpp>
#include <utility>

namespace maxlat::importing {
namespace {

constexpr size_t kBlock = 1 << 20;

}  // namespace

core::Result<InputText> InputText::open(const std::string& path) {
  base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return core::system_error("cannot read " + path, errno);
  return InputText(std::move(file), path);
}

InputText::InputText(InputText&& other) noexcept
    : file_(std::move(other.file_)),
      path_(std::move(other.path_)),
      line_number_(other.line_number_),
      last_line_ended_(other.last_line_ended_),
      error_(std::move(other.error_)) {
  // A short text lives inside its string, and moves with it.
  const bool of_block = !other.block_.empty();
  const size_t from = of_block ? static_cast<size_t>(other.rest_.data() - other.block_.data()) : 0;
  block_ = std::move(other.block_);
  rest_ = of_block ? std::string_view(block_).substr(from, other.rest_.size()) : other.rest_;
}

void InputText::fill(size_t wanted) {
  if (!file_ || rest_.size() >= wanted) return;
  size_t held = rest_.size();
  if (!rest_.empty()) block_.erase(0, static_cast<size_t>(rest_.data() - block_.data()));
  block_.resize(std::max(wanted, kBlock));
  while (held < wanted) {
    const ssize_t got = ::read(file_.number(), block_.data() + held, block_.size() - held);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error_ = core::system_error("cannot read " + path_, errno);
    if (got <= 0) {
      file_ = base::Descriptor();
      break;
    }
    held += static_cast<size_t>(got);
  }
  rest_ = std::string_view(block_).substr(0, held);
}

core::Result<std::string_view> InputText::beginning() {
  fill(kBeginning);
  if (error_) return *error_;
  return rest_.substr(0, kBeginning);
}

core::Result<std::string_view> InputText::whole() {
  while (file_) fill(rest_.size() + kBlock);
  if (error_) return *error_;
  return rest_;
}

std::optional<std::string_view> InputText::next_line() {
  size_t end = rest_.find('\n');
  while (end == std::string_view::npos && file_) {
    const size_t searched = rest_.size();
    if (searched > kLongestLine) {
      error_ = core::Error{
          fmt::format("line {} is longer than {} MiB: this is no text", line_number_ + 1, kLongestLine >> 20)};
      file_ = base::Descriptor();
      rest_ = {};
      break;
    }
    fill(searched + kBlock / 2);
    end = rest_.find('\n', searched);
  }
  if (error_ || rest_.empty()) return std::nullopt;
  ++line_number_;
  last_line_ended_ = end != std::string_view::npos;
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

core::Status InputText::status() const {
  if (error_) return *error_;
  return {};
}

}  // namespace maxlat::importing
