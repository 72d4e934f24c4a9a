// SPDX-License-Identifier: MIT
//
// The built-in loads, by their effects: what each claims to have done, the kernel must have seen.
#include <gmock/gmock.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/loadgen/load_definition.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <sstream>
#include <string>

#include "test_process_watching.hpp"
#include "worker.hpp"
#include "worker_memory.hpp"

namespace maxlat::loadgen {

extern const LoadDefinition kCacheLoad, kDiskLoad, kForkLoad, kMemoryLoad, kNetworkLoad, kTimersLoad;

namespace {

using namespace std::chrono_literals;

// Runs one worker until it has done `units` and returns what it had done when the effect was read.
struct Trial {
  core::Result<Worker> worker;
  pid_t pid = -1;
  bool reached = false;
};

Trial run_until(const LoadDefinition& load, uint64_t units, const std::string& argument = {}) {
  core::Result<LoadPlan> plan = load.plan(argument, {core::allowed_cpus()->front()});
  if (!plan) return {plan.error()};
  Trial trial{Worker::start(plan->workers.front())};
  if (!trial.worker) return trial;
  trial.pid = trial.worker->pid();
  trial.reached = eventually([&] { return trial.worker->counts().work >= units || trial.worker->poll_end(); }) &&
                  trial.worker->counts().work >= units;
  return trial;
}

uint64_t field(const std::string& file, const std::string& name) {
  std::ifstream in(file);
  std::string word;
  while (in >> word)
    if (word == name) {
      uint64_t value = 0;
      in >> value;
      return value;
    }
  return 0;
}

// The faults of the children that a process has waited for (proc(5), cminflt).
uint64_t faults_of_children(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(in, line);
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string word;
  for (int field = 3; field <= 11; ++field) fields >> word;
  return std::stoull(word);
}

// A network of our own, so that nobody else's bytes are counted. False where that is not permitted.
bool enter_own_network() {
  if (::unshare(CLONE_NEWNET) != 0) return false;
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP;
  const bool up = ::ioctl(socket, SIOCSIFFLAGS, &loopback) == 0;
  ::close(socket);
  return up;
}

class BuiltIn : public testing::TestWithParam<const LoadDefinition*> {};

TEST_P(BuiltIn, MakesProgress) {
  const Trial trial = run_until(*GetParam(), 1);
  ASSERT_TRUE(trial.worker) << trial.worker.error().text;
  EXPECT_TRUE(trial.reached);
}

std::vector<const LoadDefinition*> built_ins() {
  std::vector<const LoadDefinition*> all;
  for (const LoadDefinition* load : load_table())
    if (load->kind.built_in) all.push_back(load);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Loads, BuiltIn, testing::ValuesIn(built_ins()),
                         [](const auto& tested) { return std::string(tested.param->kind.name); });

TEST(BuiltInEffects, ForkMakesTheProcessesItCounts) {
  const Trial trial = run_until(kForkLoad, 20);
  ASSERT_TRUE(trial.reached);
  EXPECT_GE(faults_of_children(trial.pid), 10u * 256) << "every other child writes to 256 pages";
}

TEST(BuiltInEffects, DiskWritesTheBytesItCountsIntoAFileWithoutAName) {
  const test::TemporaryFolder folder;
  const Trial trial = run_until(kDiskLoad, 1 << 20, folder.path());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  ASSERT_TRUE(trial.reached);
  EXPECT_GE(field("/proc/" + std::to_string(trial.pid) + "/io", "wchar:"), 1u << 20);
}

TEST(BuiltInEffects, NetworkMovesTheBytesItCountsOverLoopback) {
  enum : int { kSeen, kNotSeen, kNotPermitted };
  const pid_t child = ::fork();
  if (child == 0) {
    if (!enter_own_network()) std::_Exit(kNotPermitted);
    const uint64_t before = field("/proc/self/net/dev", "lo:");
    const Trial trial = run_until(kNetworkLoad, 10 << 20);
    std::_Exit(trial.reached && field("/proc/self/net/dev", "lo:") - before >= 10u << 20 ? kSeen : kNotSeen);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotPermitted) GTEST_SKIP() << "no network namespace can be had";
  EXPECT_EQ(WEXITSTATUS(status), kSeen);
}

TEST(BuiltInEffects, TimersExpireNoOftenerThanTheirPeriodsAllow) {
  const auto start = std::chrono::steady_clock::now();
  const Trial trial = run_until(kTimersLoad, 500);
  ASSERT_TRUE(trial.reached);
  const uint64_t counted = trial.worker->counts().work;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double per_second = 0;
  for (int i = 1; i <= 32; ++i) per_second += 1e4 / i;
  EXPECT_LE(static_cast<double>(counted), per_second * seconds);
}

// In the first round each new line or piece brings its page, so what they claim to have touched must be resident.
TEST(BuiltInEffects, CacheAndMemoryTouchWhatTheyCount) {
  for (const auto& [load, bytes_a_unit] : {std::pair{&kCacheLoad, uint64_t{64}}, {&kMemoryLoad, uint64_t{1} << 20}}) {
    const uint64_t bytes = 8 << 20;
    const Trial trial = run_until(*load, bytes / bytes_a_unit);
    ASSERT_TRUE(trial.reached) << load->kind.name;
    EXPECT_GE(field("/proc/" + std::to_string(trial.pid) + "/status", "VmRSS:") << 10, bytes) << load->kind.name;
  }
}

TEST(WorkerMemory, IsAPowerOfTwoAndAllWorkersTogetherTakeAtMostAQuarter) {
  const size_t machine = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (const size_t workers : {1u, 2u, 7u, 64u}) {
    const size_t bytes = worker_memory_bytes(size_t{1} << 50, workers);
    EXPECT_EQ(bytes & (bytes - 1), 0u);
    EXPECT_LE(bytes * workers, machine / 4);
  }
  EXPECT_EQ(worker_memory_bytes(3 << 20, 1), 2u << 20);
  EXPECT_EQ(worker_memory_bytes(1, 1), 1u << 20);
}

}  // namespace
}  // namespace maxlat::loadgen
