// SPDX-License-Identifier: MIT
//
// A question to a directory (messages.hpp). A directory answers at once. One that is stopped (SIGSTOP) must not stop
// whoever asks, nor those that ask again and again: after a second it is left alone for a while. THREADS: any.
#pragma once

#include <cstdint>
#include <maxlat/base/moment.hpp>
#include <maxlat/base/result.hpp>
#include <string>

#include "directory/messages.hpp"

namespace maxlat::sensors::detail {

constexpr std::uint64_t kPatience_ns = 1'000'000'000, kLeftAlone_ns = 10'000'000'000;

bool is_left_alone(const std::string& place);
base::Error does_not_answer();

// One conversation.
struct Asked {
  const std::string& place;
  base::Descriptor socket = connect_to_directory(place);
  std::uint64_t until_ns = base::monotonic_ns() + kPatience_ns;
};

// `sent`: goes along; -1: nothing does. `memory`: what has come with the answer.
base::Result<AnswerMessage> ask(const Asked& asked, const RequestMessage& request, int sent, base::Descriptor& memory);

}  // namespace maxlat::sensors::detail
