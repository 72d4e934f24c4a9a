// SPDX-License-Identifier: MIT
#include "recorded_channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <charconv>
#include <optional>

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;

// Options of a channel, general ones and words of --channel alike.
constexpr std::array kNames = {"size", "count", "per", "slots", "mode", "deliver", "context", "level", "flush"};

core::Status set_number(std::uint32_t& option, const std::string& text) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, option);
  if (error == std::errc() && rest == end) return {};
  return core::Error{fmt::format("not a number: \"{}\"", text)};
}

template <class Choice>
core::Status set_choice(Choice& option, const std::string& text, const char* first, Choice if_first, const char* second,
                        Choice if_second) {
  if (text != first && text != second)
    return core::Error{fmt::format("\"{}\" is neither {} nor {}", text, first, second)};
  option = text == first ? if_first : if_second;
  return {};
}

core::Status set_level(trace::Level& option, const std::string& text) {
  std::uint32_t level = 0;
  if (const core::Status number = set_number(level, text); !number) return number;
  if (level >= trace::kLevelNames.size())
    return core::Error{fmt::format("{} is not within 0 to {}", level, trace::kLevelNames.size() - 1)};
  option = static_cast<trace::Level>(level);
  return {};
}

core::Status set_flush(std::chrono::nanoseconds& option, const std::string& text) {
  const auto period = parse_span(text);
  if (!period) return period.error();
  if (const core::Status rare = not_too_often(*period); period->count() != 0 && !rare)
    return core::Error{rare.error().text, "0: never"};
  option = *period;
  return {};
}

// REQUIRES: one of kNames.
core::Status set(RecordedChannel& channel, const std::string& name, const std::string& value) {
  using namespace trace;
  ChannelOptions& options = channel.options;
  if (name == "size") return set_bytes(options.sub_buffer_size, value);
  if (name == "count") return set_number(options.sub_buffers, value);
  if (name == "slots") return set_number(options.slots, value);
  if (name == "per")
    return set_choice(options.ownership, value, "thread", Ownership::per_thread, "cpu", Ownership::per_cpu);
  if (name == "mode")
    return set_choice(options.when_full, value, "discard", FullBuffer::discard, "overwrite", FullBuffer::overwrite);
  if (name == "deliver")
    return set_choice(options.delivery, value, "timer", Delivery::timer, "wakeup", Delivery::wakeup);
  if (name == "context") return set_choice(options.context, value, "none", Context::none, "cpu", Context::cpu);
  if (name == "flush") return set_flush(channel.flush, value);
  return set_level(channel.level, value);
}

core::Error of_option(const std::string& option, const core::Error& error) {
  return core::Error{option + ": " + error.text, error.hint};
}

core::Error no_such_word(const std::string& word) {
  return core::Error{fmt::format("\"{}\" is no option of a channel", word),
                     fmt::format("one of {}", fmt::join(kNames, ", "))};
}

// "NAME:PATTERN,...,OPTION=VALUE,...": the first colon ends the name, a word with "=" is an option.
core::Result<RecordedChannel> parse_channel(const std::string& text, RecordedChannel channel) {
  const std::size_t colon = text.find(':');
  const std::string what = "--channel " + text.substr(0, colon);
  if (colon == 0 || colon == text.npos || colon + 1 == text.size())
    return core::Error{fmt::format("--channel: \"{}\" is not NAME:EVENTS", text), "for example --channel fast:motor:*"};
  channel.options.name = text.substr(0, colon);
  channel.patterns.clear();
  std::vector<std::string> words;
  const std::string rest = text.substr(colon + 1);
  boost::split(words, rest, boost::is_any_of(","));
  bool slots = false;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) {
      if (!word.empty()) channel.patterns.push_back(word);
      continue;
    }
    const std::string name = word.substr(0, equals);
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) return of_option(what, no_such_word(name));
    slots |= name == "slots";
    if (const core::Status done = set(channel, name, word.substr(equals + 1)); !done)
      return of_option(what + ": " + name, done.error());
  }
  if (channel.patterns.empty())
    return of_option(what, core::Error{"names no events", "for example --channel fast:motor:*"});
  if (slots && channel.options.ownership == trace::Ownership::per_cpu)
    return of_option(what, core::Error{"slots= does not go with per=cpu: each CPU has its ring"});
  return channel;
}

// An option that would change nothing is a mistake in what was meant by it.
core::Status options_go_together(const core::CommandLine& line,
                                 const std::optional<std::vector<std::string>>& patterns) {
  if (line.given("slots") && line.get<std::string>("per") == "cpu")
    return core::Error{"--slots does not go with --per cpu: each CPU has its ring", "leave one of them out"};
  const bool named_twice = patterns && !patterns->empty();
  if (line.has("channel") && (named_twice || line.has("level")))
    return core::Error{
        fmt::format("--{} does not go with --channel, which names its events itself", named_twice ? "event" : "level")};
  return {};
}

core::Result<RecordedChannel> general_channel(const core::CommandLine& line,
                                              const std::optional<std::vector<std::string>>& patterns) {
  RecordedChannel channel;
  if (line.has("flight-recorder")) channel.options.when_full = trace::FullBuffer::overwrite;
  for (const char* name : kNames) {
    if (!line.has(name)) continue;
    if (const core::Status done = set(channel, name, line.get<std::string>(name)); !done)
      return of_option(fmt::format("--{}", name), done.error());
  }
  if (patterns) channel.patterns = *patterns;
  return channel;
}

// What every program would refuse is refused before any is started, by the same code.
core::Status try_in_a_session(const std::vector<RecordedChannel>& channels, const std::string& name) {
  auto session = trace::Session::create({.name = name});
  if (!session) return session.error();
  core::Status status;
  for (const RecordedChannel& channel : channels) {
    if (status) status = session->add_channel(channel.options);
    for (const std::string& pattern : channel.patterns)
      if (status) status = session->enable(channel.options.name, pattern, channel.level);
  }
  const core::Status destroyed = session->destroy();
  return status ? destroyed : status;
}

}  // namespace

core::Status set_bytes(std::uint64_t& option, const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit_begin, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(unit_begin, static_cast<std::size_t>(end - unit_begin));
  const unsigned shift = unit == "k" || unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  if (error != std::errc() || (shift == 0 && !unit.empty()) || number > UINT64_MAX >> 31)
    return core::Error{fmt::format("not a size: \"{}\"", text), "a number of bytes, or with k or M: 64k or 1M"};
  option = number << shift;
  return {};
}

std::vector<std::string> RecordedChannel::requests(const std::string& session) const {
  const bool per_cpu = options.ownership == trace::Ownership::per_cpu;
  std::vector<std::string> all = {fmt::format(
      "channel {} {} mode={} per={} size={} count={} deliver={}{}{}", session, options.name,
      options.when_full == trace::FullBuffer::overwrite ? "overwrite" : "discard", per_cpu ? "cpu" : "thread",
      options.sub_buffer_size, options.sub_buffers, options.delivery == trace::Delivery::wakeup ? "wakeup" : "timer",
      per_cpu ? "" : fmt::format(" slots={}", options.slots),
      options.context == trace::Context::cpu ? " context=cpu" : "")};
  for (const std::string& pattern : patterns)
    all.push_back(
        fmt::format("enable {} {} {} level={}", session, options.name, pattern, static_cast<unsigned>(level)));
  return all;
}

core::Result<std::chrono::nanoseconds> parse_span(const std::string& text, std::string_view bare_unit) {
  const auto ns = core::parse_duration_ns(text, bare_unit);
  if (!ns) return ns.error();
  const std::chrono::nanoseconds span(static_cast<std::int64_t>(*ns));
  if (span > std::chrono::days(36'500)) return core::Error{"longer than 100 years"};
  return span;
}

core::Status not_too_often(std::chrono::nanoseconds period) {
  if (period < std::chrono::microseconds(20)) return core::Error{"20 us is the shortest"};
  return {};
}

po::options_description channel_options() {
  po::options_description options("Buffers");
  auto add = options.add_options();
  add("size", core::argument("BYTES")->default_value("1M"), "of a sub-buffer, a power of two");
  add("count", core::argument("N")->default_value("4"), "sub-buffers of a ring, a power of two");
  add("per", core::argument("thread|cpu")->default_value("thread"), "who has a ring");
  add("slots", core::argument("N"), "rings of threads at one time (64)");
  add("mode", core::argument("discard|overwrite"), "what a full ring does (discard)");
  add("deliver", core::argument("timer|wakeup")->default_value("timer"), "poll, or be woken for each full sub-buffer");
  add("context", core::argument("none|cpu")->default_value("none"), "cpu: each event with the CPU it was recorded on");
  add("channel", core::argument<std::vector<std::string>>("NAME:EVENTS[,OPTION=..]"),
      "a buffer of its own for these events; options are size, count, per, slots, mode, deliver, context, level, "
      "flush; can be repeated");
  return options;
}

core::Result<std::vector<RecordedChannel>> recorded_channels(const core::CommandLine& line, const std::string& session,
                                                             const std::optional<std::vector<std::string>>& patterns) {
  if (const core::Status together = options_go_together(line, patterns); !together) return together.error();
  const auto general = general_channel(line, patterns);
  if (!general) return general.error();
  std::vector<RecordedChannel> channels;
  if (line.has("channel")) {
    for (const auto& text : line.get<std::vector<std::string>>("channel")) {
      auto channel = parse_channel(text, *general);
      if (!channel) return channel.error();
      channels.push_back(*std::move(channel));
    }
  } else {
    channels.push_back(*general);
  }
  const auto overwrites = [](const auto& c) { return c.options.when_full == trace::FullBuffer::overwrite; };
  if (line.has("flight-recorder") && std::none_of(channels.begin(), channels.end(), overwrites))
    return core::Error{"--flight-recorder needs --mode overwrite"};
  if (const core::Status accepted = try_in_a_session(channels, session); !accepted) return accepted.error();
  return channels;
}

}  // namespace maxlat::trace_tools
