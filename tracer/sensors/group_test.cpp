// SPDX-License-Identifier: MIT
// The way of a group into shared memory: nothing that was posted is lost on it, nobody but the program can write there,
// a child is on its own, and what cannot be published is refused and works all the same.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <maxlat/base/owned.hpp>
#include <string>

#include "sensors/test_group.hpp"

namespace {

using namespace maxlat::sensors;
using namespace maxlat::sensors::test;
using Sensors = OneOfEach<kThread>;

struct AtLoad {
  Counter counter{"counter"};
};
MAXLAT_SENSORS(at_load, AtLoad)

// Posted to before anything of this program's own has run.
const bool posted_early = [] {
  at_load->counter.add(3);
  return true;
}();

std::string refusal(void* pages, std::size_t bytes, std::string_view name) {
  const auto status = publish_group(pages, bytes, name);
  return status ? "" : status.error().text;
}

TEST(SensorGroup, IsSeenFromTheLoadOfItsModuleOn) {
  ASSERT_TRUE(posted_early);
  const auto groups = find_groups(getpid());
  ASSERT_TRUE(groups) << groups.error().text;
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_EQ(groups->front().group(), "at_load");
  EXPECT_EQ(groups->front().pid(), getpid());
  EXPECT_EQ(value_of<CounterValue>(groups->front(), "counter").value, 3u);
}

TEST(SensorGroup, NumbersItsSensorsInTheOrderOfItsStruct) {
  struct Three {
    Counter first{"first"}, second{"second"}, third{"third"};
  };
  OwnedGroup<Three> group;
  ASSERT_TRUE(group.publish("numbered"));
  const auto groups = find_groups(getpid());
  ASSERT_TRUE(groups);
  const GroupView& view = groups->back();
  ASSERT_EQ(view.group(), "numbered");
  for (const SensorFacts& sensor : view.sensors()) {
    EXPECT_EQ(sensor.id, sensor.place) << sensor.name;
    EXPECT_EQ(matches("numbered/#1", view, sensor), sensor.name == "second");
    EXPECT_EQ(matches(view.instance() + "/numbered/#2", view, sensor), sensor.name == "third");
    EXPECT_FALSE(matches("other/#1", view, sensor));
  }
}

TEST(SensorGroup, KeepsWhatWasPostedBeforeAndStaysWhereItIs) {
  OwnedGroup<Sensors> group;
  Counter* const before = &group->counter;
  before->add(7);
  ASSERT_TRUE(group.publish("kept"));
  before->add(1);
  const auto groups = find_groups(getpid());
  ASSERT_TRUE(groups);
  const auto kept =
      std::find_if(groups->begin(), groups->end(), [](const auto& view) { return view.group() == "kept"; });
  ASSERT_NE(kept, groups->end());
  EXPECT_EQ(value_of<CounterValue>(*kept, "counter").value, 8u);
  EXPECT_TRUE(withdraw_group(&group.pages()));
  before->add(1);
  EXPECT_EQ(find_groups(getpid())->size(), groups->size() - 1);
}

TEST(SensorGroup, IsSeenOnceHoweverManyDescriptorsItHas) {
  const auto seen = [] { return find_groups(getpid())->size(); };
  const TestGroup<Sensors> group("twice");
  const std::size_t before = seen();
  const int another = dup(number_of("twice"));
  ASSERT_GE(another, 0);
  EXPECT_EQ(seen(), before);
  close(another);
}

TEST(SensorGroup, NobodyElseCanWrite) {
  const TestGroup<Sensors> group;
  const maxlat::base::Descriptor memory(descriptor_of("test", O_RDWR));
  ASSERT_TRUE(memory);
  EXPECT_EQ(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory.number(), 0), MAP_FAILED);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(pwrite(memory.number(), "x", 1, 0), -1);
  EXPECT_EQ(ftruncate(memory.number(), 0), -1);
  EXPECT_EQ(fcntl(memory.number(), F_ADD_SEALS, F_SEAL_WRITE), -1);
  void* const readable = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, memory.number(), 0);
  ASSERT_NE(readable, MAP_FAILED);
  EXPECT_EQ(mprotect(readable, 4096, PROT_READ | PROT_WRITE), -1);
  munmap(readable, 4096);
}

// It is whatever the heap had there before.
TEST(SensorGroup, WhatIsBehindTheSensorsIsNotShown) {
  OwnedGroup<Sensors> group;
  auto* const bytes = reinterpret_cast<char*>(&group.pages());
  constexpr std::size_t kBytes = SensorGroup<Sensors>::kBytes;
  std::memset(bytes + kBytes, 's', sizeof(SensorGroup<Sensors>) - kBytes);
  ASSERT_TRUE(group.publish("secret"));
  const maxlat::base::Descriptor memory(descriptor_of("secret", O_RDONLY));
  std::string all(1 << 16, '\0');
  const ssize_t length = pread(memory.number(), all.data(), all.size(), 0);
  ASSERT_GT(length, 4096);
  EXPECT_EQ(all.find("ssss"), std::string::npos);
}

TEST(SensorGroup, AViewOutlivesTheGroup) {
  auto group = std::make_unique<TestGroup<Sensors>>();
  (*group)->counter.add(5);
  const GroupView view = group->view();
  group.reset();
  EXPECT_EQ(value_of<CounterValue>(view, "counter").value, 5u);
}

TEST(SensorGroup, AChildHasACopyOfItsOwn) {
  TestGroup<Sensors> group;
  const GroupView view = group.view();
  group->counter.add(5);
  EXPECT_EQ(in_child([&] {
              group->counter.add(100);
              const auto mine = find_groups(getpid());
              return mine && mine->empty() ? 0 : 1;
            }),
            0);
  EXPECT_EQ(value_of<CounterValue>(view, "counter").value, 5u);
}

TEST(SensorGroup, AChildMayPublishItsCopy) {
  TestGroup<Sensors> group;
  group->counter.add(5);
  EXPECT_EQ(in_child([&] {
              if (!group.again()) return 1;
              group->counter.add(1);
              const GroupView mine = group.view();
              return mine.pid() == getpid() && value_of<CounterValue>(mine, "counter").value == 6 ? 0 : 2;
            }),
            0);
  EXPECT_EQ(value_of<CounterValue>(group.view(), "counter").value, 5u);
}

TEST(SensorGroup, IsReadWhenItsProgramWasKilled) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t child = fork();
  if (child == 0) {
    TestGroup<Sensors> group("killed");
    group->counter.add(5);
    if (write(told[1], "", 1) == 1) pause();
    _exit(1);
  }
  char word = 1;
  ASSERT_EQ(read(told[0], &word, 1), 1);
  auto groups = find_groups(child);
  ASSERT_TRUE(groups) << groups.error().text;
  ASSERT_EQ(groups->size(), 1u);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(groups->front().pid(), child);
  EXPECT_EQ(value_of<CounterValue>(groups->front(), "counter").value, 5u);
  EXPECT_FALSE(find_groups(child));
  close(told[0]);
  close(told[1]);
}

// A daemon closes all descriptors that it does not know, and the number becomes another file's.
TEST(SensorGroup, AnotherFileUnderItsNumberIsLeftAlone) {
  TestGroup<Sensors> group;
  int number = -1;
  for (int each = 0; each < 1024 && number < 0; ++each) {
    char target[128]{};
    const std::string path = "/proc/self/fd/" + std::to_string(each);
    if (readlink(path.c_str(), target, sizeof target - 1) > 0 &&
        std::string_view(target).starts_with("/memfd:maxlat-sensors:test "))
      number = each;
  }
  ASSERT_GE(number, 0);
  ASSERT_EQ(dup2(STDERR_FILENO, number), number);
  EXPECT_EQ(in_child([&] { return fcntl(number, F_GETFD) < 0 ? 1 : 0; }), 0);
  EXPECT_TRUE(group.again());
  EXPECT_GE(fcntl(number, F_GETFD), 0);
  close(number);
  EXPECT_EQ(value_of<CounterValue>(group.view(), "counter").value, 0u);
}

// A copy that was taken in the middle of a post.
TEST(SensorGroup, IsSettledWhenItIsPublished) {
  OwnedGroup<Sensors> group;
  group->stat.post(4);
  ++reinterpret_cast<maxlat_stat&>(group->stat).begun;
  ASSERT_TRUE(group.publish("settled"));
  const auto groups = find_groups(getpid());
  const auto view = std::find_if(groups->begin(), groups->end(), [](const auto& g) { return g.group() == "settled"; });
  ASSERT_NE(view, groups->end());
  EXPECT_TRUE(value_of<StatValue>(*view, "stat").settled);
}

TEST(SensorGroup, ANameThatMonitorsRefuseIsRefused) {
  struct Named {
    Counter one{Name(Text<MAXLAT_SENSOR_NAME>::of("cpu 3/load"))};
  };
  auto group = std::make_unique<SensorGroup<Named>>();
  EXPECT_EQ(refusal(group.get(), group->kBytes, "a"), "not a name for a sensor: \"cpu 3/load\"");
}

TEST(SensorGroup, AnotherOfTheSameNameIsRefused) {
  const TestGroup<Sensors> group;
  auto other = std::make_unique<SensorGroup<Sensors>>();
  EXPECT_EQ(refusal(other.get(), other->kBytes, "test"), "another group of this process is called test");
}

TEST(SensorGroup, WhatCannotBePublishedIsRefusedWithTheReason) {
  TestGroup<Sensors> group;
  EXPECT_EQ(group.again().error().text, "the group test is published already");
  auto other = std::make_unique<SensorGroup<Sensors>>();
  auto* const bytes = reinterpret_cast<std::uint8_t*>(other.get());
  EXPECT_EQ(refusal(bytes, other->kBytes, "a/b"), "not a name for a group: \"a/b\"");
  EXPECT_EQ(refusal(bytes, other->kBytes, ""), "not a name for a group: \"\"");
  EXPECT_EQ(refusal(bytes + 64, other->kBytes, "a"), "the group does not begin with a page of 4096 bytes");
  EXPECT_EQ(refusal(bytes, other->kBytes - 64, "a"), "at byte 2560 of the group is something else than a sensor");
  bytes[256] ^= 1;  // the second sensor's magic number
  EXPECT_EQ(refusal(bytes, other->kBytes, "a"), "at byte 256 of the group is something else than a sensor");
  std::memset(bytes, 0, other->kBytes);
  EXPECT_EQ(refusal(bytes, other->kBytes, "a"), "at byte 0 of the group is something else than a sensor");
  EXPECT_EQ(refusal(bytes, 0, "a"), "the group has no sensor");
  EXPECT_EQ(find_groups(getpid())->size(), 2u);
}

TEST(SensorGroup, TwoOfOneNameAreRefused) {
  struct Twice {
    Counter one{"same"};
    Gauge two{"same"};
  };
  auto group = std::make_unique<SensorGroup<Twice>>();
  EXPECT_EQ(refusal(group.get(), group->kBytes, "a"), "two sensors of the group are called same");
}

TEST(SensorGroup, WithoutMemoryItStaysPrivateAndWorks) {
  EXPECT_EQ(in_child([] {
              const rlimit little{4096, 4096};
              setrlimit(RLIMIT_FSIZE, &little);
              const auto group = std::make_unique<SensorGroup<Sensors>>();
              (*group)->counter.add();
              if (publish_group(group.get(), group->kBytes, "a")) return 1;
              (*group)->counter.add();
              return 0;
            }),
            0);
}

// Memory that is asked for anew is refused there, and a post must work all the same.
TEST(SensorGroup, AChildWithoutMemoryForACopyPosts) {
  EXPECT_EQ(in_child([] {
              TestGroup<Sensors> group("little");
              group->counter.add(5);
              const NoMoreMemory limit;
              const int ended = in_child([&] {
                group->counter.add(100);
                return 3;
              });
              return ended == 3 ? 0 : 1;
            }),
            0);
}

// A signal that comes while memory is taken ends that, and a timer's comes again and again.
TEST(SensorGroup, IsPublishedInAStormOfSignals) {
  EXPECT_EQ(in_child([] {
              struct Large {
                Map<Cells{.low = 0, .width = 1, .count = 1024}, Cells{.low = 0, .width = 1, .count = 1024}> map{
                    "map", "", {"x"}, {"y"}};
              };
              const auto group = std::make_unique<SensorGroup<Large>>();
              signal(SIGALRM, [](int) {});
              const itimerval often{.it_interval = {0, 200}, .it_value = {0, 200}};
              if (setitimer(ITIMER_REAL, &often, nullptr) != 0) return 2;
              return publish_group(group.get(), group->kBytes, "large") ? 0 : 1;
            }),
            0);
}

TEST(FindGroups, SaysWhyAProcessCannotBeLookedAt) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const auto groups = find_groups(gone);
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().text,
            "cannot look at the descriptors of process " + std::to_string(gone) + ": no such file or directory");
}

}  // namespace
