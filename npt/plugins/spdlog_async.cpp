// SPDX-License-Identifier: MIT
//
// spdlog-async: spdlog's asynchronous logger as its manual shows it: a queue of 8192 messages, one thread that formats
// and writes them, and a logging thread that waits when the queue is full.
#include <maxlat/npt/plugin.h>
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

namespace {

struct State {
  std::shared_ptr<spdlog::logger> log;
  double ns_per_tick = 0;
};

void start(void* state) {
  static_cast<State*>(state)->log->info("npt:start");
}

void loop(void* state, uint64_t count, uint64_t ticks) {
  const State& self = *static_cast<State*>(state);
  self.log->info("npt:loop count={} ticks={} duration={:.3f}", count, ticks,
                 static_cast<double>(ticks) * self.ns_per_tick);
}

void stop(void* state) {
  static_cast<State*>(state)->log->info("npt:stop");
}

int open_arm(const maxlat_npt_plugin_options* options, maxlat_npt_probe* probe, char* error, size_t error_size) try {
  auto* const state = new State;
  state->log = spdlog::basic_logger_mt<spdlog::async_factory>("npt", std::string(options->folder) + "/npt.log", true);
  state->log->set_error_handler([](const std::string&) {});  // the lines of the file tell what was not written
  state->ns_per_tick = options->ns_per_tick;
  *probe = {state, start, loop, stop};
  return 0;
} catch (const std::exception& failure) {
  std::snprintf(error, error_size, "%s", failure.what());
  return EIO;
}

uint64_t close_arm(void* state) {
  delete static_cast<State*>(state);
  spdlog::shutdown();  // the thread ends when all that was queued is written
  return 0;
}

const maxlat_npt_plugin plugin{MAXLAT_NPT_PLUGIN_VERSION, open_arm, nullptr, close_arm};

}  // namespace

const maxlat_npt_plugin* maxlat_npt_plugin_of_this_object() {
  return &plugin;
}
