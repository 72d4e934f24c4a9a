// SPDX-License-Identifier: MIT
// post_program post POSTS STEPS: three threads post to one list that they share, and the first to lists of its own, as
//   fast as they can. A line is printed at the start, at each of STEPS equal steps, and at the end; then it waits until
//   standard input is closed.
// post_program watch PID: a monitor of such a program. It reads all lists until the program has posted all; each event
//   must be whole, and none may come twice. Then a line for each list: its books.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <maxlat/base/clock.hpp>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/sensors/striped.hpp>
#include <maxlat/sensors/var_event_list.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

MAXLAT_TRACE_EVENT(stress, number, (std::uint32_t, thread), (std::uint64_t, n), (std::uint64_t, inverse))
MAXLAT_TRACE_EVENT(stress, text, (std::uint64_t, n), (std::uint64_t, inverse), (maxlat::trace::String<200>, text))

struct PostedSensors {
  maxlat::sensors::SharedEventList<1024, MAXLAT_LISTED_EVENT(stress, number)> shared{"shared"};
  maxlat::sensors::EventList<1024, MAXLAT_LISTED_EVENT(stress, number)> own{"own"};
  maxlat::sensors::VarEventList<512, 16384, MAXLAT_LISTED_EVENT(stress, text)> texts{"texts"};
  maxlat::sensors::StripedCounter<2> posted{"posted"};  // the third thread has none of its own
  maxlat::sensors::SharedHistogram<> values{"values"};
  maxlat::sensors::Gauge done{"done"};
};
MAXLAT_SENSORS(posted, PostedSensors)

namespace {

using namespace maxlat::sensors;

constexpr int kThreads = 3;

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "post_program: %s\n", text.c_str());
  std::exit(1);
}

// Thread 0 posts to each of the three lists in turn, the others to the one that all threads share.
void post_all(std::uint32_t thread, std::uint64_t posts, std::atomic<std::uint64_t>& done) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
  constexpr std::uint64_t kReported = 1024;
  const OwnStripe stripe;
  for (std::uint64_t n = 0; n < posts; ++n) {
    const std::uint64_t kind = thread == 0 ? n % 3 : 0;
    if (kind == 0) MAXLAT_POST(posted->shared, stress, number, thread, n, ~n);
    if (kind == 1) MAXLAT_POST(posted->own, stress, number, thread, n, ~n);
    if (kind == 2) MAXLAT_POST(posted->texts, stress, text, n, ~n, kLetters.substr(0, n % 50));
    posted->posted.add(1);
    posted->values.post(n % 1000);
    if (n % kReported == kReported - 1) done.fetch_add(kReported, std::memory_order_relaxed);
  }
  done.fetch_add(posts % kReported, std::memory_order_relaxed);
}

int post(std::uint64_t posts, std::uint64_t steps) {
  // Monitors come first, so that they see all of it.
  std::puts("ready");
  std::fflush(stdout);
  if (std::getchar() == EOF) return 1;
  std::atomic<std::uint64_t> done{0};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { post_all(i, posts / kThreads + (i < posts % kThreads ? 1 : 0), done); });
  for (std::uint64_t step = 1; step <= steps; ++step) {
    // By the posts that were made, not by time: a slow machine has as many steps.
    while (done.load(std::memory_order_relaxed) < posts / steps * step) usleep(1000);
    std::printf("step %llu\n", static_cast<unsigned long long>(step));
    std::fflush(stdout);
  }
  for (std::thread& thread : threads) thread.join();
  posted->done.set(1);
  std::printf("done %llu\n", static_cast<unsigned long long>(done.load()));
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

// One list, as a monitor has it.
class Watched {
 public:
  Watched(const GroupView& view, const SensorFacts& facts)
      : name_(facts.name), reader_(view.events(facts, 1'000'000)), texts_(facts.name == "texts") {}

  void read(bool ended) {
    reader_.read_all(maxlat::base::monotonic_ns(), ended, [this](const ListedEvent& event) { take(event); });
  }
  void print() const {
    const EventBooks books = reader_.books();
    if (!books.balance()) fail(name_ + ": the books do not balance");
    if (books.pending != 0 || books.open != 0) fail(name_ + ": events are left");
    if (books.delivered + books.late != taken_) fail(name_ + ": other events came than the books say");
    std::printf("%s %llu posts %llu delivered %llu lost\n", name_.c_str(), static_cast<unsigned long long>(books.posts),
                static_cast<unsigned long long>(books.delivered + books.late),
                static_cast<unsigned long long>(books.lost()));
  }

 private:
  void take(const ListedEvent& event) {
    ++taken_;
    std::uint64_t n = 0, inverse = 0;
    std::uint32_t thread = 0;
    const std::uint8_t* at = event.payload.data();
    if (!texts_) {
      std::memcpy(&thread, at, sizeof thread);
      at += sizeof thread;
    }
    std::memcpy(&n, at, sizeof n);
    std::memcpy(&inverse, at + sizeof n, sizeof inverse);
    if (inverse != ~n || thread >= kThreads) fail(name_ + ": an event is of two");
    if (event.late) return;
    if (event.ticks < last_ticks_) fail(name_ + ": time goes back");
    if (n < next_[thread]) fail(name_ + ": an event came twice, or a thread's are not in order");
    last_ticks_ = event.ticks;
    next_[thread] = n + 1;
  }

  std::string name_;
  EventReader reader_;
  bool texts_;
  std::uint64_t taken_ = 0, last_ticks_ = 0, next_[kThreads]{};
};

int watch(int pid) {
  auto groups = find_groups(pid);
  if (!groups) fail(groups.error().text);
  const auto view =
      std::find_if(groups->begin(), groups->end(), [](const auto& group) { return group.group() == "posted"; });
  if (view == groups->end()) fail("no such group");
  std::vector<Watched> lists;
  const SensorFacts* done = nullptr;
  for (const SensorFacts& facts : view->sensors()) {
    if (has_events(facts.kind)) lists.emplace_back(*view, facts);
    if (facts.name == "done") done = &facts;
  }
  std::puts("ready");
  std::fflush(stdout);
  for (bool ended = false; !ended;) {
    ended = std::get<GaugeValue>(view->read(*done)).value == 1;
    for (Watched& list : lists) list.read(ended);
    usleep(1000);
  }
  for (const Watched& list : lists) list.print();
  for (const SensorFacts& facts : view->sensors()) {
    const SensorValue value = view->read(facts);
    if (facts.name == "posted")
      std::printf("posted %llu\n", static_cast<unsigned long long>(std::get<CounterValue>(value).value));
    if (facts.name == "values")
      std::printf("values %llu\n", static_cast<unsigned long long>(std::get<HistogramValue>(value).total));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "post")
    return post(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
  if (argc == 3 && std::string_view(argv[1]) == "watch") return watch(std::atoi(argv[2]));
  fail("post POSTS STEPS | watch PID");
}
