// SPDX-License-Identifier: MIT
//
// Network over loopback: a TCP stream and UDP datagrams from each worker to itself. No wire and no card, but the whole
// stack: softirqs, socket buffers, the timers of TCP.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <maxlat/base/owned.hpp>
#include <maxlat/loadgen/load_definition.hpp>
#include <vector>

namespace maxlat::loadgen {
namespace {

constexpr size_t kStreamPiece = 64 << 10;
constexpr size_t kDatagram = 1400;
constexpr int kDatagramsOfATurn = 16;

struct Pair {
  base::Descriptor sender, receiver;
};

// A socket bound to a free port of the loopback address; the address is told in `bound`.
core::Result<base::Descriptor> bound_socket(int type, sockaddr_in& bound) {
  base::Descriptor made(socket(AF_INET, type | SOCK_CLOEXEC, 0));
  if (!made) return core::system_error("cannot make a socket", errno);
  bound = {};
  bound.sin_family = AF_INET;
  bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof bound;
  if (bind(made.number(), reinterpret_cast<sockaddr*>(&bound), length) != 0 ||
      getsockname(made.number(), reinterpret_cast<sockaddr*>(&bound), &length) != 0)
    return core::system_error("cannot bind a socket to the loopback address", errno);
  return made;
}

core::Result<base::Descriptor> connected_socket(int type, const sockaddr_in& to) {
  base::Descriptor made(socket(AF_INET, type | SOCK_CLOEXEC, 0));
  if (!made) return core::system_error("cannot make a socket", errno);
  if (connect(made.number(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    return core::system_error("cannot connect over loopback", errno, "is the interface lo up?");
  return made;
}

core::Result<Pair> datagram_pair() {
  sockaddr_in address;
  auto receiver = bound_socket(SOCK_DGRAM, address);
  if (!receiver) return receiver.error();
  auto sender = connected_socket(SOCK_DGRAM, address);
  if (!sender) return sender.error();
  return Pair{*std::move(sender), *std::move(receiver)};
}

core::Result<Pair> stream_pair() {
  sockaddr_in address;
  const auto listener = bound_socket(SOCK_STREAM, address);
  if (!listener) return listener.error();
  if (listen(listener->number(), 1) != 0) return core::system_error("cannot listen on loopback", errno);
  auto sender = connected_socket(SOCK_STREAM, address);
  if (!sender) return sender.error();
  base::Descriptor receiver(accept4(listener->number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!receiver) return core::system_error("cannot accept over loopback", errno);
  return Pair{*std::move(sender), std::move(receiver)};
}

// What was received; 0 when nothing was there.
uint64_t send_and_receive(const Pair& pair, std::vector<char>& buffer, size_t piece) {
  if (send(pair.sender.number(), buffer.data(), piece, MSG_DONTWAIT) < 0 && errno != EAGAIN && errno != ENOBUFS)
    return 0;
  const ssize_t got = recv(pair.receiver.number(), buffer.data(), piece, MSG_DONTWAIT);
  return got > 0 ? static_cast<uint64_t>(got) : 0;
}

core::Status exchange(WorkerSlot& slot) {
  const core::Result<Pair> stream = stream_pair();
  if (!stream) return stream.error();
  const core::Result<Pair> datagrams = datagram_pair();
  if (!datagrams) return datagrams.error();
  std::vector<char> buffer(kStreamPiece, 'm');
  for (;;) {
    uint64_t received = send_and_receive(*stream, buffer, kStreamPiece);
    for (int i = 0; i < kDatagramsOfATurn; ++i) received += send_and_receive(*datagrams, buffer, kDatagram);
    slot.add(received);
    if (received == 0) poll(nullptr, 0, 1);  // the stack is stuck; the supervisor will see it
  }
}

}  // namespace

extern const LoadDefinition kNetworkLoad = {
    .kind = {"network", "", "TCP and UDP over loopback", true},
    .unit = "MiB/s",
    .scale = 1.0 / (1 << 20),
    .plan = [](std::string_view, const core::CpuList& cpus) -> core::Result<LoadPlan> {
      return one_worker_per_cpu("network", cpus, exchange);
    },
};

}  // namespace maxlat::loadgen
