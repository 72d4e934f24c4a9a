// SPDX-License-Identifier: MIT
//
// What hackbench prints: the shape of a round, and how long it took. It measures no latency: a round becomes a phase of
// the kind load, with what it passed on in a second. Several rounds may stand below one another.
#include <fmt/format.h>

#include <maxlat/import/import_definition.hpp>
#include <optional>

#include "reading/imported_run.hpp"
#include "reading/words.hpp"

namespace maxlat::importing {
namespace {

constexpr std::string_view kHackbenchShape = "Running in ", kHackbenchMessages = "Each sender will pass ",
                           kHackbenchTime = "Time: ";

struct HackbenchRound {
  std::string mode;  // "process", "threaded"
  uint64_t groups = 0, descriptors = 0, messages = 0, bytes = 0;
};

// "Running in process mode with 2 groups using 40 file descriptors each (== 80 tasks)"
bool take_shape(std::string_view line, HackbenchRound& round) {
  const auto groups = number_after(line, " mode with "), descriptors = number_after(line, " groups using ");
  line.remove_prefix(kHackbenchShape.size());
  round.mode = take_word(line) == "threaded" ? "threads" : "processes";
  round.groups = groups.value_or(0);
  round.descriptors = descriptors.value_or(0);
  return groups && descriptors;
}

// "Each sender will pass 200 messages of 100 bytes"
bool take_messages(std::string_view line, HackbenchRound& round) {
  const auto messages = number_after(line, kHackbenchMessages), bytes = number_after(line, " messages of ");
  round.messages = messages.value_or(0);
  round.bytes = bytes.value_or(0);
  return messages && bytes;
}

// Half of the descriptors are those of senders, and each of them writes its messages to every receiver of its group.
double messages_passed(const HackbenchRound& round) {
  const auto senders = static_cast<double>(round.descriptors) / 2;
  return static_cast<double>(round.groups) * senders * senders * static_cast<double>(round.messages);
}

core::Phase hackbench_phase(const HackbenchRound& round, double seconds, size_t number) {
  core::Phase phase =
      imported_phase(number == 1 ? "hackbench" : fmt::format("hackbench {}", number), core::kLoadKind, "hackbench");
  phase.warnings.clear();  // it is the load
  phase.duration_s = seconds;
  phase.facts["tasks"] = fmt::format("{} groups of {} {}", round.groups, round.descriptors, round.mode);
  phase.facts["messages"] =
      fmt::format("{} of {} bytes, from each sender to each receiver", round.messages, round.bytes);
  phase.load.push_back({.name = "hackbench",
                        .command = "hackbench",
                        .unit = "messages/s",
                        .alive = true,
                        .reason = {},
                        .progress = {messages_passed(round) / seconds}});
  return phase;
}

core::Result<core::RunResult> read_hackbench(InputText& input, const ImportOptions&) {
  std::vector<core::Phase> phases;
  std::optional<HackbenchRound> round;
  while (const auto line = input.next_line()) {
    if (line->starts_with(kHackbenchShape)) {
      if (round) return in_line(input, "the round before it has no time");
      if (!take_shape(*line, round.emplace())) return in_line(input, "it does not tell the groups of hackbench");
    } else if (line->starts_with(kHackbenchMessages)) {
      if (!round) return in_line(input, "the line \"Running in\" is missing before it");
      if (!take_messages(*line, *round)) return in_line(input, "it does not tell the messages of hackbench");
    } else if (line->starts_with(kHackbenchTime)) {
      const auto seconds = decimal_number(line->substr(kHackbenchTime.size()));
      if (!round || round->messages == 0) return in_line(input, "there is no round that the time is of");
      if (!seconds) return in_line(input, in_quotes(line->substr(kHackbenchTime.size())) + " is no time");
      if (*seconds == 0) return in_line(input, "a time of 0 tells no rate: give hackbench more messages (-l)");
      phases.push_back(hackbench_phase(*round, *seconds, phases.size() + 1));
      round.reset();
    }
  }
  if (round) return in_line(input, "it ends here, without a time: was hackbench killed?");
  if (phases.empty()) return core::Error{"hackbench's result is not readable: no round is in it"};
  return imported_run("hackbench", std::move(phases));
}

}  // namespace

extern const ImportDefinition kHackbench{
    .name = "hackbench",
    .made_by = "hackbench's text",
    .recognises = [](std::string_view beginning) { return beginning.find(kHackbenchMessages) != beginning.npos; },
    .read_lines = read_hackbench};

}  // namespace maxlat::importing
