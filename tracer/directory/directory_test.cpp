// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <maxlat/sensors/directory.hpp>
#include <thread>

#include "directory/hand_over.hpp"
#include "directory/known_groups.hpp"
#include "directory/messages.hpp"
#include "directory/test_directory.hpp"
#include "sensors/test_group.hpp"
#include "sensors/test_group_copy.hpp"
#include "sensors/test_process.hpp"
#include "shm/container_layout.h"
#include "shm/local_socket.hpp"

namespace maxlat::sensors {
namespace {

using namespace detail;
using test::Counted;
using test::GroupCopy;
using test::Places;
using test::RunningDirectory;
using test::TestGroup;

// A process with the group "dying", which has counted to seven, until it is killed.
class Program : public test::LivingProcess {
 public:
  explicit Program(const std::vector<std::string>& directories)
      : LivingProcess([&] {
          auto& group = *new TestGroup<Counted>("dying");
          for (int i = 0; i < 7; ++i) group->count.add();
          hand_over(test::number_of("dying"), directories);
          return true;
        }) {}
};

std::optional<KnownGroup> kept_of(const Places& places, pid_t pid, const std::string& group = "dying") {
  for (KnownGroup& known : groups_of_directories(places.all(), false, nullptr))
    if (known.group.pid() == pid && known.group.group() == group) return std::move(known);
  return std::nullopt;
}

// The directory takes it, and hears of the end, when it comes to that.
KnownGroup wait_for(const Places& places, pid_t pid, bool ended) {
  for (;;) {
    std::optional<KnownGroup> known = kept_of(places, pid);
    if (known && known->ended == ended) return std::move(*known);
    std::this_thread::yield();
  }
}

TEST(Directory, KeepsWhatAKilledProgramPostedLast) {
  const Places places;
  const RunningDirectory directory(places);
  Program program(places.all());
  const pid_t pid = program.pid();
  EXPECT_FALSE(wait_for(places, pid, false).ended);
  program.kill();
  const KnownGroup kept = wait_for(places, pid, true);
  EXPECT_EQ(kept.group.group(), "dying");
  EXPECT_EQ(test::value_of<CounterValue>(kept.group, "count").value, 7u);
}

TEST(Directory, WhatItHandsOutCannotBeWritten) {
  const Places places;
  const RunningDirectory directory(places);
  const Program program(places.all());
  (void)wait_for(places, program.pid(), false);
  const base::Descriptor socket = connect_to_directory(places.path());
  RequestMessage request{.request = Request::next};
  for (;;) {
    ASSERT_TRUE(trace::detail::send_message(socket.number(), bytes_of(request), {}));
    AnswerMessage answer;
    trace::detail::ReceivedMessage received;
    while (received.size < 0) received = trace::detail::receive_message(socket.number(), room_of(answer), 1);
    ASSERT_TRUE(is_message(answer, received.size));
    ASSERT_EQ(received.descriptors.size(), 1u);
    const base::Descriptor& memory = received.descriptors.front();
    ASSERT_EQ(answer.answer, Answer::group);
    request.after = answer.serial;
    if (answer.pid != program.pid()) continue;
    EXPECT_EQ(fcntl(memory.number(), F_GETFL) & O_ACCMODE, O_RDONLY);
    EXPECT_EQ(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory.number(), 0), MAP_FAILED);
    const std::string again = "/proc/self/fd/" + std::to_string(memory.number());
    const base::Descriptor writable(open(again.c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_EQ(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writable.number(), 0), MAP_FAILED);
    break;
  }
}

TEST(Directory, ANewOneHasWhatRunsAlready) {
  const Places places;
  const Program program({});
  const RunningDirectory directory(places);
  EXPECT_TRUE(kept_of(places, program.pid()));
}

TEST(Directory, MonitorsGoOnWhenItDies) {
  const Places places;
  TestGroup<Counted> group("outlives");
  std::optional<KnownGroup> known;
  {
    const RunningDirectory directory(places);
    known = kept_of(places, getpid(), "outlives");
    ASSERT_TRUE(known);
  }
  group->count.add();
  EXPECT_EQ(test::value_of<CounterValue>(known->group, "count").value, 1u);
  EXPECT_TRUE(groups_of_directories(places.all(), false, nullptr).empty());
  const RunningDirectory next(places);
  EXPECT_TRUE(kept_of(places, getpid(), "outlives"));
}

TEST(Directory, TwoCannotBeInOnePlace) {
  const Places places;
  const RunningDirectory directory(places);
  DirectoryOptions options;
  options.path = places.path();
  const auto second = Directory::open(std::move(options));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().text, "there is a directory at " + places.path() + " already");
}

TEST(Directory, OneThatDoesNotAnswerHoldsNobodyUp) {
  const Places places;
  DirectoryOptions options;
  options.path = places.path();
  const auto stopped = Directory::open(std::move(options));
  ASSERT_TRUE(stopped);
  std::vector<std::string> refused;
  EXPECT_TRUE(groups_of_directories(places.all(), false, &refused).empty());
  EXPECT_EQ(refused, std::vector<std::string>{places.path() + ": the directory does not answer"});
  // And it is not asked again at once.
  refused.clear();
  EXPECT_TRUE(groups_of_directories(places.all(), false, &refused).empty());
  EXPECT_TRUE(refused.empty());
}

TEST(Directory, TakesMemoryOfGroupsAndOfWhoHandsItOver) {
  const Places places;
  const RunningDirectory directory(places);
  const std::size_t before = groups_of_directories(places.all(), false, nullptr).size();
  const base::Descriptor unsealed(memfd_create("maxlat-sensors:none", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const base::Descriptor file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const base::Descriptor event(eventfd(0, EFD_CLOEXEC));
  for (const int memory : {unsealed.number(), file.number(), event.number(), -1}) hand_over(memory, places.all());
  // A copy whose header says that another process made it.
  const TestGroup<Counted> group("original");
  const GroupCopy copy("original");
  reinterpret_cast<maxlat_shm_header*>(copy.bytes())->pid_start_time ^= 1;
  copy.bytes()[offsetof(maxlat_shm_header, uuid)] ^= 1;
  hand_over(copy.descriptor(), places.all());
  const Program last(places.all());
  (void)wait_for(places, last.pid(), false);
  EXPECT_EQ(groups_of_directories(places.all(), false, nullptr).size(), before + 1);
}

TEST(Directory, NobodyKeepsOthersFromIt) {
  const Places places;
  const RunningDirectory directory(places);
  std::vector<base::Descriptor> idle;
  for (int i = 0; i < 100; ++i) idle.push_back(connect_to_directory(places.path()));
  const char garbage[40] = "not of this protocol";
  for (std::size_t size = 1; size <= sizeof garbage; ++size) {
    const base::Descriptor socket = connect_to_directory(places.path());
    const int some = socket.number();
    EXPECT_TRUE(trace::detail::send_message(some, {garbage, size}, {{some}}));
  }
  const Program program(places.all());
  idle.clear();
  (void)wait_for(places, program.pid(), false);
}

// What another user finds there. RETURNS: -1: none could be had.
int groups_seen_by(uid_t user, const Places& places) {
  const pid_t child = fork();
  if (child == 0) {
    if (setresuid(user, user, user) != 0 || !connect_to_directory(places.path())) _exit(255);
    _exit(static_cast<int>(groups_of_directories(places.all(), false, nullptr).size()));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) != 255 ? WEXITSTATUS(status) : -1;
}

TEST(Directory, ShowsOthersWhatTheRulesAllow) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  const Places places;
  std::filesystem::permissions(std::filesystem::path(places.path()).parent_path(), std::filesystem::perms(0755));
  DirectoryOptions options{.for_everybody = true};
  options.rules = *directory_rules("allow 4711 */dying");
  const RunningDirectory directory(places, std::move(options));
  const Program program(places.all());
  (void)wait_for(places, program.pid(), false);
  EXPECT_EQ(groups_seen_by(4712, places), 0);
  EXPECT_GE(groups_seen_by(4711, places), 1);
}

}  // namespace
}  // namespace maxlat::sensors
