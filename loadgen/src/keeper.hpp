// SPDX-License-Identifier: MIT
//
// The keeper of a foreign load: a worker that runs a command round after round.
//
// Why a process of its own between us and the command: rounds follow each other at once (a supervisor that looks once a
// second would leave the box idle for up to a second between two rounds), and everything the command leaves behind,
// also what has left its process group, is adopted by the keeper (PR_SET_CHILD_SUBREAPER) and ended by it, also when
// the orchestrator was killed: the keeper gets SIGTERM then, cleans up and goes.
//
//   orchestrator -- keeper (group K, SCHED_OTHER, subreaper) -- command (group C) -- hackbench's senders, compilers ...
//
// Progress is the CPU time of the keeper's children, living and reaped (slot.work, milliseconds), and finished rounds.
#pragma once

#include <functional>
#include <maxlat/loadgen/load_definition.hpp>
#include <string>
#include <vector>

namespace maxlat::loadgen {

using CommandLine = std::vector<std::string>;

struct Rounds {
  std::vector<CommandLine> once;   // before the first round
  std::vector<CommandLine> round;  // again and again, each must end with status 0
};

// Runs rounds until termination is requested (then ok) or a command fails. RUNS IN: a worker with cleans_up.
core::Status keep_rounds(const Rounds& rounds, WorkerSlot& slot);

// A load that is nothing but one command: `program` (when not empty) and then the words of the user's argument.
struct ForeignCommand {
  std::string_view load;
  std::string program;
  std::string_view package;  // Debian's, empty when it can be any
  std::string example;       // for whoever gave no words
};
// ERRORS: no words at all, an open quote; as require_program().
core::Result<LoadPlan> plan_of_command(const ForeignCommand& foreign, std::string_view argument,
                                       const core::CpuList& cpus);
// A plan with a keeper that does `work`; `command` is for people.
LoadPlan plan_with_keeper(std::string_view name, std::string command, const core::CpuList& cpus, Work work);

// ERRORS: neither in PATH nor a path (hint: the Debian package, unless that is empty).
core::Status require_program(const std::string& program, std::string_view package);
// Words as a shell would split them, with quotes and backslashes, without its expansions. ERRORS: an open quote.
core::Result<CommandLine> split_words(std::string_view text);

inline constexpr std::string_view kCpuTimeUnit = "CPU-s/s";
inline constexpr double kCpuTimeScale = 1e-3;

}  // namespace maxlat::loadgen
