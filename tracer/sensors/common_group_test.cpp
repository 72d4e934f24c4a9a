// SPDX-License-Identifier: MIT
#include "sensors/common_group.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <maxlat/sensors/striped.hpp>
#include <thread>
#include <utility>

#include "directory/hand_over.hpp"
#include "directory/known_groups.hpp"
#include "directory/messages.hpp"
#include "directory/test_directory.hpp"
#include "sensors/group_memory.hpp"
#include "sensors/test_events.hpp"
#include "sensors/test_process.hpp"
#include "shm/local_socket.hpp"

namespace maxlat::sensors {
namespace {

using namespace detail;
using test::Places;
using test::RunningDirectory;
using testing::HasSubstr;

// Other tests run beside this one.
const std::string kTeam = "team-" + std::to_string(getpid());

struct Team {
  SharedCounter count{"count"};
  SharedCounters<2> labels{"labels", {"first", "second"}};
  EventListOf<kShared, 64, MAXLAT_LISTED_EVENT(listed, number)> list{"list", "what was numbered"};

  void post(std::uint64_t n) {
    count.add();
    MAXLAT_POST(list, listed, number, n, ~n, 0);
  }
};

struct OtherLabels {
  SharedCounter count{"count"};
  SharedCounters<2> labels{"labels", {"first", "another"}};
  EventListOf<kShared, 64, MAXLAT_LISTED_EVENT(listed, number)> list{"list", "what was numbered"};
};

template <class Sensors>
base::Status join(SensorGroup<Sensors>& group, const std::vector<std::string>& places) {
  return join_group_by(places, &group, group.kBytes, kTeam);
}

// A process that has joined, and does this then.
class Member : public test::LivingProcess {
 public:
  template <class Sensors = Team>
  explicit Member(
      const std::vector<std::string>& places, const std::function<void(Sensors&)>& then = [](Sensors&) {})
      : LivingProcess([&] {
          auto& group = *new SensorGroup<Sensors>;
          if (!join(group, places)) return false;
          then(*group);
          return true;
        }) {}
};

std::vector<KnownGroup> common_ones(const Places& places, bool running = false) {
  std::vector<KnownGroup> groups = groups_of_directories(places.all(), running, nullptr);
  std::erase_if(groups,
                [](const KnownGroup& known) { return !known.group.is_common() || known.group.group() != kTeam; });
  return groups;
}

std::uint64_t count_of(const GroupView& group) {
  return test::value_of<CounterValue>(group, "count").value;
}

TEST(CommonGroup, ProcessesPostToTheSameWords) {
  const Places places;
  const RunningDirectory directory(places);
  const auto post = [](Team& team) {
    for (std::uint64_t n = 0; n < 1000; ++n) team.post(n);
    team.labels.add(1, 10);
  };
  const Member a(places.all(), std::function<void(Team&)>(post)), b(places.all(), std::function<void(Team&)>(post)),
      c(places.all(), std::function<void(Team&)>(post));
  const std::vector<KnownGroup> groups = common_ones(places);
  ASSERT_EQ(groups.size(), 1u);
  const GroupView& team = groups[0].group;
  EXPECT_EQ(team.instance(), "common");
  EXPECT_EQ(team.pid(), 0);
  EXPECT_EQ(count_of(team), 3000u);
  EXPECT_EQ(test::value_of<CountersValue>(team, "labels").values.at(1),
            std::pair(std::string("second"), std::uint64_t{30}));
  EXPECT_EQ(test::value_of<EventsValue>(team, "list").posts, 3000u);
  EXPECT_EQ(test::NumberReader(team).read().size(), 64u);
  EXPECT_TRUE(matches("common/" + kTeam + "/count", team, test::facts_of(team, "count")));
  EXPECT_FALSE(matches("0", team, test::facts_of(team, "count")));
}

TEST(CommonGroup, IsFoundWithoutADirectoryAndByTheNextOne) {
  const Places places;
  auto first = std::make_unique<RunningDirectory>(places);
  const Member a(places.all(), std::function<void(Team&)>([](Team& team) { team.post(1); }));
  const Member b(places.all());
  first.reset();
  const auto ours = [] {
    auto groups = find_groups();
    std::erase_if(*groups, [](const GroupView& group) { return !group.is_common() || group.group() != kTeam; });
    return std::move(*groups);
  };
  ASSERT_EQ(ours().size(), 1u) << "of both processes";
  EXPECT_EQ(count_of(ours()[0]), 1u);
  const RunningDirectory next(places);
  const Member c(places.all(), std::function<void(Team&)>([](Team& team) { team.post(2); }));
  ASSERT_EQ(common_ones(places).size(), 1u);
  EXPECT_EQ(count_of(common_ones(places)[0].group), 2u);
}

TEST(CommonGroup, EndsWithItsLastProcessAndBeginsAnew) {
  const Places places;
  const RunningDirectory directory(places);
  const auto post = std::function<void(Team&)>([](Team& team) { team.post(1); });
  Member a(places.all(), post), b(places.all(), post);
  a.kill();
  Member asks_after_that(places.all(), post);  // so the directory knows of the death
  ASSERT_EQ(common_ones(places).size(), 1u);
  EXPECT_FALSE(common_ones(places)[0].ended);
  EXPECT_EQ(count_of(common_ones(places)[0].group), 3u);
  b.kill();
  asks_after_that.kill();
  while (!common_ones(places)[0].ended) std::this_thread::yield();
  EXPECT_EQ(count_of(common_ones(places)[0].group), 3u) << "what they posted last";
  const Member anew(places.all(), post);
  ASSERT_EQ(common_ones(places, true).size(), 1u);
  EXPECT_EQ(count_of(common_ones(places, true)[0].group), 1u);
}

TEST(CommonGroup, OfAnotherStructIsAnother) {
  const Places places;
  const RunningDirectory directory(places);
  const Member a(places.all()), b(places.all());
  const Member other(places.all(), std::function<void(OtherLabels&)>([](OtherLabels&) {}));
  EXPECT_EQ(common_ones(places).size(), 2u);
}

TEST(CommonGroup, AChildOfAForkPostsToIt) {
  const Places places;
  const RunningDirectory directory(places);
  const Member member(places.all(), std::function<void(Team&)>([](Team& team) {
                        team.post(1);
                        const pid_t child = fork();
                        if (child == 0) {
                          team.post(2);
                          _exit(0);
                        }
                        waitpid(child, nullptr, 0);
                      }));
  ASSERT_EQ(common_ones(places).size(), 1u);
  EXPECT_EQ(count_of(common_ones(places)[0].group), 2u);
}

TEST(CommonGroup, BooksBalanceWhenItsProcessesAreKilled) {
  const Places places;
  const RunningDirectory directory(places);
  int held[2];  // whoever posts has the end to write to
  ASSERT_EQ(pipe2(held, O_CLOEXEC), 0);
  const base::Descriptor ended(held[0]);
  base::Descriptor alive(held[1]);
  const auto post_for_ever = std::function<void(Team&)>([](Team& team) {
    const pid_t member = getpid();
    if (fork() != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != member) _exit(0);  // killed before that
    for (std::uint64_t n = 0;; ++n) team.post(n);
  });
  auto stays = std::make_unique<Member>(places.all());
  const auto groups = common_ones(places);
  const GroupView& team = groups.at(0).group;
  EventReader reader = team.events(test::facts_of(team, "list"));
  std::uint64_t read = 0, now_ns = 0;
  const auto count = [&](const ListedEvent& event) {
    std::uint64_t words[2];
    std::memcpy(words, event.payload.data(), sizeof words);
    EXPECT_EQ(words[1], ~words[0]);
    ++read;
  };
  for (int killed = 0; killed < 20; ++killed) {
    Member member(places.all(), post_for_ever);
    ASSERT_EQ(common_ones(places).size(), 1u);
    const std::uint64_t enough = read + 500;
    while (read < enough) reader.read_all(++now_ns, false, count);
  }
  stays.reset();
  const EventBooks books = reader.books();
  EXPECT_TRUE(books.balance());
  EXPECT_EQ(books.delivered + books.late, read);
  // Nobody waits for them but we: one that still dies would be found by the directory of the next test.
  alive = {};
  char none;
  EXPECT_EQ(::read(ended.number(), &none, 1), 0);
}

// ---- Refused: the group is as it was, and can be published alone ----

template <class Sensors>
std::string refusal(const std::vector<std::string>& places) {
  OwnedGroup<Sensors> group;
  const base::Status joined = join(group.pages(), places);
  EXPECT_TRUE(withdraw_group(&group.pages())) << "joined or not";
  EXPECT_TRUE(group.publish(kTeam)) << "alone";
  return joined ? "" : joined.error().text;
}

TEST(CommonGroup, NeedsADirectory) {
  const Places places;
  EXPECT_EQ(refusal<Team>(places.all()), "no directory runs");
}

struct OfAThread {
  SharedCounter count{"count"};
  Counter mine{"mine"};
};
struct OfStripes {
  StripedCounter<4> count{"count"};
};

TEST(CommonGroup, HasNoSensorsOfOneThreadOrOfStripes) {
  const Places places;
  const RunningDirectory directory(places);
  EXPECT_EQ(refusal<OfAThread>(places.all()), "the sensor mine is one thread's");
  EXPECT_EQ(refusal<OfStripes>(places.all()), "the sensor count is striped");
  EXPECT_EQ(common_ones(places).size(), 0u);
}

// What the directory says when this memory is to be shared.
Answer answer_to(const Places& places, int memory, base::Descriptor* agreed = nullptr) {
  const base::Descriptor socket = connect_to_directory(places.path());
  const RequestMessage request{.request = Request::share};
  const int numbers[] = {memory};
  EXPECT_TRUE(
      trace::detail::send_message(socket.number(), bytes_of(request), std::span(numbers, memory < 0 ? 0u : 1u)));
  AnswerMessage answer;
  trace::detail::ReceivedMessage received;
  while (received.size < 0) received = trace::detail::receive_message(socket.number(), room_of(answer), 1);
  EXPECT_TRUE(is_message(answer, received.size));
  if (agreed != nullptr && !received.descriptors.empty()) *agreed = std::move(received.descriptors.front());
  return answer.answer;
}

// A group on the heap has whatever was there between its sensors' words.
base::Descriptor memory_of_a_team(unsigned char was_there = 0) {
  alignas(SensorGroup<Team>) static unsigned char place[sizeof(SensorGroup<Team>)];
  std::memset(place, was_there, sizeof place);
  auto* const group = new (place) SensorGroup<Team>;
  auto made = GroupMemory::make(group, group->kBytes, kTeam);
  EXPECT_TRUE(made->seal(Producers::several));
  made->fill(group, group->kBytes, kTeam, Producers::several);
  return made->take_descriptor();
}

TEST(CommonGroup, WhatFillsUpItsSensorsIsNoDifference) {
  const base::Descriptor one = memory_of_a_team(0), other = memory_of_a_team(0xff);
  const auto a = GroupView::attach(one.number()), b = GroupView::attach(other.number());
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(a->is_made_as(*b) && b->is_made_as(*a));
}

TEST(CommonGroup, TheDirectoryTakesOnlyMemoryThatOthersCannotWriteTo) {
  const Places places;
  const RunningDirectory directory(places);
  const base::Descriptor closed = memory_of_a_team(), open = memory_of_a_team();
  ASSERT_EQ(fchmod(open.number(), 0664), 0);
  EXPECT_EQ(answer_to(places, open.number()), Answer::refused);
  EXPECT_EQ(answer_to(places, -1), Answer::refused) << "none";
  test::TestGroup<Team> ordinary("ordinary");
  EXPECT_EQ(answer_to(places, test::number_of("ordinary")), Answer::refused) << "a process's own";
  const base::Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_EQ(answer_to(places, null.number()), Answer::refused);
  base::Descriptor agreed;
  EXPECT_EQ(answer_to(places, closed.number(), &agreed), Answer::group);
  struct stat file {};
  ASSERT_EQ(fstat(agreed.number(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777u, 0644u);
  EXPECT_EQ(fcntl(agreed.number(), F_GETFL) & O_ACCMODE, O_RDWR);
}

// Another user whom a rule lets read it.
TEST(CommonGroup, AnotherUserReadsItAndCannotGetMore) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  const Places places;
  std::filesystem::permissions(std::filesystem::path(places.path()).parent_path(), std::filesystem::perms(0755));
  DirectoryOptions options{.for_everybody = true};
  options.rules = *directory_rules("allow 4711 */" + kTeam);
  const RunningDirectory directory(places, std::move(options));
  const Member member(places.all(), std::function<void(Team&)>([](Team& team) { team.post(1); }));
  EXPECT_EQ(test::in_child([&] {
              if (setresgid(4711, 4711, 4711) != 0 || setresuid(4711, 4711, 4711) != 0) return 2;
              prctl(PR_SET_DUMPABLE, 1);
              const std::vector<KnownGroup> groups = common_ones(places);
              if (groups.size() != 1 || count_of(groups[0].group) != 1) return 3;
              const int theirs = groups[0].group.memory_fd();
              if ((fcntl(theirs, F_GETFL) & O_ACCMODE) != O_RDONLY) return 4;
              const std::string anew = "/proc/self/fd/" + std::to_string(theirs);
              if (open(anew.c_str(), O_RDWR | O_CLOEXEC) >= 0) return 5;
              // Told that it is this user's, the directory would hand it out for writing to whoever has made one alike.
              hand_over(theirs, places.all());
              if (answer_to(places, theirs) != Answer::refused) return 6;
              const base::Descriptor own = memory_of_a_team();
              base::Descriptor agreed;
              if (answer_to(places, own.number(), &agreed) != Answer::group) return 7;
              const auto view = GroupView::attach(agreed.number());
              return view && count_of(*view) == 0 ? 0 : 8;
            }),
            0);
}

// A directory of this user's that hands out what it likes.
class HostileDirectory {
 public:
  HostileDirectory(const Places& places, int memory) {
    sockaddr_un address;
    trace::detail::address_of(places.path(), address);
    if (bind(listener_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(listener_.number(), 1) != 0)
      throw std::runtime_error("cannot listen");
    thread_ = std::thread([this, memory] {
      const base::Descriptor caller(accept(listener_.number(), nullptr, nullptr));
      RequestMessage request;
      (void)trace::detail::receive_message(caller.number(), room_of(request), 1);
      const AnswerMessage answer{.answer = Answer::group};
      trace::detail::send_message(caller.number(), bytes_of(answer), {{memory}});
    });
  }
  ~HostileDirectory() { thread_.join(); }

 private:
  base::Descriptor listener_{socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
  std::thread thread_;
};

TEST(CommonGroup, WhatADirectoryHandsOutIsLookedAt) {
  test::TestGroup<Team> ordinary("ordinary");
  const base::Descriptor file(memfd_create("no group", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const SensorGroup<OtherLabels> group;
  auto other = GroupMemory::make(&group, group.kBytes, kTeam);
  ASSERT_TRUE(other->seal(Producers::several));
  other->fill(&group, group.kBytes, kTeam, Producers::several);
  const std::pair<int, const char*> hostile[] = {
      {test::number_of("ordinary"), "another group's"},
      {file.number(), "not a common group's of this user"},
      {other->descriptor(), "another group's"},
  };
  for (const auto& [memory, says] : hostile) {
    const Places places;
    const HostileDirectory directory(places, memory);
    EXPECT_THAT(refusal<Team>(places.all()), HasSubstr(says));
  }
}

}  // namespace
}  // namespace maxlat::sensors
