// SPDX-License-Identifier: MIT
//
// What concerns a channel of a session: how it is made, and which events go into it.
#include <algorithm>
#include <charconv>

#include "session/commands/of_session.hpp"
#include "session/events.hpp"

namespace maxlat::trace::detail {
namespace {

template <class Number>
base::Result<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc{} || end != text.data() + text.size())
    return base::Error{"not a number: " + std::string(text)};
  return number;
}

// One NAME=VALUE of `channel`.
base::Status set_option(ChannelOptions& options, std::string_view word) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = word.substr(std::min(equals + 1, word.size()));
  const auto choose = [&](auto& option, std::string_view first, auto if_first, std::string_view second,
                          auto if_second) {
    if (value != first && value != second) {
      return base::Status(base::Error{std::string(name) + " is " + std::string(first) + " or " + std::string(second)});
    }
    option = value == first ? if_first : if_second;
    return base::Status{};
  };
  const auto count = [&](auto& option) {
    const auto number = number_of<std::remove_reference_t<decltype(option)>>(value);
    if (!number) return base::Status(number.error());
    option = *number;
    return base::Status{};
  };
  if (name == "mode") {
    return choose(options.when_full, "discard", FullBuffer::discard, "overwrite", FullBuffer::overwrite);
  }
  if (name == "per") return choose(options.ownership, "thread", Ownership::per_thread, "cpu", Ownership::per_cpu);
  if (name == "deliver") return choose(options.delivery, "timer", Delivery::timer, "wakeup", Delivery::wakeup);
  if (name == "context") return choose(options.context, "none", Context::none, "cpu", Context::cpu);
  if (name == "size") return count(options.sub_buffer_size);
  if (name == "count") return count(options.sub_buffers);
  if (name == "slots") return count(options.slots);
  return base::Error{"no option of a channel: " + std::string(word)};
}

ControlAnswer channel(Session& session, ControlWords words) {
  ChannelOptions options;
  options.name = words[2];
  for (const std::string_view word : words.subspan(3)) {
    if (const base::Status set = set_option(options, word); !set) return control_error(set.error());
  }
  return control_answer(session.add_channel(options));
}

ControlAnswer enable(Session& session, ControlWords words) {
  auto level = Level::debug;
  if (words.size() > 4) {
    const base::Result<unsigned> number =
        words[4].starts_with("level=") ? number_of<unsigned>(words[4].substr(6)) : base::Error{"level=N is missing"};
    if (!number || *number >= kLevelNames.size())
      return control_error({"the level is a number from 0 to 7: " + std::string(words[4])});
    level = static_cast<Level>(*number);
  }
  return control_answer(session.enable(words[2], words[3], level));
}

ControlAnswer disable(Session& session, ControlWords words) {
  return control_answer(session.disable(words[2], words[3]));
}

}  // namespace

extern constinit const ControlCommand kChannelCommand{
    "channel SESSION NAME [mode=discard|overwrite] [per=thread|cpu] [size=BYTES] [count=N] [slots=N] "
    "[deliver=timer|wakeup] [context=none|cpu]",
    "adds a channel to a session that was not started", of_session<channel>};
extern constinit const ControlCommand kEnableCommand{
    "enable SESSION CHANNEL PATTERN [level=N]",
    "PATTERN is PROVIDER:NAME with wildcards; events that appear later, too", of_session<enable>};
extern constinit const ControlCommand kDisableCommand{"disable SESSION CHANNEL PATTERN", "takes events out again",
                                                      of_session<disable>};

}  // namespace maxlat::trace::detail
