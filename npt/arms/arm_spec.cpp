// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/npt/arm_definition.hpp>
#include <maxlat/npt/arm_spec.hpp>
#include <optional>

namespace maxlat::npt {

std::optional<uint64_t> power_of_two(std::string_view text) {
  uint64_t number = 0;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{}) return {};
  const std::string_view unit(rest, static_cast<size_t>(text.data() + text.size() - rest));
  const unsigned shift = unit.empty() ? 0 : unit == "k" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 64;
  if (shift == 64 || !std::has_single_bit(number) || static_cast<unsigned>(std::bit_width(number)) + shift > 40)
    return {};
  return number << shift;
}

std::string size_text(uint64_t bytes) {
  if (bytes % (1u << 30) == 0) return fmt::format("{}G", bytes >> 30);
  if (bytes % (1u << 20) == 0) return fmt::format("{}M", bytes >> 20);
  if (bytes % (1u << 10) == 0) return fmt::format("{}k", bytes >> 10);
  return fmt::format("{}", bytes);
}

namespace {

constexpr uint64_t kSmallestSize = 4096, kFewestBuffers = 2;
constexpr uint64_t kDefaultSubBuffers = 32;
constexpr std::string_view kPolledPolicy = "timer";  // of delivery, whose consumer comes by itself
constexpr uint64_t kLongestPeriod_ns = 1'000'000'000;
constexpr uint64_t kMostMonitors = 64, kShortestPoll_ns = 10'000, kDefaultPoll_ns = 1'000'000;

core::Error wrong(std::string text, std::string hint) {
  return {std::move(text), std::move(hint)};
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(at, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string join(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

bool is_option_word(std::string_view word) {
  return word == "thread" || word == "cpu" || word == "discard" || word == "overwrite" || word.starts_with("size=") ||
         word.starts_with("count=") || word.starts_with("snapshot=") || word.starts_with("events=") ||
         word.starts_with("period=") || word.starts_with("monitors=") || word.starts_with("poll=");
}

// "snapshot=50us"
core::Status read_snapshot(std::string_view word, ArmSpec& arm) {
  const auto time = core::parse_duration_ns(word.substr(word.find('=') + 1), core::kUnitNeeded);
  if (!time || *time == 0)
    return wrong(fmt::format("arm \"{}\": \"{}\"", arm.name, word), "a time above 0, as snapshot=50us");
  arm.snapshot_above_ns = *time;
  return {};
}

// "events=sched:*"
core::Status read_events(std::string_view word, ArmSpec& arm) {
  const std::string_view pattern = word.substr(word.find('=') + 1);
  const size_t colon = pattern.find(':');
  if (colon == 0 || colon >= pattern.size() - 1)
    return wrong(fmt::format("arm \"{}\": \"{}\" names no event of the kernel", arm.name, word),
                 "as events=sched:sched_switch or events=irq:*, once for each");
  arm.events.emplace_back(pattern);
  return {};
}

// "period=200us". Whole microseconds, because LTTng has no others.
core::Status read_period(std::string_view word, const ArmDefinition& kind, ArmSpec& arm) {
  const auto time = core::parse_duration_ns(word.substr(word.find('=') + 1), core::kUnitNeeded);
  if (!time) return wrong(fmt::format("arm \"{}\": \"{}\"", kind.name, word), "a time, as period=200us");
  if (*time == 0 && !kind.polls_actively)
    return wrong(fmt::format("arm \"{}\": \"{}\": its consumer cannot poll without a rest", kind.name, word),
                 fmt::format("the shortest is period={}", exact_time(kind.shortest_period_ns)));
  if (*time != 0 && (*time < kind.shortest_period_ns || *time > kLongestPeriod_ns || *time % 1000 != 0))
    return wrong(fmt::format("arm \"{}\": \"{}\" is not in whole microseconds from {} to {}", kind.name, word,
                             exact_time(kind.shortest_period_ns), exact_time(kLongestPeriod_ns)),
                 kind.polls_actively ? "or period=0, without a rest" : "");
  arm.period_ns = *time;
  return {};
}

// "monitors=4"
core::Status read_monitors(std::string_view word, ArmSpec& arm) {
  const std::string_view number = word.substr(word.find('=') + 1);
  const auto [rest, failure] = std::from_chars(number.data(), number.data() + number.size(), arm.monitors);
  if (failure == std::errc{} && rest == number.data() + number.size() && arm.monitors - 1 < kMostMonitors) return {};
  return wrong(fmt::format("arm \"{}\": \"{}\" is no number from 1 to {}", arm.name, word, kMostMonitors),
               "as monitors=4");
}

// "poll=1ms"
core::Status read_poll(std::string_view word, ArmSpec& arm) {
  const auto time = core::parse_duration_ns(word.substr(word.find('=') + 1), core::kUnitNeeded);
  if (!time || *time < kShortestPoll_ns || *time > kLongestPeriod_ns)
    return wrong(fmt::format("arm \"{}\": \"{}\" is no time from {} to {}", arm.name, word,
                             exact_time(kShortestPoll_ns), exact_time(kLongestPeriod_ns)),
                 "as poll=1ms");
  arm.poll_ns = *time;
  return {};
}

core::Status read_option(std::string_view word, const ArmDefinition& kind, ArmSpec& arm) {
  const bool of_owner = word == "thread" || word == "cpu";
  const bool of_full = word == "discard" || word == "overwrite";
  const bool of_size = word.starts_with("size="), of_count = word.starts_with("count=");
  if (!is_option_word(word))
    return wrong(fmt::format("arm \"{}\": \"{}\" is no option of an arm", kind.name, word),
                 "options are thread, cpu, discard, overwrite, size=BYTES, count=N, period=TIME, snapshot=TIME, "
                 "events=GROUP:NAME, monitors=N and poll=TIME");
  const bool of_snapshot = word.starts_with("snapshot="), of_events = word.starts_with("events=");
  const bool of_period = word.starts_with("period=");
  const bool of_monitors = word.starts_with("monitors="), of_poll = word.starts_with("poll=");
  if ((of_owner && !kind.has_owner) || ((of_full || of_snapshot) && !kind.has_when_full) ||
      (of_events && !kind.has_events) || ((of_monitors || of_poll) && !kind.has_monitors) ||
      (of_period && kind.shortest_period_ns == 0) || (of_size && kind.default_size == 0) ||
      (of_count && kind.most_buffers == 0))
    return wrong(fmt::format("arm \"{}\" does not have the option \"{}\"", kind.name, word),
                 "man maxlat-npt has the options of each arm");
  if (of_owner) arm.owner = word == "cpu" ? ArmSpec::Owner::cpu : ArmSpec::Owner::thread;
  if (of_full) arm.when_full = word == "discard" ? ArmSpec::WhenFull::discard : ArmSpec::WhenFull::overwrite;
  if (of_snapshot) return read_snapshot(word, arm);
  if (of_events) return read_events(word, arm);
  if (of_period) return read_period(word, kind, arm);
  if (of_monitors) return read_monitors(word, arm);
  if (of_poll) return read_poll(word, arm);
  if (!of_size && !of_count) return {};
  const auto value = power_of_two(word.substr(word.find('=') + 1));
  const uint64_t least = of_size ? kSmallestSize : kFewestBuffers;
  const uint64_t most = of_size ? kind.largest_size : kind.most_buffers;
  if (!value || *value < least || *value > most)
    return wrong(fmt::format("arm \"{}\": \"{}\" is no power of two from {} to {}", kind.name, word, size_text(least),
                             size_text(most)),
                 of_size ? "as size=64k or size=1M" : "as count=32");
  (of_size ? arm.sub_buffer_bytes : arm.sub_buffers) = *value;
  return {};
}

core::Status read_policy(std::string_view policy, const ArmDefinition& kind, ArmSpec& arm) {
  if (kind.read_policy != nullptr) return kind.read_policy(policy, arm);
  if (std::find(kind.policies.begin(), kind.policies.end(), policy) == kind.policies.end())
    return wrong(
        fmt::format("arm \"{}\" has no policy \"{}\"", kind.name, policy),
        kind.policies.empty() ? "it has none: leave out what stands after the colon" : "it is " + join(kind.policies));
  arm.policy = policy;
  return {};
}

core::Result<ArmSpec> read_arm(const std::vector<std::string_view>& words) {
  const std::string_view head = words.front();
  const size_t colon = head.find(':');
  const std::string_view name = head.substr(0, colon);
  const ArmDefinition* const kind = find_arm(name);
  if (kind == nullptr) return wrong(fmt::format("there is no arm \"{}\"", name), "arms are " + arm_names());
  ArmSpec arm;
  arm.name = name;
  if (!kind->policies.empty()) arm.policy = kind->policies.front();
  arm.sub_buffer_bytes = kind->default_size;
  if (kind->most_buffers != 0) arm.sub_buffers = kDefaultSubBuffers;
  if (colon == std::string_view::npos && kind->read_policy != nullptr)
    return wrong(fmt::format("arm \"{}\" needs {}", name, kind->policy_is), std::string(kind->policy_hint));
  if (colon != std::string_view::npos)
    if (core::Status status = read_policy(head.substr(colon + 1), *kind, arm); !status) return status.error();
  std::vector<std::string_view> keys;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::string_view key = word.substr(0, word.find('='));
    if (key != "events" && std::find(keys.begin(), keys.end(), key) != keys.end())
      return wrong(fmt::format("arm \"{}\" has the option \"{}\" twice", name, key), "one of them");
    keys.push_back(key);
    if (core::Status status = read_option(word, *kind, arm); !status) return status.error();
  }
  if (arm.snapshot_above_ns != 0 && arm.when_full != ArmSpec::WhenFull::overwrite)
    return wrong(fmt::format("arm \"{}\": a snapshot is of buffers that are overwritten", name),
                 "give it overwrite, too; without, the whole trace is kept");
  if (arm.period_ns && arm.policy != kPolledPolicy)
    return wrong(fmt::format("arm \"{}:{}\" wakes its consumer, which has no period", name, arm.policy),
                 fmt::format("period= goes with {}:{}", name, kPolledPolicy));
  if (arm.poll_ns != 0 && arm.monitors == 0)
    return wrong(fmt::format("arm \"{}:{}\" has no monitors, which have a poll", name, arm.policy),
                 "poll= goes with monitors=");
  if (arm.monitors != 0 && arm.poll_ns == 0) arm.poll_ns = kDefaultPoll_ns;
  if (!arm.events.empty() && arm.policy == "none")
    return wrong(fmt::format("arm \"{}:none\" records no events", name), "leave events= out, or name a tracer");
  return arm;
}

}  // namespace

core::Result<ArmSpec> parse_arm(std::string_view text) {
  return read_arm(split(text, ','));
}

core::Result<std::vector<ArmSpec>> parse_arm_list(std::string_view text) {
  std::vector<std::vector<std::string_view>> words_of_arms;
  for (const std::string_view word : split(text, ',')) {
    if (!is_option_word(word))
      words_of_arms.push_back({word});
    else if (words_of_arms.empty())
      return wrong(fmt::format("\"{}\" stands before the first arm", word), "an option belongs to the arm before it");
    else
      words_of_arms.back().push_back(word);
  }
  std::vector<ArmSpec> arms;
  for (const auto& words : words_of_arms) {
    auto arm = read_arm(words);
    if (!arm) return arm.error();
    arms.push_back(*arm);
  }
  return arms;
}

std::string arm_names() {
  std::vector<std::string_view> names;
  for (const ArmDefinition* kind : arm_table()) names.push_back(kind->name);
  return join(names);
}

std::string exact_time(uint64_t ns) {
  for (const auto& [unit, length] : {std::pair{"s", 1'000'000'000u}, {"ms", 1'000'000u}, {"us", 1000u}})
    if (ns != 0 && ns % length == 0) return fmt::format("{}{}", ns / length, unit);
  return fmt::format("{}ns", ns);
}

std::string to_string(const ArmSpec& arm) {
  std::string text = arm.name;
  if (!arm.policy.empty()) text += ":" + arm.policy;
  if (arm.owner == ArmSpec::Owner::cpu) text += ",cpu";
  if (arm.when_full == ArmSpec::WhenFull::overwrite) text += ",overwrite";
  const ArmDefinition* const kind = find_arm(arm.name);
  if (kind == nullptr) return text;
  if (arm.sub_buffer_bytes != kind->default_size) text += ",size=" + size_text(arm.sub_buffer_bytes);
  if (kind->most_buffers != 0 && arm.sub_buffers != kDefaultSubBuffers)
    text += fmt::format(",count={}", arm.sub_buffers);
  if (arm.period_ns) text += ",period=" + (*arm.period_ns == 0 ? "0" : exact_time(*arm.period_ns));
  if (arm.snapshot_above_ns != 0) text += ",snapshot=" + exact_time(arm.snapshot_above_ns);
  if (arm.monitors != 0) text += fmt::format(",monitors={}", arm.monitors);
  if (arm.monitors != 0 && arm.poll_ns != kDefaultPoll_ns) text += ",poll=" + exact_time(arm.poll_ns);
  for (const std::string& pattern : arm.events) text += ",events=" + pattern;
  return text;
}

}  // namespace maxlat::npt
