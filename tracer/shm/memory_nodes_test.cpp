// SPDX-License-Identifier: MIT
// What is read of a machine's nodes. Where the pages of rings lie is asked in a guest with two of them:
// tests/guest/two_nodes.guest.sh.
#include "shm/memory_nodes.hpp"

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <maxlat/test/system_calls.hpp>
#include <maxlat/test/temporary_folder.hpp>

#include "shm/session_file.hpp"

namespace maxlat::trace {
namespace {

class MemoryNodesTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text + "\n"); }
  MemoryNodes read() const { return MemoryNodes::read(folder_.path()); }

  maxlat::test::TemporaryFolder folder_;
};

TEST_F(MemoryNodesTest, OneNodeIsNoChoice) {
  EXPECT_FALSE(read().several()) << "a kernel without NUMA has no such folder";
  write("online", "0");
  write("has_memory", "0");
  write("node0/cpulist", "0-3");
  EXPECT_FALSE(read().several());
}

TEST_F(MemoryNodesTest, TwoNodesOfWhichOneHasMemoryAreNoChoice) {
  write("online", "0-1");
  write("has_memory", "1");
  write("node0/cpulist", "0-1");
  write("node1/cpulist", "2-3");
  EXPECT_FALSE(read().several());
}

TEST_F(MemoryNodesTest, EachCpuIsOnItsNode) {
  write("online", "0,2-3");
  write("has_memory", "0,3");
  write("node0/cpulist", "0,4-5");
  write("node2/cpulist", "1,6");
  write("node3/cpulist", "");
  const MemoryNodes nodes = read();
  ASSERT_TRUE(nodes.several());
  for (const unsigned cpu : {0u, 4u, 5u}) EXPECT_EQ(nodes.of_cpu(cpu), 0) << cpu;
  for (const unsigned cpu : {1u, 6u}) EXPECT_EQ(nodes.of_cpu(cpu), 2) << cpu;
  for (const unsigned cpu : {2u, 3u, 7u, 100'000u}) EXPECT_EQ(nodes.of_cpu(cpu), kNoNode) << cpu;
}

TEST_F(MemoryNodesTest, SeveralCpusAreOnANodeThatHasAllOfThem) {
  write("online", "0-1");
  write("has_memory", "0-1");
  write("node0/cpulist", "0-1");
  write("node1/cpulist", "2-3");
  const MemoryNodes nodes = read();
  const auto of = [&](const char* list) { return nodes.of_cpus(detail::cpu_mask(list).value()); };
  EXPECT_EQ(of("0"), 0);
  EXPECT_EQ(of("2-3"), 1);
  EXPECT_EQ(of("1-2"), kNoNode);
  EXPECT_EQ(of("3-4"), kNoNode);
  EXPECT_EQ(of(""), kNoNode);
}

// Pinned, it is on the node of its CPU, of whatever machine; else on that of the CPU that /proc says.
TEST_F(MemoryNodesTest, AThreadIsWhereItMayRunOrWhereItIs) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const int cpu = sched_getcpu();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  write("online", "0-1");
  write("has_memory", "0-1");
  write("node0/cpulist", "");
  write("node1/cpulist", std::to_string(cpu));
  const auto me = static_cast<std::uint32_t>(syscall(SYS_gettid));
  EXPECT_EQ(read().of_thread(me), 1);
  if (CPU_COUNT(&before) > 1) {
    ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
    // Each CPU on a node of its own: then only /proc knows.
    for (const char* list : {"has_memory", "online"}) write(list, "0-" + std::to_string(CPU_SETSIZE - 1));
    for (int each = 0; each < CPU_SETSIZE; ++each) {
      if (CPU_ISSET(each, &before)) write("node" + std::to_string(each) + "/cpulist", std::to_string(each));
    }
    const MemoryNodes nodes = read();
    bool right = false;
    for (int i = 0; i < 1000 && !right; ++i) {  // it may be moved between the two looks
      const int now = sched_getcpu();
      right = nodes.of_thread(me) == now && sched_getcpu() == now;
    }
    EXPECT_TRUE(right);
  }
  EXPECT_EQ(read().of_thread(0x7ffffff0), kNoNode) << "no kernel has such a number";
}

TEST(RingsOfOneNode, AreMadeWithoutACallForIt) {
  if (memory_nodes().several()) GTEST_SKIP() << "this machine has several nodes";
  const pid_t child = fork();
  if (child == 0) {
    const ChannelLayout channel{.name = "all", .sub_buffer_bits = 12, .ring_bits = 1, .slots = 1};
    const auto file = SessionFile::create({.name = "test", .process = "program", .pid = 1}, {&channel, 1});
    if (!file || !maxlat::test::forbid_system_call(SYS_mbind)) _exit(2);
    _exit((*file)->map_ring(0, 0, 0) != nullptr ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace maxlat::trace
