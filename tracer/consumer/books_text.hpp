// SPDX-License-Identifier: MIT
// The file .books (ctf_format.hpp), and what happened between two looks at the books.
#pragma once

#include <maxlat/trace/recorder.hpp>
#include <string>
#include <vector>

namespace maxlat::trace {

std::string books_text(const std::vector<ChannelBooks>& channels);

// Of one snapshot. An open packet is written by each snapshot that sees it, so what the ring counted and what is on
// disk cannot be held against each other; produced is the sum of the rest. `before`: empty for the first.
std::vector<ChannelBooks> books_since(const std::vector<ChannelBooks>& before, const std::vector<ChannelBooks>& now);

}  // namespace maxlat::trace
