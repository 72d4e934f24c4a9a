// SPDX-License-Identifier: MIT
// own_threads CPU FOLDER: on which CPUs the tracer's own threads may run, in a program that is pinned to one CPU: the
// one that listens and the one that records, a line for each: "NAME CPUS".
#include <dirent.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <maxlat/trace/control.hpp>
#include <maxlat/trace/control_client.hpp>
#include <maxlat/trace/probe.hpp>
#include <maxlat/trace/recorder.hpp>
#include <maxlat/trace/session.hpp>
#include <string>

#include "or_fail.hpp"

MAXLAT_TRACE_EVENT(own, event, (std::uint64_t, n))

namespace {

using namespace maxlat::trace;

// What stands behind `key` in a thread's status.
std::string status_of(const std::string& thread, const std::string& key) {
  std::ifstream file("/proc/self/task/" + thread + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":\t")) return line.substr(key.size() + 2);
  }
  return "";
}

void print_own_threads() {
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) fail("cannot list the threads");
  while (const dirent* task = readdir(tasks)) {
    const std::string name = status_of(task->d_name, "Name");
    if (!name.starts_with("maxlat-")) continue;
    std::printf("%s %s\n", name.c_str(), status_of(task->d_name, "Cpus_allowed_list").c_str());
  }
  closedir(tasks);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(std::atoi(argv[1]), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) fail("cannot go to that CPU");

  must(open_control());
  auto session = Session::create({.name = "own", .clock = maxlat::base::clock_with_rate(1)});
  if (!session) fail(session.error().text);
  must(session->add_channel({.name = "all", .sub_buffer_size = 4096}));
  must(session->enable("all", "own:*"));
  must(session->start());
  auto descriptors = session->descriptors();
  if (!descriptors) fail(descriptors.error().text);
  RecorderOptions options;
  options.directory = argv[2];
  auto recorder = InProcessRecorder::start(descriptors->memory, descriptors->wakeup, options);
  if (!recorder) fail(recorder.error().text);
  MAXLAT_TRACE(own, event, 1);

  // Both are where they want to be when they have done something.
  auto control = ControlConnection::connect(getpid());
  if (!control) fail(control.error().text);
  const auto reply = control->request("list");
  if (!reply) fail(reply.error().text);
  const std::string stream = options.directory + "/own_threads-" + std::to_string(getpid()) + "/all-0-0";
  struct stat facts {};
  while (stat(stream.c_str(), &facts) != 0 || facts.st_size == 0) usleep(1000);
  print_own_threads();
  must(session->stop());
  recorder->finish();
}
