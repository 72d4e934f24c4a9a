// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/whole_number.hpp>
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

// Of "size=64k" what stands behind the sign.
std::string_view value_of(std::string_view word) {
  return word.substr(word.find('=') + 1);
}

template <ArmSpec::Owner kOwner>
core::Status read_owner(std::string_view, const ArmDefinition&, ArmSpec& arm) {
  arm.owner = kOwner;
  return {};
}

template <ArmSpec::WhenFull kWhenFull>
core::Status read_when_full(std::string_view, const ArmDefinition&, ArmSpec& arm) {
  arm.when_full = kWhenFull;
  return {};
}

core::Error no_power_of_two(const ArmDefinition& kind, std::string_view word, uint64_t least, uint64_t most,
                            std::string hint) {
  return wrong(fmt::format("arm \"{}\": \"{}\" is no power of two from {} to {}", kind.name, word, size_text(least),
                           size_text(most)),
               std::move(hint));
}

core::Status read_size(std::string_view word, const ArmDefinition& kind, ArmSpec& arm) {
  const auto bytes = power_of_two(value_of(word));
  if (!bytes || *bytes < kSmallestSize || *bytes > kind.largest_size)
    return no_power_of_two(kind, word, kSmallestSize, kind.largest_size, "as size=64k or size=1M");
  arm.sub_buffer_bytes = *bytes;
  return {};
}

core::Status read_count(std::string_view word, const ArmDefinition& kind, ArmSpec& arm) {
  const auto number = power_of_two(value_of(word));
  if (!number || *number < kFewestBuffers || *number > kind.most_buffers)
    return no_power_of_two(kind, word, kFewestBuffers, kind.most_buffers, "as count=32");
  arm.sub_buffers = *number;
  return {};
}

// Whole microseconds, because LTTng has no others.
core::Status read_period(std::string_view word, const ArmDefinition& kind, ArmSpec& arm) {
  const auto time = core::parse_duration_ns(value_of(word), core::kUnitNeeded);
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

core::Status read_snapshot(std::string_view word, const ArmDefinition& kind, ArmSpec& arm) {
  const auto time = core::parse_duration_ns(value_of(word), core::kUnitNeeded);
  if (!time || *time == 0)
    return wrong(fmt::format("arm \"{}\": \"{}\"", kind.name, word), "a time above 0, as snapshot=50us");
  arm.snapshot_above_ns = *time;
  return {};
}

core::Status read_events(std::string_view word, const ArmDefinition& kind, ArmSpec& arm) {
  const std::string_view pattern = value_of(word);
  const size_t colon = pattern.find(':');
  if (colon == 0 || colon >= pattern.size() - 1)
    return wrong(fmt::format("arm \"{}\": \"{}\" names no event of the kernel", kind.name, word),
                 "as events=sched:sched_switch or events=irq:*, once for each");
  arm.events.emplace_back(pattern);
  return {};
}

core::Status read_monitors(std::string_view word, const ArmDefinition& kind, ArmSpec& arm) {
  const auto number = core::whole_number(value_of(word));
  if (!number || *number == 0 || *number > kMostMonitors)
    return wrong(fmt::format("arm \"{}\": \"{}\" is no number from 1 to {}", kind.name, word, kMostMonitors),
                 "as monitors=4");
  arm.monitors = *number;
  return {};
}

core::Status read_poll(std::string_view word, const ArmDefinition& kind, ArmSpec& arm) {
  const auto time = core::parse_duration_ns(value_of(word), core::kUnitNeeded);
  if (!time || *time < kShortestPoll_ns || *time > kLongestPeriod_ns)
    return wrong(fmt::format("arm \"{}\": \"{}\" is no time from {} to {}", kind.name, word,
                             exact_time(kShortestPoll_ns), exact_time(kLongestPeriod_ns)),
                 "as poll=1ms");
  arm.poll_ns = *time;
  return {};
}

struct ArmOption {
  std::string_view shown;  // "size=BYTES": how it begins, and what follows
  bool (*is_of)(const ArmDefinition& kind);
  core::Status (*read)(std::string_view word, const ArmDefinition& kind, ArmSpec& arm);
  bool may_repeat = false;

  // "size="
  std::string_view begin() const { return shown.substr(0, shown.find('=') + 1); }
  bool is(std::string_view word) const { return begin().empty() ? word == shown : word.starts_with(begin()); }
};

constexpr auto kHasOwner = [](const ArmDefinition& kind) { return kind.has_owner; };
constexpr auto kHasWhenFull = [](const ArmDefinition& kind) { return kind.has_when_full; };
constexpr auto kHasMonitors = [](const ArmDefinition& kind) { return kind.has_monitors; };

constexpr ArmOption kOptions[] = {
    {"thread", kHasOwner, read_owner<ArmSpec::Owner::thread>},
    {"cpu", kHasOwner, read_owner<ArmSpec::Owner::cpu>},
    {"discard", kHasWhenFull, read_when_full<ArmSpec::WhenFull::discard>},
    {"overwrite", kHasWhenFull, read_when_full<ArmSpec::WhenFull::overwrite>},
    {"size=BYTES", [](const ArmDefinition& kind) { return kind.default_size != 0; }, read_size},
    {"count=N", [](const ArmDefinition& kind) { return kind.most_buffers != 0; }, read_count},
    {"period=TIME", [](const ArmDefinition& kind) { return kind.shortest_period_ns != 0; }, read_period},
    {"snapshot=TIME", kHasWhenFull, read_snapshot},
    {"events=GROUP:NAME", [](const ArmDefinition& kind) { return kind.has_events; }, read_events, true},
    {"monitors=N", kHasMonitors, read_monitors},
    {"poll=TIME", kHasMonitors, read_poll}};

const ArmOption* find_option(std::string_view word) {
  const auto found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                  [&](const ArmOption& option) { return option.is(word); });
  return found == std::end(kOptions) ? nullptr : found;
}

core::Status read_options(const std::vector<std::string_view>& words, const ArmDefinition& kind, ArmSpec& arm) {
  std::vector<const ArmOption*> seen;
  for (const std::string_view word : words) {
    const ArmOption* const option = find_option(word);
    if (option == nullptr) {
      std::vector<std::string_view> all;
      for (const ArmOption& each : kOptions) all.push_back(each.shown);
      return wrong(fmt::format("arm \"{}\": \"{}\" is no option of an arm", kind.name, word),
                   "options are " + join(all));
    }
    if (!option->is_of(kind))
      return wrong(fmt::format("arm \"{}\" does not have the option \"{}\"", kind.name, word),
                   "man maxlat-npt has the options of each arm");
    if (!option->may_repeat && std::find(seen.begin(), seen.end(), option) != seen.end())
      return wrong(fmt::format("arm \"{}\" has the option \"{}\" twice", kind.name, option->shown), "one of them");
    seen.push_back(option);
    if (core::Status status = option->read(word, kind, arm); !status) return status;
  }
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
  if (core::Status status = read_options({words.begin() + 1, words.end()}, *kind, arm); !status) return status.error();
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
    if (!find_option(word))
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
