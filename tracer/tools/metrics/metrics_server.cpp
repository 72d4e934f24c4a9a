// SPDX-License-Identifier: MIT
#include "metrics/metrics_server.hpp"

#include <arpa/inet.h>
#include <errno.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <maxlat/core/sys/stop.hpp>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace maxlat::trace_tools {
namespace {

using core::OpenMetrics;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kConnections = 32, kLongestRequest = 8192;
constexpr std::chrono::seconds kTime{5};
constexpr std::chrono::milliseconds kRest{100};

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

std::optional<Address> address_of(std::string host, std::string_view port) {
  std::uint16_t number = 0;
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (failure != std::errc() || end != port.data() + port.size()) return {};
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  Address address;
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&address.bytes);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address.bytes);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(number);
    address.size = sizeof *v4;
  } else if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(number);
    address.size = sizeof *v6;
  } else {
    return {};
  }
  return address;
}

std::string text_of(const Address& address) {
  char host[INET6_ADDRSTRLEN]{};
  if (address.bytes.ss_family == AF_INET) {
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&address.bytes);
    inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
    return fmt::format("{}:{}", host, ntohs(v4->sin_port));
  }
  const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&address.bytes);
  inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
  return fmt::format("[{}]:{}", host, ntohs(v6->sin6_port));
}

std::string answer(std::string_view status, std::string_view type, std::string_view body, std::string_view more = "") {
  return fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}Connection: close\r\n\r\n{}", status,
                     type, body.size(), more, body);
}
std::string refusal(std::string_view status, std::string_view more = "") {
  return answer(status, "text/plain; charset=utf-8", fmt::format("{}\n", status), more);
}

// Of a head's lines the first, in its three words. REQUIRES: a whole line.
std::optional<std::pair<std::string_view, std::string_view>> request_of(std::string_view head) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == 0 || last <= first + 1) return {};
  const std::string_view method = line.substr(0, first), target = line.substr(first + 1, last - first - 1);
  const bool is_word = std::all_of(method.begin(), method.end(), [](unsigned char c) { return std::isupper(c) != 0; });
  if (!is_word || target.find(' ') != target.npos || !line.substr(last + 1).starts_with("HTTP/1.")) return {};
  return std::pair{method, target};
}

OpenMetrics::Format format_for(std::string head) {
  std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::size_t accept = head.find("\r\naccept:");
  if (accept == head.npos) return OpenMetrics::Format::prometheus;
  const std::string_view value = std::string_view(head).substr(accept, head.find("\r\n", accept + 2) - accept);
  return value.find("application/openmetrics-text") == value.npos ? OpenMetrics::Format::prometheus
                                                                  : OpenMetrics::Format::open_metrics;
}

std::string answer_to(const std::string& head, const MetricsServer::Page& page) {
  const auto request = request_of(head);
  if (!request) return refusal("400 Bad Request");
  const auto [method, target] = *request;
  if (target.substr(0, target.find('?')) != "/metrics") return refusal("404 Not Found");
  if (method != "GET") return refusal("405 Method Not Allowed", "Allow: GET\r\n");
  const OpenMetrics::Format format = format_for(head);
  const auto text = page(format);
  if (!text) return refusal("500 Internal Server Error");
  return answer("200 OK",
                format == OpenMetrics::Format::open_metrics
                    ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                    : "text/plain; version=0.0.4; charset=utf-8",
                *text);
}

// It reads the request, then writes the answer, then reads until the other end closes: a socket that is closed with
// something unread takes the answer with it.
class Connection {
 public:
  explicit Connection(base::Descriptor socket) : socket_(std::move(socket)) {}

  int number() const { return socket_.number(); }
  Clock::time_point end() const { return end_; }
  short wanted() const { return left_.empty() ? POLLIN : POLLOUT; }
  // RETURNS: whether there is more to do.
  bool go_on(const MetricsServer::Page& page) { return left_.empty() ? read_some(page) : write_some(); }

 private:
  static bool later() { return errno == EAGAIN || errno == EINTR; }
  bool read_some(const MetricsServer::Page& page) {
    char bytes[2048];
    const ssize_t got = read(number(), bytes, sizeof bytes);
    if (got <= 0) return got < 0 && later();
    if (answered_) return true;
    request_.append(bytes, static_cast<std::size_t>(got));
    const std::size_t line = request_.find("\r\n");
    const bool is_none = line != request_.npos && !request_of(request_);
    if (is_none || request_.find("\r\n\r\n") != request_.npos)
      answer_ = answer_to(request_, page);
    else if (request_.size() > kLongestRequest)
      answer_ = refusal("431 Request Header Fields Too Large");
    left_ = answer_;
    answered_ = !left_.empty();
    return true;
  }
  bool write_some() {
    const ssize_t put = send(number(), left_.data(), left_.size(), MSG_NOSIGNAL);
    if (put < 0) return later();
    left_.remove_prefix(static_cast<std::size_t>(put));
    return !left_.empty() || shutdown(number(), SHUT_WR) == 0;
  }

  base::Descriptor socket_;
  Clock::time_point end_ = Clock::now() + kTime;
  std::string request_, answer_;
  std::string_view left_;  // of the answer
  bool answered_ = false;
};

}  // namespace

core::Result<MetricsServer> MetricsServer::listen(const std::string& where) {
  const std::size_t colon = where.rfind(':');
  const bool is_port = colon == where.npos;
  auto address = address_of(is_port ? "127.0.0.1" : where.substr(0, colon), is_port ? where : where.substr(colon + 1));
  if (!address)
    return core::Error{fmt::format("\"{}\" is no address to listen on", where), "9100, 127.0.0.1:9100 or [::]:9100"};
  base::Descriptor listener(socket(address->bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  auto* const bytes = reinterpret_cast<sockaddr*>(&address->bytes);
  if (listener.number() < 0 || setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(listener.number(), bytes, address->size) != 0 || ::listen(listener.number(), SOMAXCONN) != 0 ||
      getsockname(listener.number(), bytes, &address->size) != 0)
    return core::system_error("cannot listen on " + where, errno);
  return MetricsServer(std::move(listener), text_of(*address));
}

core::Status MetricsServer::serve(const Page& page) {
  std::vector<std::unique_ptr<Connection>> connections;
  std::vector<pollfd> watched;
  while (!core::stop_requested().load(std::memory_order_relaxed)) {  // relaxed: only the flag itself is looked at
    const bool full = connections.size() >= kConnections;
    watched.assign({{core::stop_fd(), POLLIN, 0}, {full ? -1 : listener_.number(), POLLIN, 0}});
    Clock::time_point next = Clock::now() + kTime;
    for (const auto& one : connections) {
      watched.push_back({one->number(), one->wanted(), 0});
      next = std::min(next, one->end());
    }
    if (core::poll_until(watched, next) < 0 && errno != EINTR) return core::system_error("cannot wait", errno);
    const Clock::time_point now = Clock::now();
    std::size_t number = 2;
    std::erase_if(connections, [&](const std::unique_ptr<Connection>& one) {
      const bool has_come = watched[number++].revents != 0;
      return now >= one->end() || (has_come && !one->go_on(page));
    });
    if (watched[1].revents == 0) continue;
    base::Descriptor socket(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.number() >= 0)
      connections.push_back(std::make_unique<Connection>(std::move(socket)));
    else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
      core::rest_until(now + kRest);  // others may give some back
  }
  return {};
}

}  // namespace maxlat::trace_tools
