// SPDX-License-Identifier: MIT
#include "second_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "harness.hpp"

namespace maxlat::bench {
namespace {

struct Order {
  std::uint32_t arm, fields, samples;
  Work work;
};

bool read_all(int file, void* to, std::size_t bytes) {
  for (auto* at = static_cast<char*>(to); bytes > 0;) {
    const ssize_t got = ::read(file, at, bytes);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int file, const void* from, std::size_t bytes) {
  for (auto* at = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t put = ::write(file, at, bytes);
    if (put <= 0) return false;
    at += put;
    bytes -= static_cast<std::size_t>(put);
  }
  return true;
}

std::vector<std::string> environment_with(const std::vector<std::string>& ours) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) all.emplace_back(*each);
  for (const std::string& one : ours) {
    const std::string name = one.substr(0, one.find('=') + 1);
    std::erase_if(all, [&](const std::string& other) { return other.starts_with(name); });
    all.push_back(one);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

SecondProcess::SecondProcess(const std::string& lttng_home, const std::string& clock_plugin, int cpu) {
  int orders[2], ticks[2];
  if (::pipe2(orders, O_CLOEXEC) != 0 || ::pipe2(ticks, O_CLOEXEC) != 0) fail("no pipe for the second process");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, orders[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ticks[1], STDOUT_FILENO);
  std::vector<std::string> words = {"tracer_peers", "serve", std::to_string(cpu)};
  std::vector<std::string> environment =
      environment_with({"LTTNG_HOME=" + lttng_home, "LTTNG_UST_CLOCK_PLUGIN=" + clock_plugin});
  const int failure =
      ::posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, pointers(words).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(orders[0]);
  ::close(ticks[1]);
  if (failure != 0) fail(std::string("the second process does not start: ") + std::strerror(failure));
  orders_ = orders[1];
  ticks_ = ticks[0];
}

SecondProcess::~SecondProcess() {
  ::close(orders_);
  ::close(ticks_);
  ::waitpid(pid_, nullptr, 0);
}

Ticks SecondProcess::perform(std::uint32_t arm, std::uint32_t fields, Work work, std::uint32_t samples) {
  const Order order{arm, fields, samples, work};
  std::uint64_t count = 0;
  if (!write_all(orders_, &order, sizeof order) || !read_all(ticks_, &count, sizeof count))
    fail("the second process ended early");
  Ticks ticks(count);
  if (!read_all(ticks_, ticks.data(), count * sizeof ticks[0])) fail("the second process ended early");
  return ticks;
}

int serve(int cpu) {
  pin(cpu);
  const std::vector<Arm> arms = lttng_arms();
  for (Order order{}; read_all(STDIN_FILENO, &order, sizeof order);) {
    const Ticks ticks = perform(arms.at(order.arm).run.at(order.fields), order.work, order.samples);
    const std::uint64_t count = ticks.size();
    if (!write_all(STDOUT_FILENO, &count, sizeof count) ||
        !write_all(STDOUT_FILENO, ticks.data(), count * sizeof ticks[0]))
      return 1;
  }
  return 0;
}

}  // namespace maxlat::bench
