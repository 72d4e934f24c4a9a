// SPDX-License-Identifier: MIT
// The thread that does the rounds. Contract: recorder.hpp.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <maxlat/base/owned.hpp>
#include <maxlat/trace/recorder.hpp>
#include <mutex>
#include <optional>
#include <thread>

#include "shm/own_threads.hpp"

namespace maxlat::trace {
namespace {

using std::chrono::nanoseconds;

// When no descriptor was left for the eventfd nobody can knock, and the thread looks by itself.
constexpr nanoseconds kLookWithoutKnock = std::chrono::milliseconds(10);

nanoseconds monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

timespec timespec_of(nanoseconds span) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span);
  return {.tv_sec = static_cast<time_t>(seconds.count()), .tv_nsec = static_cast<long>((span - seconds).count())};
}

// The eventfd of wakeups and of commands: only that it was written counts, not how often.
void drain_eventfd(int number) {
  std::uint64_t count;
  while (read(number, &count, sizeof count) < 0 && errno == EINTR) continue;
}

}  // namespace

class RecorderThread::State {
 public:
  State() : knock_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    // Signals are the program's, not this thread's; SIGXFSZ among them, so that a file too large is an error of
    // write().
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~State() {
    {
      const std::lock_guard lock(mutex_);
      leave_ = true;
    }
    knock();
    thread_.join();
  }

  Id add(Recorder recorder, int wakeup_fd) {
    const std::lock_guard lock(mutex_);
    const nanoseconds period = recorder.round_period();
    fresh_.push_back({++last_id_, std::move(recorder), base::Descriptor(wakeup_fd), period, {}, {}});
    knock();
    return last_id_;
  }
  void request_snapshot() {
    {
      const std::lock_guard lock(mutex_);
      snapshot_ = true;
    }
    knock();
  }
  RecordingReport finish(Id id, RecordingEnd end) {
    std::unique_lock lock(mutex_);
    ending_.push_back({id, end, {}});
    Ending& mine = ending_.back();
    knock();
    ended_.wait(lock, [&] { return mine.report.has_value(); });
    RecordingReport report = std::move(*mine.report);
    ending_.remove_if([&](const Ending& other) { return &other == &mine; });
    return report;
  }

 private:
  struct Entry {
    Id id;
    Recorder recorder;
    base::Descriptor wakeup;
    nanoseconds period;
    nanoseconds due;
    bool woken;
  };
  struct Ending {
    Id id;
    RecordingEnd end;
    std::optional<RecordingReport> report;
  };

  void knock() {
    const std::uint64_t one = 1;
    (void)!write(knock_.number(), &one, sizeof one);
  }
  void run();
  bool take_commands();
  void end_one(Ending& ending);
  void wait();

  base::Descriptor knock_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable ended_;
  // under mutex_
  std::deque<Entry> fresh_;
  std::list<Ending> ending_;
  bool snapshot_ = false;
  bool leave_ = false;
  Id last_id_ = 0;
  // the thread's own
  std::list<Entry> entries_;
};

void RecorderThread::State::end_one(Ending& ending) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.id == ending.id; });
  ending.report = found == entries_.end() ? RecordingReport{} : found->recorder.finish(ending.end);
  if (found != entries_.end()) entries_.erase(found);
}

bool RecorderThread::State::take_commands() {
  bool snapshot;
  {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : fresh_) entries_.push_back(std::move(entry));
    fresh_.clear();
    snapshot = std::exchange(snapshot_, false);
    if (leave_) return false;
  }
  if (snapshot) {
    for (Entry& entry : entries_) entry.recorder.snapshot(monotonic_now());
  }
  // The list's nodes stay where they are; only their owners remove them, once they have a report.
  std::unique_lock lock(mutex_);
  for (Ending& ending : ending_) {
    if (ending.report) continue;
    end_one(ending);
    ended_.notify_all();
  }
  return true;
}

void RecorderThread::State::wait() {
  std::vector<pollfd> watched = {{knock_.number(), POLLIN, 0}};
  std::optional<nanoseconds> first;
  for (const Entry& entry : entries_) {
    if (entry.wakeup) watched.push_back({entry.wakeup.number(), POLLIN, 0});
    first = first ? std::min(*first, entry.due) : entry.due;
  }
  if (!knock_) first = std::min(first.value_or(nanoseconds::max()), monotonic_now() + kLookWithoutKnock);
  // From an absolute deadline, so that what a round takes does not add up.
  const timespec left = timespec_of(first ? std::max(*first - monotonic_now(), nanoseconds(0)) : nanoseconds(0));
  if (ppoll(watched.data(), watched.size(), first ? &left : nullptr, nullptr) <= 0) return;
  if (watched.front().revents != 0) drain_eventfd(knock_.number());
  std::size_t next = 1;
  for (Entry& entry : entries_) {
    if (!entry.wakeup || watched[next++].revents == 0) continue;
    drain_eventfd(entry.wakeup.number());
    entry.woken = true;
  }
}

void RecorderThread::State::run() {
  pthread_setname_np(pthread_self(), "maxlat-recorder");
  prctl(PR_SET_TIMERSLACK, 1ul);
  detail::leave_kept_free_cpus();
  const sched_param ordinary{};
  sched_setscheduler(0, SCHED_OTHER, &ordinary);  // whoever starts us: a consumer must not preempt real-time work
  while (take_commands()) {
    for (Entry& entry : entries_) {
      const nanoseconds now = monotonic_now();
      if (now < entry.due && !entry.woken) continue;
      entry.recorder.round(now);
      entry.woken = false;
      if (now >= entry.due) entry.due += (now - entry.due) / entry.period * entry.period + entry.period;
    }
    wait();
  }
}

RecorderThread::RecorderThread() : state_(std::make_unique<State>()) {}
RecorderThread::~RecorderThread() = default;

RecorderThread::Id RecorderThread::add(Recorder recorder, int wakeup_fd) {
  return state_->add(std::move(recorder), wakeup_fd);
}
void RecorderThread::request_snapshot() {
  state_->request_snapshot();
}
RecordingReport RecorderThread::finish(Id id, RecordingEnd end) {
  return state_->finish(id, end);
}

class InProcessRecorder::State {
 public:
  State(Recorder recorder, int wakeup_fd)
      : process_(getpid()), thread_(new RecorderThread), id_(thread_->add(std::move(recorder), wakeup_fd)) {}
  ~State() {
    finish();
    if (getpid() != process_) thread_.release();  // a child of fork(): the thread is not here
  }

  void snapshot() {
    if (getpid() == process_) thread_->request_snapshot();
  }
  RecordingReport finish() {
    if (finished_ || getpid() != process_) return {};
    finished_ = true;
    return thread_->finish(id_, RecordingEnd::stopped);
  }

 private:
  pid_t process_;
  std::unique_ptr<RecorderThread> thread_;
  RecorderThread::Id id_;
  bool finished_ = false;
};

base::Result<InProcessRecorder> InProcessRecorder::start(int memory_fd, int wakeup_fd, const RecorderOptions& options) {
  const base::Descriptor memory(memory_fd);
  base::Descriptor wakeup(wakeup_fd);
  base::Result<Recorder> recorder = Recorder::attach(memory_fd, options);
  if (!recorder) return recorder.error();
  return InProcessRecorder(std::make_unique<State>(std::move(*recorder), wakeup.release()));
}

InProcessRecorder::InProcessRecorder(std::unique_ptr<State> state) : state_(std::move(state)) {}
InProcessRecorder::InProcessRecorder(InProcessRecorder&&) noexcept = default;
InProcessRecorder& InProcessRecorder::operator=(InProcessRecorder&&) noexcept = default;
InProcessRecorder::~InProcessRecorder() = default;

void InProcessRecorder::snapshot() {
  state_->snapshot();
}
RecordingReport InProcessRecorder::finish() {
  return state_->finish();
}

}  // namespace maxlat::trace
