// SPDX-License-Identifier: MIT
//
// maxlat:timer and maxlat:wakeup: our own tracer, in this process as any program has it, and its consumer, `maxlat
// trace record`, in a process of its own on a CPU that is not measured.
//
// The recorder makes the session here through the control socket, as it would in any program. It does not flush: a
// packet in the trace is then a sub-buffer that the loop filled (trace_paths.hpp). We stop the session ourselves, so
// that its books can be read while they are exact, and the recorder takes the rest.
#include <fmt/format.h>
#include <maxlat/ring/layout.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/npt/arm_definition.hpp>
#include <maxlat/trace/trace.hpp>
#include <optional>
#include <thread>

#include "arm_folder.hpp"
#include "folder_bytes.hpp"
#include "npt_events.hpp"
#include "tail/trace_paths.hpp"

namespace maxlat::npt {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kSession = "npt";
constexpr seconds kPatience{20};
// Between two snapshots, and how many at most: each is as large as the buffers. The recorder is told a shorter time, so
// that it never leaves out one that was counted here.
constexpr milliseconds kSnapshotEvery(120);
constexpr const char* kRecorderEvery = "100ms";
constexpr unsigned kMostSnapshots = 20;

// The sum of the numbers behind a word in the recorder's books; 0 where there are none.
uint64_t number_in_books(const std::string& folder, const std::string& word) {
  std::error_code unreadable;
  uint64_t sum = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder, unreadable)) {
    if (entry.path().filename() != ".books") continue;
    const std::string text = core::read_file(entry.path()).value_or("");
    const size_t at = text.find(" " + word + " ");
    if (at != std::string::npos) sum += std::strtoull(text.c_str() + at + word.size() + 2, nullptr, 10);
  }
  return sum;
}

class MaxlatArm : public Arm {
 public:
  ~MaxlatArm() override {
    recorder_.reset();
    trace::close_control();
  }

  core::Status set_up(const ArmSurroundings& surroundings) override {
    // Asked here, where it is a reason not to run; the recorder would only fail of it. npt's own clock is the counter,
    // unless it was told or had to take another.
    const bool has_counter = surroundings.clock.source != base::RateSource::monotonic_raw;
    const base::CounterClock counter = has_counter ? surroundings.clock : base::calibrate();
    if (!counter.trusted)
      return core::Error{"the tracer has no clock here: the time-stamp counter cannot be trusted: " + counter.why,
                         {},
                         core::Exit::cannot_run};
    surroundings_ = surroundings;
    ns_per_tick_ = surroundings.clock.to_ns(1.0);
    auto home = surroundings.folder->make_inner("control");
    if (!home) return home.error();
    ::setenv("XDG_RUNTIME_DIR", home->c_str(), 1);  // where the control socket is, for us and for the recorder
    if (core::Status status = trace::open_control(); !status) return status;
    core::ProcessSpec spec;
    spec.argv = recorder_command();
    spec.cpus = surroundings.consumer_cpus;
    auto started = core::Child::start(spec);
    if (!started) return started.error();
    recorder_.emplace(std::move(*started));
    return wait_for_session();
  }

  core::Status prepare_thread() override {
    // The books tell what it meant if it mattered: events of a thread without a ring are lost and counted.
    if (!trace::prepare_thread()) unprepared_.store(true, std::memory_order_relaxed);  // relaxed: read after join
    return {};
  }
  maxlat_npt_probe probe() override { return {this, start, loop, stop}; }

  void long_gap(uint64_t ticks) override {
    // relaxed: read after the threads were joined. Two threads may ask for one more.
    if (snapshots_.load(std::memory_order_relaxed) >= kMostSnapshots) return;
    if (session_->snapshot_if_above(ticks, 0, kSnapshotEvery)) snapshots_.fetch_add(1, std::memory_order_relaxed);
  }

  std::optional<double> consumer_cpu_s() const override { return recorder_->cpu_seconds(); }

  ArmBooks finish(const ArmRun& run) override {
    ArmBooks books;
    core::EventCounts counts;
    auto died = recorder_->wait_for(milliseconds(0));
    if (core::Status stopped = session_->stop(); !stopped) {
      // A consumer that fails takes the session down first, and then says why.
      if (!died) died = recorder_->wait_for(kPatience);
      books.invalid = stopped.error().text;
    }
    if (died) books.invalid = fmt::format("the consumer died: {}", last_line(*died));
    enter_ring_books(counts, books);
    if (books.invalid.empty()) {
      const core::ProcessEnd end = end_recorder();
      if (end.exit_status != 0 && end.exit_status != static_cast<int>(core::Exit::invalid))
        books.invalid = fmt::format("the consumer failed: {}", last_line(end));
      else if (number_in_books(surroundings_.trace_folder, "not_written") != 0)
        books.invalid = fmt::format("the consumer could not write the trace: {}", first_line(end));
    }
    read_back(run, counts, books);
    books.events = counts;
    if (unprepared_.load(std::memory_order_relaxed))
      books.warnings.push_back("a ring could not be prepared whole (RLIMIT_MEMLOCK?): its first events may be slow");
    return books;
  }

 private:
  std::vector<std::string> recorder_command() const {
    const ArmSpec& arm = surroundings_.spec;
    std::vector<std::string> argv = {core::own_executable(),
                                     "trace",
                                     "record",
                                     "--quiet",
                                     "--pid",
                                     fmt::format("{}", ::getpid()),
                                     "--output",
                                     surroundings_.trace_folder,
                                     "--session",
                                     kSession,
                                     "--event",
                                     "npt:*",
                                     "--size",
                                     fmt::format("{}", arm.sub_buffer_bytes),
                                     "--count",
                                     fmt::format("{}", arm.sub_buffers),
                                     "--per",
                                     arm.owner == ArmSpec::Owner::cpu ? "cpu" : "thread",
                                     "--deliver",
                                     arm.policy,
                                     "--flush",
                                     "0"};
    if (arm.period_ns) argv.insert(argv.end(), {"--period", fmt::format("{}ns", *arm.period_ns)});
    if (arm.owner == ArmSpec::Owner::thread)
      argv.insert(argv.end(), {"--slots", fmt::format("{}", std::max<size_t>(64, surroundings_.measured_cpus.size()))});
    if (is_overwriting()) argv.insert(argv.end(), {"--flight-recorder", "--min-interval", kRecorderEvery});
    return argv;
  }
  bool is_overwriting() const { return surroundings_.spec.when_full == ArmSpec::WhenFull::overwrite; }

  core::Status wait_for_session() {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      if (const auto end = recorder_->wait_for(milliseconds(5)))
        return core::Error{fmt::format("the consumer did not start: {}", last_line(*end))};
      if (auto found = trace::Session::find(kSession); found && is_running()) {
        session_.emplace(std::move(*found));
        return {};
      }
      if (std::chrono::steady_clock::now() > deadline)
        return core::Error{"the consumer was not ready within 20 s", {}, core::Exit::cannot_run};
    }
  }
  static bool is_running() {
    const auto all = trace::Session::all();
    return std::any_of(all.begin(), all.end(), [](const trace::SessionStatus& status) {
      return status.name == kSession && status.state == trace::SessionState::running;
    });
  }

  core::ProcessEnd end_recorder() {
    recorder_->signal(SIGINT);
    for (auto left = seconds(120); left > seconds(0); left -= seconds(1))
      if (auto end = recorder_->wait_for(seconds(1))) return *end;
    return recorder_->stop();
  }

  void enter_ring_books(core::EventCounts& counts, ArmBooks& books) const {
    uint64_t without_ring = 0;
    for (const trace::ChannelStatus& channel : session_->status().channels) {
      counts.lost_full += channel.books.lost_full;
      counts.lost_wrap += channel.books.lost_wrap;
      counts.lost_big += channel.books.lost_big;
      without_ring += channel.books.lost_no_ring;
    }
    if (without_ring == 0) return;
    counts.lost_full += without_ring;  // the result knows three causes: none free is the nearest
    books.warnings.push_back(fmt::format("{} events were lost because their thread had no ring", without_ring));
  }

  void read_back(const ArmRun& run, core::EventCounts& counts, ArmBooks& books) const {
    books.facts[core::fact::kTraceBytes] = fmt::format("{}", bytes_below(surroundings_.trace_folder));
    auto trace = read_trace_back(surroundings_.trace_folder, surroundings_.spec, run);
    if (!trace) {
      books.verified_by = "not verified: " + trace.error().text;
      if (books.invalid.empty()) books.invalid = trace.error().text;
      return;
    }
    books.verified_by = "the events of the trace, read back";
    counts.recorded = trace->events;
    if (is_overwriting()) {
      const uint64_t overwritten = number_in_books(surroundings_.trace_folder, "overwritten");
      counts.lost_wrap += overwritten;
      books.facts["events_overwritten"] = fmt::format("{}", overwritten);
      books.facts["events_left_out"] =
          fmt::format("{}", number_in_books(surroundings_.trace_folder, "lost_frozen"));  // for a snapshot
      // Not as often as they were asked for: a consumer that was kept from its CPU answers two requests with one.
      std::error_code unreadable;
      const auto written = std::distance(fs::directory_iterator(surroundings_.trace_folder, unreadable), {});
      books.facts["snapshots"] = fmt::format("{}, and the end", std::max<std::ptrdiff_t>(written, 1) - 1);
    }
    if (books.invalid.empty()) books.invalid = trace->damage;
    if (run.threads.empty()) return;
    const bool lost = counts.lost_full + counts.lost_wrap + counts.lost_big > 0;
    trace->tail.untold = lost ? path_of_lost_events(surroundings_.spec) : "not known: the last of a stretch";
    books.tail = std::move(trace->tail);
  }
  static std::string first_line(const core::ProcessEnd& end) {
    return end.standard_error.substr(0, end.standard_error.find('\n'));
  }
  static std::string last_line(const core::ProcessEnd& end) {
    return end.standard_error.empty() ? end.text() : end.text() + ": " + first_line(end);
  }

  static void start(void*) { MAXLAT_TRACE(npt, start); }
  static void stop(void*) { MAXLAT_TRACE(npt, stop); }
  static void loop(void* state, uint64_t count, uint64_t ticks) {
    MAXLAT_TRACE(npt, loop, count, ticks, static_cast<double>(ticks) * static_cast<MaxlatArm*>(state)->ns_per_tick_);
  }

  double ns_per_tick_ = 0;
  ArmSurroundings surroundings_;
  std::optional<core::Child> recorder_;
  std::optional<trace::Session> session_;
  std::atomic<bool> unprepared_{false};
  std::atomic<unsigned> snapshots_{0};  // asked for
};

}  // namespace

// Sizes and counts as our ring can have them (tracer/ring/layout.h), periods as `maxlat trace record` has them.
extern const ArmDefinition kMaxlatArm{.name = "maxlat",
                                      .make = [] { return std::unique_ptr<Arm>(std::make_unique<MaxlatArm>()); },
                                      .policies = {"timer", "wakeup"},
                                      .has_owner = true,
                                      .has_when_full = true,
                                      .shortest_period_ns = 20'000,
                                      .polls_actively = true,
                                      .most_buffers = uint64_t{1} << MAXLAT_RING_MAX_RING_BITS,
                                      .default_size = kMiB,
                                      .largest_size = uint64_t{1} << MAXLAT_RING_MAX_SUB_BUFFER_BITS};

}  // namespace maxlat::npt
