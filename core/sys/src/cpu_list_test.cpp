// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <sched.h>

#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <random>
#include <thread>

namespace maxlat::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CpuList every(unsigned count) {
  CpuList cpus(count);
  for (unsigned i = 0; i < count; ++i) cpus[i] = i;
  return cpus;
}

TEST(CpuList, ReadsTheKernelsFormat) {
  EXPECT_THAT(*parse_cpu_list("0,2-5"), ElementsAre(0, 2, 3, 4, 5));
  EXPECT_THAT(*parse_cpu_list("5,0,5,2-3,3"), ElementsAre(0, 2, 3, 5));  // sorted, no duplicates
  EXPECT_THAT(*parse_cpu_list("1-7:2"), ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(*parse_cpu_list("0-6:2"), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(*parse_cpu_list("0-31:2/8"), ElementsAre(0, 1, 8, 9, 16, 17, 24, 25));
  EXPECT_THAT(*parse_cpu_list("0-9:3/4"), ElementsAre(0, 1, 2, 4, 5, 6, 8, 9));  // the last group is cut
  EXPECT_THAT(*parse_cpu_list("0,2-5,9-15:3"), ElementsAre(0, 2, 3, 4, 5, 9, 12, 15));
  EXPECT_THAT(*parse_cpu_list(" 3\n"), ElementsAre(3));  // as read from /sys
  EXPECT_THAT(*parse_cpu_list("65535"), ElementsAre(65535));
  EXPECT_EQ(parse_cpu_list("65530-65535:65535")->size(), 1u);
  EXPECT_EQ(*parse_cpu_list("all"), *online_cpus());
}

TEST(CpuList, RefusesWhatIsNotAList) {
  for (const char* text : {"",
                           " ",
                           ",",
                           "0,",
                           ",0",
                           "0,,1",
                           "a",
                           "1a",
                           "-1",
                           "1-",
                           "-",
                           "3-1",
                           "1-2-3",
                           "0-3:",
                           "0-3:0",
                           "0-3:0/2",
                           "0-3:3/2",
                           "0-3:1/",
                           "0-3:/2",
                           "3:2",
                           "65536",
                           "0-65536",
                           "99999999999999999999",
                           "0x1",
                           "0 1",
                           "0-3:2:2",
                           "0-3:1/2/3",
                           "+1",
                           "ALL",
                           "all,1"}) {
    const auto cpus = parse_cpu_list(text);
    ASSERT_FALSE(cpus.ok()) << '"' << text << '"';
    EXPECT_FALSE(cpus.error().text.empty());
    EXPECT_FALSE(cpus.error().hint.empty());
  }
  EXPECT_THAT(parse_cpu_list("0,5-2").error().text, HasSubstr("\"5-2\""));  // names the element at fault
}

TEST(CpuList, ANodeMeansItsCpus) {
  const auto of_node = read_text("/sys/devices/system/node/node0/cpulist");
  if (!of_node) GTEST_SKIP() << "this kernel knows no nodes";
  EXPECT_EQ(*parse_cpu_list("node0"), *parse_cpu_list(*of_node));
  const auto none = parse_cpu_list("node4711");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text, "this machine has no NUMA node \"node4711\"");
  for (const char* text : {"node", "nodes", "node-1", "node0x", "node0,1"}) EXPECT_FALSE(parse_cpu_list(text)) << text;
}

TEST(CpuList, WritesTheShortestForm) {
  EXPECT_EQ(to_string({}), "");
  EXPECT_EQ(to_string({0}), "0");
  EXPECT_EQ(to_string({0, 2, 3, 4}), "0,2-4");
  EXPECT_EQ(to_string({0, 1, 7, 1023}), "0-1,7,1023");
}

TEST(CpuList, MasksOfEveryWidthComeBack) {
  for (unsigned count = 1; count <= 1024; ++count) {
    const CpuList cpus = every(count);
    ASSERT_EQ(*parse_cpu_mask(to_mask(cpus)), cpus);
    ASSERT_EQ(*parse_cpu_list(to_string(cpus)), cpus);
    const CpuList last{count - 1};
    ASSERT_EQ(*parse_cpu_mask(to_mask(last)), last);
  }
}

TEST(CpuList, MasksAreTheKernels) {
  EXPECT_EQ(to_mask({}), "0");
  EXPECT_EQ(to_mask({0, 1, 2, 3}), "f");
  EXPECT_EQ(to_mask({0, 31, 32}), "1,80000001");
  EXPECT_EQ(to_mask({64}), "1,00000000,00000000");
  EXPECT_THAT(*parse_cpu_mask("00000000,0000000f"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(*parse_cpu_mask("0"), IsEmpty());
  EXPECT_THAT(*parse_cpu_mask("00000000,00000000\n"), IsEmpty());
  EXPECT_THAT(*parse_cpu_mask("1,0"), ElementsAre(32));  // a short group is still 32 bits
  EXPECT_THAT(*parse_cpu_mask("8000000000000000"), ElementsAre(63));
  EXPECT_THAT(*parse_cpu_mask("FfF"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  for (const char* text : {"", ",", "1,", ",1", "1,,1", "g", "0x1", "-1", "1,000000001", " 1 1"})
    EXPECT_FALSE(parse_cpu_mask(text).ok()) << '"' << text << '"';
  EXPECT_FALSE(parse_cpu_mask("1" + std::string(65536 / 4, '0')).ok());  // CPU 65536
}

// Random lists come back from both forms; random strings are refused or come back, and never crash.
TEST(CpuList, RandomListsAndRandomText) {
  std::mt19937 random(20261121);
  for (int round = 0; round < 2000; ++round) {
    CpuList cpus;
    for (unsigned cpu = 0; cpu < 300; ++cpu)
      if (random() % 100 < random() % 100) cpus.push_back(cpu);
    ASSERT_EQ(*parse_cpu_mask(to_mask(cpus)), cpus);
    if (!cpus.empty()) {
      ASSERT_EQ(*parse_cpu_list(to_string(cpus)), cpus);
    }
  }
  const std::string alphabet = "0123456789,,--:/af x";
  for (int round = 0; round < 50000; ++round) {
    std::string text;
    for (size_t length = random() % 12; length > 0; --length) text += alphabet[random() % alphabet.size()];
    if (const auto cpus = parse_cpu_list(text); cpus.ok()) {
      ASSERT_EQ(*parse_cpu_list(to_string(*cpus)), *cpus) << text;
    }
    if (const auto cpus = parse_cpu_mask(text); cpus.ok()) {
      ASSERT_EQ(*parse_cpu_mask(to_mask(*cpus)), *cpus) << text;
    }
  }
}

TEST(CpuList, SetOperations) {
  EXPECT_THAT(difference({0, 1, 2, 70}, {1, 70}), ElementsAre(0, 2));
  EXPECT_THAT(intersection({0, 1, 2, 70}, {1, 70, 99}), ElementsAre(1, 70));
  EXPECT_TRUE(contains({3, 700}, 700));
  EXPECT_FALSE(contains({3, 700}, 4));
}

TEST(CpuList, AllowedIsTheThreadsAffinityAndAssignableIsNot) {
  const CpuList assignable = *assignable_cpus();
  ASSERT_FALSE(assignable.empty());
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(assignable.front(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_THAT(*allowed_cpus(), ElementsAre(assignable.front()));
    EXPECT_EQ(*assignable_cpus(), assignable);                      // taskset and isolcpus do not forbid, a cpuset does
    EXPECT_THAT(*allowed_cpus(), ElementsAre(assignable.front()));  // and asking changed nothing
  }).join();
}

TEST(CpuList, EachReasonForAnUnusableCpuHasItsOwnText) {
  const CpuPools pools{{0, 1, 2, 3}, {0, 1, 3}, {0, 3}};
  EXPECT_TRUE(require_usable({0, 3}, pools).ok());
  EXPECT_THAT(require_usable({0, 9}, pools).error().text, HasSubstr("CPU 9 does not exist"));
  EXPECT_THAT(require_usable({0, 9}, pools).error().hint, HasSubstr("0-3"));
  EXPECT_THAT(require_usable({2}, pools).error().text, HasSubstr("CPU 2 is offline"));
  EXPECT_THAT(require_usable({1}, pools).error().text, HasSubstr("CPU 1 is not allowed"));
  EXPECT_FALSE(require_usable({}, pools).ok());
}

TEST(CpuList, ThisMachine) {
  EXPECT_TRUE(require_usable(*assignable_cpus()).ok());
  EXPECT_THAT(require_usable({60000}).error().text, HasSubstr("CPU 60000 does not exist"));
}

}  // namespace
}  // namespace maxlat::core
