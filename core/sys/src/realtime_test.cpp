// SPDX-License-Identifier: MIT
//
// Looks at effects: the policy and the affinity of the running thread, the locked memory of the process. Each test acts
// in a forked child or in a thread of its own, so that nothing stays.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <maxlat/core/sys/realtime.hpp>
#include <maxlat/test/fake_root.hpp>
#include <thread>

namespace maxlat::core {
namespace {

using ::testing::HasSubstr;

// Runs `body` in a child and returns what it returned as text.
std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  if (pipe(ends) != 0) return "pipe failed";
  const pid_t pid = fork();
  if (pid == 0) {
    const std::string text = body();
    const bool written = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char block[512];
  for (ssize_t got; (got = read(ends[0], block, sizeof block)) > 0;) text.append(block, static_cast<size_t>(got));
  close(ends[0]);
  waitpid(pid, nullptr, 0);
  return text;
}

std::string as_nobody(const std::function<Status()>& act) {
  return in_child([&]() -> std::string {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_RTPRIO, &none);
    setrlimit(RLIMIT_MEMLOCK, &none);
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
      return "setuid failed";
    const Status status = act();
    return status ? "granted" : status.error().text + " | " + status.error().hint;
  });
}

// Granted here? A container may deny root.
bool may_be_real_time() {
  return in_child([] { return set_scheduling({Policy::fifo, 1, 0, 0}) ? "yes" : "no"; }) == "yes";
}

TEST(Realtime, PolicyIsTheThreads) {
  if (!may_be_real_time()) GTEST_SKIP() << "no permission for SCHED_FIFO here";
  std::thread([] {
    for (const auto& [policy, number] :
         {std::pair{Policy::fifo, SCHED_FIFO}, std::pair{Policy::round_robin, SCHED_RR}}) {
      ASSERT_TRUE(set_scheduling({policy, 17, 0, 0}).ok());
      sched_param param{};
      EXPECT_EQ(sched_getscheduler(0), number);
      EXPECT_EQ(sched_getparam(0, &param), 0);
      EXPECT_EQ(param.sched_priority, 17);
      EXPECT_EQ(current_scheduling()->priority, 17);
    }
    ASSERT_TRUE(set_scheduling({Policy::other, 0, 0, 0}).ok());
    EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
  }).join();
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);  // the calling thread only
}

TEST(Realtime, AnOrdinaryPolicyLeavesTheNiceValue) {
  std::thread([] {
    ASSERT_EQ(setpriority(PRIO_PROCESS, 0, 7), 0);
    for (const auto& [policy, number] :
         {std::pair{Policy::other, SCHED_OTHER}, std::pair{Policy::batch, SCHED_BATCH}}) {
      ASSERT_TRUE(set_scheduling({.policy = policy}).ok());
      EXPECT_EQ(sched_getscheduler(0), number);
      EXPECT_EQ(current_scheduling()->policy, policy);
      EXPECT_EQ(getpriority(PRIO_PROCESS, 0), 7);
    }
  }).join();
}

// One way only: without rights a thread may become SCHED_IDLE and, with its nice value, not come back.
TEST(Realtime, TheIdlePolicyIsTheThreads) {
  std::thread([] {
    ASSERT_TRUE(set_scheduling({.policy = Policy::idle}).ok());
    EXPECT_EQ(sched_getscheduler(0), SCHED_IDLE);
    EXPECT_EQ(to_string(*current_scheduling()), "SCHED_IDLE");
  }).join();
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
}

TEST(Realtime, Deadline) {
  if (!may_be_real_time()) GTEST_SKIP() << "no permission for real-time policies here";
  const std::string outcome = in_child([]() -> std::string {
    const Status set = set_scheduling({Policy::deadline, 0, 1'000'000, 100'000'000});
    if (!set) return "refused: " + set.error().text;
    return sched_getscheduler(0) == SCHED_DEADLINE ? to_string(*current_scheduling()) : "not SCHED_DEADLINE";
  });
  if (outcome.starts_with("refused: ")) GTEST_SKIP() << outcome;  // a cpuset smaller than the root domain
  EXPECT_THAT(outcome, HasSubstr("SCHED_DEADLINE"));
}

TEST(Realtime, PrioritiesOutsideTheRangeAreRefused) {
  for (const int priority : {0, -1, 100}) EXPECT_FALSE(set_scheduling({Policy::fifo, priority, 0, 0}).ok());
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
}

TEST(Realtime, WithoutPermissionTheHintSaysWhatToDo) {
  EXPECT_THAT(
      as_nobody([] {
        return set_scheduling({Policy::fifo, 95, 0, 0});
      }),
      testing::AllOf(HasSubstr("cannot set SCHED_FIFO 95: operation not permitted"), HasSubstr("CAP_SYS_NICE")));
  EXPECT_THAT(as_nobody([]() -> Status {
                auto held = DmaLatency::hold(0);
                if (!held) return held.error();
                return {};
              }),
              HasSubstr("/dev/cpu_dma_latency"));
}

TEST(LockedMemory, WithoutPermissionTheHintNamesTheLimit) {
  const std::string said = as_nobody([] { return lock_memory(); });
  // The sanitizers' runtimes make mlockall() a no-op that succeeds.
  if (said.starts_with("mlockall reported success")) GTEST_SKIP() << said;
  EXPECT_THAT(said, testing::AllOf(HasSubstr("cannot lock memory"), HasSubstr("ulimit -l")));
}

TEST(Realtime, AffinityIsTheThreads) {
  const CpuList cpus = *assignable_cpus();
  const CpuList before = *allowed_cpus();
  std::thread([&] {
    for (const unsigned cpu : cpus) {
      ASSERT_TRUE(set_affinity({cpu}).ok());
      cpu_set_t mask;
      ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
      EXPECT_EQ(CPU_COUNT(&mask), 1);
      EXPECT_EQ(sched_getcpu(), static_cast<int>(cpu));
    }
    EXPECT_TRUE(set_affinity(cpus).ok());
  }).join();
  EXPECT_EQ(*allowed_cpus(), before);
}

// The kernel drops CPUs that are not there from a mask without a word.
TEST(Realtime, AffinityPartlyGrantedIsAnError) {
  std::thread([] {
    CpuList cpus = *assignable_cpus();
    cpus.push_back(60000);
    EXPECT_THAT(set_affinity(cpus).error().text, HasSubstr("CPU 60000 does not exist"));
    EXPECT_THAT(set_affinity({60000}).error().text, HasSubstr("CPU 60000 does not exist"));
    EXPECT_FALSE(set_affinity({}).ok());
  }).join();
}

long locked_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmLck:")) return std::stol(line.substr(6));
  return -1;
}

TEST(LockedMemory, IsLockedAndFaultsNoMore) {
  const std::string outcome = in_child([]() -> std::string {
    if (const Status locked = lock_memory(512 * 1024); !locked) return "refused: " + locked.error().text;
    if (locked_kilobytes() <= 0) return "VmLck is not above 0";
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    touch_stack(256 * 1024);
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt == before.ru_minflt ? "locked" : "the stack still faults";
  });
  if (outcome.starts_with("refused: ")) GTEST_SKIP() << outcome;
  EXPECT_EQ(outcome, "locked");
}

long descriptors_of(const std::string& path) {
  long count = 0;
  std::error_code gone;  // the iterator's own descriptor
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    if (std::filesystem::read_symlink(entry.path(), gone) == path) ++count;
  return count;
}

// Another reader of the device sees the request while it is held. What it reads afterwards is other programs' affair (a
// measurement beside us may hold it as well); ours is that we let go.
TEST(Realtime, IdleStatesAreHeldOffForTheLifetime) {
  {
    auto first = DmaLatency::hold(0);
    if (!first) GTEST_SKIP() << first.error().text;
    const DmaLatency moved = *std::move(first);
    int32_t effective = -1;
    const int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    EXPECT_EQ(pread(fd, &effective, sizeof effective, 0), static_cast<ssize_t>(sizeof effective));
    close(fd);
    EXPECT_EQ(effective, 0);
    EXPECT_EQ(descriptors_of("/dev/cpu_dma_latency"), 1);
  }
  EXPECT_EQ(descriptors_of("/dev/cpu_dma_latency"), 0);
}

TEST(Realtime, PoliciesAsWritten) {
  EXPECT_EQ(parse_policy("fifo", 95)->policy, Policy::fifo);
  EXPECT_EQ(parse_policy("fifo", 95)->priority, 95);
  EXPECT_EQ(parse_policy("rr")->policy, Policy::round_robin);
  EXPECT_EQ(parse_policy("other", 95)->priority, 0);
  const auto deadline = parse_policy("deadline:50us:1ms");
  ASSERT_TRUE(deadline.ok());
  EXPECT_EQ(deadline->runtime_ns, 50'000u);
  EXPECT_EQ(deadline->period_ns, 1'000'000u);
  for (const char* text : {"", "FIFO", "fifo:1", "deadline", "deadline:", "deadline:1ms", "deadline:2ms:1ms",
                           "deadline:0:1ms", "deadline:x:1ms", "deadline:50:1000", "idle"})
    EXPECT_FALSE(parse_policy(text).ok()) << text;
  EXPECT_EQ(to_string(Scheduling{Policy::fifo, 95, 0, 0}), "SCHED_FIFO 95");
}

TEST(Realtime, ThrottlingOfAnOlderKernel) {
  test::FakeRoot root;
  EXPECT_FALSE(read_rt_throttling(root.path()).known);
  root.file("/proc/sys/kernel/osrelease", "6.1.0-28-rt-amd64");
  EXPECT_FALSE(read_rt_throttling(root.path()).known);
  root.file("/proc/sys/kernel/sched_rt_period_us", "1000000");
  root.file("/proc/sys/kernel/sched_rt_runtime_us", "950000");
  EXPECT_TRUE(read_rt_throttling(root.path()).known);
  EXPECT_EQ(read_rt_throttling(root.path()).stop_ns, 50'000'000u);
  EXPECT_EQ(read_rt_throttling(root.path()).period_ns, 1'000'000'000u);
  EXPECT_EQ(read_rt_throttling(root.path()).by, RtThrottling::By::rt_throttling);
  root.file("/proc/sys/kernel/sched_rt_runtime_us", "-1");
  EXPECT_TRUE(read_rt_throttling(root.path()).known);
  EXPECT_EQ(read_rt_throttling(root.path()).stop_ns, 0u);
  EXPECT_EQ(read_rt_throttling(root.path()).by, RtThrottling::By::nothing);
}

// Defect this watches: since 6.12, -1 in sched_rt_runtime_us says nothing about the fair server.
TEST(Realtime, FairServerOfANewerKernel) {
  test::FakeRoot root;
  root.file("/proc/sys/kernel/osrelease", "6.18.44-rt");
  root.file("/proc/sys/kernel/sched_rt_period_us", "1000000");
  root.file("/proc/sys/kernel/sched_rt_runtime_us", "-1");
  EXPECT_FALSE(read_rt_throttling(root.path()).known);
  root.file("/sys/kernel/debug/sched/fair_server/cpu0/runtime", "0");
  root.file("/sys/kernel/debug/sched/fair_server/cpu0/period", "1000000000");
  EXPECT_TRUE(read_rt_throttling(root.path()).known);
  EXPECT_EQ(read_rt_throttling(root.path()).by, RtThrottling::By::nothing);
  root.file("/sys/kernel/debug/sched/fair_server/cpu1/runtime", "50000000");
  root.file("/sys/kernel/debug/sched/fair_server/cpu1/period", "1000000000");
  EXPECT_EQ(read_rt_throttling(root.path()).stop_ns, 50'000'000u);
  EXPECT_EQ(read_rt_throttling(root.path()).by, RtThrottling::By::fair_server);
  EXPECT_EQ(read_rt_throttling(root.path(), {0}).by, RtThrottling::By::nothing) << "CPU 1's is none of CPU 0's";
  EXPECT_EQ(read_rt_throttling(root.path(), {0, 1}).by, RtThrottling::By::fair_server);
  EXPECT_FALSE(read_rt_throttling(root.path(), {7}).known);
}

// Defect this watches: a kernel with CONFIG_RT_GROUP_SCHED has RT throttling beside the fair server, and "off" was said
// when the server alone was off.
TEST(Realtime, RtThrottlingOfANewerKernelThatHasItStill) {
  using By = RtThrottling::By;
  test::FakeRoot root;
  root.file("/proc/sys/kernel/osrelease", "6.12.38");
  root.file("/proc/sys/kernel/sched_rt_period_us", "100000");
  root.file("/proc/sys/kernel/sched_rt_runtime_us", "90000");
  EXPECT_FALSE(read_rt_throttling(root.path()).known);
  EXPECT_EQ(read_rt_throttling(root.path()).by, By::either) << "neither server nor configuration can be read";
  root.file("/sys/kernel/debug/sched/fair_server/cpu0/runtime", "0");
  root.file("/sys/kernel/debug/sched/fair_server/cpu0/period", "1000000000");
  EXPECT_EQ(read_rt_throttling(root.path()).by, By::rt_throttling) << "the limit is there, and may be heeded";
  root.file("/boot/config-6.12.38", "CONFIG_HZ=250\n# CONFIG_RT_GROUP_SCHED is not set\n");
  EXPECT_EQ(read_rt_throttling(root.path()).by, By::nothing);
  root.file("/boot/config-6.12.38", "CONFIG_HZ=250\nCONFIG_RT_GROUP_SCHED=y\nCONFIG_CPUSETS=y\n");
  EXPECT_EQ(read_rt_throttling(root.path()).by, By::rt_throttling);
  EXPECT_EQ(read_rt_throttling(root.path()).stop_ns, 10'000'000u);
  EXPECT_EQ(read_rt_throttling(root.path()).period_ns, 100'000'000u);
  root.file("/sys/kernel/debug/sched/fair_server/cpu0/runtime", "50000000");
  EXPECT_EQ(read_rt_throttling(root.path()).by, By::rt_throttling) << "a tenth is more than a twentieth";
  root.file("/sys/kernel/debug/sched/fair_server/cpu0/runtime", "100000000");
  EXPECT_EQ(read_rt_throttling(root.path()).by, By::either);
  root.file("/sys/kernel/debug/sched/fair_server/cpu0/runtime", "200000000");
  EXPECT_EQ(read_rt_throttling(root.path()).by, By::fair_server);
  root.file("/proc/sys/kernel/sched_rt_runtime_us", "-1");
  root.file("/sys/kernel/debug/sched/fair_server/cpu0/runtime", "0");
  EXPECT_EQ(read_rt_throttling(root.path()).by, By::nothing);
}

}  // namespace
}  // namespace maxlat::core
