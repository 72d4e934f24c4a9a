// SPDX-License-Identifier: MIT
// What befalls a producer: it becomes another program, it has no descriptors or locked memory left, or its tracer is
// newer than who reads it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>

#include "sensors/test_group.hpp"
#include "sensors/test_group_copy.hpp"
#include "shm/container_layout.h"

namespace {

using namespace maxlat::sensors;
using namespace maxlat::sensors::test;
using Sensors = OneOfEach<kThread>;

TEST(Producer, ThatBecomesAnotherProgramHasNoSensors) {
  int to[2], from[2];
  ASSERT_EQ(pipe2(to, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(from, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    TestGroup<Sensors> group("replaced");
    const auto mine = find_groups(getpid());
    if (!mine || mine->size() != 1 || dup2(to[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0) _exit(1);
    execlp("cat", "cat", nullptr);
    _exit(1);
  }
  close(to[0]);
  close(from[1]);
  char letter = 'x';
  ASSERT_EQ(write(to[1], &letter, 1), 1);
  ASSERT_EQ(read(from[0], &letter, 1), 1) << "it is cat now";
  const auto groups = find_groups(child);
  ASSERT_TRUE(groups) << groups.error().text;
  EXPECT_TRUE(groups->empty());
  close(to[1]);
  close(from[0]);
  waitpid(child, nullptr, 0);
}

// Sanitizers need descriptors (UBSan looks at an object's memory through a pipe) and memory themselves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// A group that cannot be published, and what is posted to it before and after.
int post_around_refused_publication(SensorGroup<Sensors>& group) {
  group->counter.add();
  if (publish_group(&group, group.kBytes, "refused")) return 1;
  group->counter.add();
  return reinterpret_cast<const maxlat_counter&>(group->counter).value == 2 ? 0 : 2;
}

TEST(Producer, WithoutADescriptorLeftPosts) {
  EXPECT_EQ(in_child([] {
              const auto group = std::make_unique<SensorGroup<Sensors>>();
              const rlimit none{0, 0};
              setrlimit(RLIMIT_NOFILE, &none);
              return post_around_refused_publication(*group);
            }),
            0);
}

TEST(Producer, ThatMayNotLockMorePosts) {
  EXPECT_EQ(in_child([] {
              const auto group = std::make_unique<SensorGroup<Sensors>>();
              if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) return 3;
              const rlimit none{4096, 4096};
              setrlimit(RLIMIT_MEMLOCK, &none);
              if (mlockall(MCL_FUTURE) != 0) return 4;
              return post_around_refused_publication(*group);
            }),
            0);
}
#endif

// Of a kind that this monitor does not know: it is listed without a value, and the others are read.
TEST(Producer, OfALaterTracerIsReadAsFarAsItIsKnown) {
  TestGroup<Sensors> group("later");
  group->counter.add(5);
  const GroupCopy copy("later");
  const auto& header = *reinterpret_cast<const maxlat_shm_header*>(copy.bytes());
  auto* const entries = reinterpret_cast<maxlat_shm_entry*>(copy.bytes() + header.table_offset);
  auto* const stat = std::find_if(entries, entries + header.table_capacity, [](const maxlat_shm_entry& entry) {
    return std::string_view(entry.name) == "stat";
  });
  ASSERT_NE(stat, entries + header.table_capacity);
  stat->kind = 4711;
  const auto view = GroupView::attach(copy.descriptor());
  ASSERT_TRUE(view) << view.error().text;
  ASSERT_EQ(view->sensors().size(), 7u);
  EXPECT_EQ(facts_of(*view, "stat").kind, SensorKind::unknown);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(view->read(facts_of(*view, "stat"))));
  EXPECT_EQ(value_of<CounterValue>(*view, "counter").value, 5u);
}

}  // namespace
