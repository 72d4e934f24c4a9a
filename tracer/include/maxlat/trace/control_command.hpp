// SPDX-License-Identifier: MIT
//
// A request that the control socket answers (control_protocol.hpp). Adding one is one file that defines one of these,
// and a row: the tracer's own have theirs in session/control_table.cpp; another part, or a program, hands its own to
// add_control_command(). How many words are allowed, and what `help` says, comes from the command.
//
//   ControlAnswer answer_echo(ControlWords words) { return control_ok(std::string(words[1]) + "\n"); }
//   constinit const ControlCommand kEcho{"echo WORD", "the word", answer_echo};
//   add_control_command(kEcho);
#pragma once

#include <maxlat/base/owned.hpp>
#include <maxlat/base/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace {

struct ControlAnswer {
  std::string text;                             // "ok" or "error TEXT", then lines; each ends in '\n'
  std::vector<base::Descriptor> descriptors{};  // two at most
  bool resume = false;                          // main() may begin
  bool rest = false;                            // what did not fit in the last answer goes behind this one
};

ControlAnswer control_ok(std::string lines = {});
ControlAnswer control_error(const base::Error& error);
ControlAnswer control_answer(const base::Status& status);

// The words of a request; the first is the command's name.
using ControlWords = std::span<const std::string_view>;

struct ControlCommand {
  // Its name and the words that it takes: "enable SESSION CHANNEL PATTERN [level=N]". Those in brackets, which are the
  // last, may be missing. No other number of words reaches `answer`.
  std::string_view usage;
  std::string_view told;  // what it does and answers, for `help`; lines
  // THREADS: that of control, one call at a time. It may use what session.hpp has.
  ControlAnswer (*answer)(ControlWords words);

  std::string_view name() const { return usage.substr(0, usage.find(' ')); }
};

// For as long as the process lives, and so must the command. THREADS: any, also while the control thread is at work.
// ERRORS: there is one of that name; it has no name.
base::Status add_control_command(const ControlCommand& command);

}  // namespace maxlat::trace
