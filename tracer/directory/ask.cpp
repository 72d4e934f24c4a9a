// SPDX-License-Identifier: MIT
#include "directory/ask.hpp"

#include <errno.h>
#include <poll.h>

#include <map>
#include <mutex>

#include "shm/local_socket.hpp"

namespace maxlat::sensors::detail {
namespace {

// Made when it is needed, for programs ask while they are loaded; and never destroyed.
struct Silent {
  std::mutex mutex;
  std::map<std::string, std::uint64_t> since;  // by places
};
Silent& silent() {
  static auto* const made = new Silent;
  return *made;
}

void leave_alone(const std::string& place) {
  const std::lock_guard lock(silent().mutex);
  silent().since[place] = base::monotonic_ns();
}

int ms_until(std::uint64_t then_ns) {
  const std::uint64_t now_ns = base::monotonic_ns();
  return now_ns >= then_ns ? 0 : static_cast<int>((then_ns - now_ns) / 1'000'000 + 1);
}

}  // namespace

base::Error does_not_answer() {
  return base::Error{"the directory does not answer", "is it stopped (SIGSTOP, a debugger)?"};
}

bool is_left_alone(const std::string& place) {
  const std::lock_guard lock(silent().mutex);
  const auto since = silent().since.find(place);
  return since != silent().since.end() && base::monotonic_ns() - since->second < kLeftAlone_ns;
}

base::Result<AnswerMessage> ask(const Asked& asked, const RequestMessage& request, int sent, base::Descriptor& memory) {
  const base::Descriptor& socket = asked.socket;
  const int numbers[] = {sent};
  if (!trace::detail::send_message(socket.number(), bytes_of(request), std::span(numbers, sent < 0 ? 0u : 1u)))
    return base::system_error("the directory is gone", errno);
  pollfd readable{socket.number(), POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&readable, 1, ms_until(asked.until_ns));
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) {
    leave_alone(asked.place);
    return does_not_answer();
  }
  AnswerMessage answer;
  trace::detail::ReceivedMessage received = trace::detail::receive_message(socket.number(), room_of(answer), 1);
  if (!is_message(answer, received.size)) return base::Error{"the directory's answer is not of this protocol"};
  if (!received.descriptors.empty()) memory = std::move(received.descriptors.front());
  return answer;
}

}  // namespace maxlat::sensors::detail
