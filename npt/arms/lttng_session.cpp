// SPDX-License-Identifier: MIT
#include "lttng_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <maxlat/core/sys/text_file.hpp>
#include <sstream>

#include "arm_folder.hpp"

namespace maxlat::npt {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

// How often the consumer looks at the buffers with the policy "timer" where nothing is said: as often as ours does.
constexpr uint64_t kReadTimer_ns = 1'000'000;
// "lttng-ust-wait-N" of the releases around 2.13, whose N is 8.
constexpr unsigned kFirstWaitVersion = 7, kLastWaitVersion = 10;

bool is_root() {
  return ::geteuid() == 0;
}

core::Status note_shared_memory(const ArmFolder& folder) {
  for (unsigned version = kFirstWaitVersion; version <= kLastWaitVersion; ++version)
    for (const std::string& user : {std::string(), fmt::format("-{}", ::geteuid())}) {
      const std::string path = fmt::format("/dev/shm/lttng-ust-wait-{}{}", version, user);
      if (core::Status status = folder.note("unlink-unless-mapped " + path); !status) return status;
    }
  return {};
}

// (pid, name) of the living members of a process group.
std::vector<std::pair<pid_t, std::string>> members_of(pid_t group) {
  std::vector<std::pair<pid_t, std::string>> members;
  for (const auto& process : fs::directory_iterator("/proc")) {
    const std::string pid = process.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = core::read_file(process.path() / "stat").value_or("");
    const size_t name_begin = stat.find('('), name_end = stat.rfind(')');
    if (name_begin == std::string::npos || name_end == std::string::npos) continue;
    std::istringstream fields(stat.substr(name_end + 1));
    char state = 0;
    pid_t parent = 0, process_group = 0;
    fields >> state >> parent >> process_group;
    if (process_group == group && state != 'Z')
      members.emplace_back(std::stoi(pid), stat.substr(name_begin + 1, name_end - name_begin - 1));
  }
  return members;
}

// The number after "Discarded events: " in what `lttng list` prints of the one channel.
std::optional<uint64_t> discarded_in(const std::string& text) {
  constexpr std::string_view kLabel = "Discarded events: ";
  const size_t label = text.find(kLabel);
  if (label == std::string::npos) return {};
  return std::strtoull(text.c_str() + label + kLabel.size(), nullptr, 10);
}

}  // namespace

core::Status LttngSession::start_daemon(const ArmSurroundings& surroundings) {
  for (const char* program : {"lttng-sessiond", "lttng"})
    if (core::find_program(program).empty())
      return core::cannot_run(fmt::format("{} is not installed", program), "apt install lttng-tools");
  if (core::Status status = note_shared_memory(*surroundings.folder); !status) return status;
  auto home = surroundings.folder->make_inner("lttng");
  if (!home) return home.error();
  if (auto inner = surroundings.folder->make_inner("lttng/.lttng"); !inner) return inner.error();
  const std::string socket = *home + "/.lttng/lttng-ust-sock-8";
  ::setenv("LTTNG_HOME", home->c_str(), 1);
  core::ProcessSpec spec;
  spec.cpus = surroundings.consumer_cpus;
  if (is_root())
    spec.argv = {
        "unshare", "--mount", "--propagation", "private", "--", "sh", "-c", R"(mount -t tmpfs tmpfs /run && exec "$@")",
        "sh"};
  for (const std::string& word : {std::string("lttng-sessiond"), std::string("--no-kernel"), "--apps-sock=" + socket})
    spec.argv.push_back(word);
  auto started = core::Child::start(spec);
  if (!started) return started.error();
  daemon_.emplace(std::move(*started));
  return wait_for_socket(socket);
}

core::Status LttngSession::wait_for_socket(const std::string& socket) {
  const auto deadline = std::chrono::steady_clock::now() + seconds(20);
  std::error_code unreadable;
  while (!fs::exists(socket, unreadable)) {
    if (const auto end = daemon_->wait_for(milliseconds(10)))
      return core::cannot_run(
          fmt::format("LTTng's session daemon did not start: {}: {}", end->text(),
                      end->standard_error.substr(0, end->standard_error.find('\n'))),
          is_root() ? "as root it is given a mount namespace of its own, which needs CAP_SYS_ADMIN" : "");
    if (std::chrono::steady_clock::now() > deadline)
      return core::cannot_run("LTTng's session daemon was not ready within 20 s", "");
  }
  return {};
}

core::Result<std::string> LttngSession::client(const std::vector<std::string>& words, seconds limit) {
  core::ProcessSpec spec;
  if (is_root()) spec.argv = {"nsenter", "--mount", "--root", "--target", fmt::format("{}", daemon_->pid()), "--"};
  spec.argv.insert(spec.argv.end(), {"lttng", "--no-sessiond"});
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.standard_output = core::ProcessSpec::Output::capture;
  auto end = core::run_process(spec, limit);
  if (!end) return end.error();
  if (!end->succeeded())
    return core::Error{fmt::format("lttng {}: {}", words.front(),
                                   end->standard_error.empty() ? end->standard_output : end->standard_error)};
  return end->standard_output;
}

core::Status LttngSession::start(const ArmSurroundings& surroundings) {
  if (core::Status status = start_daemon(surroundings); !status) return status;
  const ArmSpec& arm = surroundings.spec;
  std::vector<std::string> channel = {
      "enable-channel",
      "--userspace",
      "--session=npt",
      fmt::format("--subbuf-size={}", arm.sub_buffer_bytes),
      fmt::format("--num-subbuf={}", arm.sub_buffers),
      fmt::format("--read-timer={}", arm.policy == "timer" ? arm.period_ns.value_or(kReadTimer_ns) / 1000 : 0),
      "npt"};
  // The daemon listens to programs first and to clients a little later: so the first command is tried for a while.
  const std::vector<std::string> create = {"create", "npt", "--output=" + surroundings.trace_folder};
  auto created = client(create, seconds(30));
  for (int tries = 0; !created && tries < 50 && !daemon_->wait_for(milliseconds(100)); ++tries)
    created = client(create, seconds(30));
  if (!created) return created.error();
  const std::vector<std::vector<std::string>> commands = {
      channel, {"enable-event", "--userspace", "--session=npt", "--channel=npt", "npt:*"}, {"start", "npt"}};
  for (const auto& words : commands)
    if (auto done = client(words, seconds(30)); !done) return done.error();
  return {};
}

LttngSession::End LttngSession::stop() {
  End end;
  const auto now = members_of(daemon_->pid());
  const auto count = [&](const char* name) {
    return std::count_if(now.begin(), now.end(), [&](const auto& member) { return member.second == name; });
  };
  if (daemon_->wait_for(milliseconds(0)))
    end.broken = "LTTng's session daemon died";
  else if (count("lttng-consumerd") == 0)
    end.broken = "LTTng's consumer daemon died";
  if (!end.broken.empty()) return end;
  auto stopped = client({"stop", "npt"}, seconds(120));
  auto listed = stopped ? client({"list", "npt"}, seconds(30)) : stopped;
  const auto discarded = listed ? discarded_in(*listed) : std::nullopt;
  if (!stopped || !listed)
    end.broken = listed.error().text;
  else if (!discarded)
    end.broken = "LTTng does not tell how many events it discarded";
  end.discarded = discarded.value_or(0);
  if (stopped)
    if (auto destroyed = client({"destroy", "npt"}, seconds(120)); !destroyed && end.broken.empty())
      end.broken = destroyed.error().text;
  daemon_->stop(seconds(10));
  return end;
}

}  // namespace maxlat::npt
