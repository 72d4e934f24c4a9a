// SPDX-License-Identifier: MIT
#include "elsewhere_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace maxlat::attribution {
namespace {

// common_flags of a record (include/linux/trace_events.h).
constexpr const char* kFlagsField = "common_flags";
constexpr uint64_t kHardIrq = 0x08, kSoftirq = 0x10, kNmi = 0x40;

// More are picked out by their ranges: each event is held against the whole filter, on the CPU that records it.
constexpr size_t kMostOneByOne = 8;

// "(cpu == 1 && CPU != 1) || (cpu == 3 && CPU != 3)": what a CPU does to itself is not recorded twice.
std::string one_by_one(const char* field, const core::CpuList& cpus) {
  std::string filter;
  for (const unsigned cpu : cpus)
    filter += fmt::format("{}({} == {} && CPU != {})", filter.empty() ? "" : " || ", field, cpu, cpu);
  return filter;
}

// The kernel takes a filter of less than 4096 letters. So of many ranges it lets through what is done to the CPUs
// between them, too, which is then left out here.
core::CpuList without_gaps_where_many(const core::CpuList& cpus) {
  constexpr size_t kMostRanges = 24;
  size_t ranges = 0;
  for (size_t i = 0; i < cpus.size(); ++i) ranges += i == 0 || cpus[i] != cpus[i - 1] + 1;
  if (ranges <= kMostRanges) return cpus;
  core::CpuList all(cpus.back() - cpus.front() + 1);
  std::iota(all.begin(), all.end(), cpus.front());
  return all;
}

// "(cpu >= 1 && cpu <= 15) || (cpu >= 17 && cpu <= 31)"
std::string by_ranges(const char* field, const core::CpuList& cpus) {
  std::string filter;
  for (size_t first = 0, last = 0; first < cpus.size(); first = last + 1) {
    for (last = first; last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1;) ++last;
    filter +=
        fmt::format("{}({} >= {} && {} <= {})", filter.empty() ? "" : " || ", field, cpus[first], field, cpus[last]);
  }
  return filter;
}

constexpr unsigned kBitsOfWord = 64;

// A word with a bit of each of those that a word has room for. Nothing: there are none.
std::optional<std::string> as_word(const core::CpuList& cpus) {
  uint64_t word = 0;
  for (const unsigned cpu : cpus)
    if (cpu < kBitsOfWord) word |= uint64_t{1} << cpu;
  if (word == 0) return {};
  return fmt::format("{:#x}", word);
}

}  // namespace

struct ElsewhereFormats::Meaning {
  const char* name;  // of a probe without its group
  EventKind kind;
  std::vector<const char*> targets;  // fields that name a CPU
  const char* mask;                  // or one that has a bit of each
  const char *number, *value, *call;
  // What a CPU does to itself counts, too.
  bool also_by_itself;
  enum class Probe : uint8_t { none, reschedules, calls } probe = Probe::none;  // `call` of a probe is the same always
  bool is_probe() const { return probe != Probe::none; }
};

const std::vector<ElsewhereFormats::Meaning>& ElsewhereFormats::meanings() {
  constexpr const char* none = nullptr;
  using Probe = Meaning::Probe;
  static const std::vector<Meaning> rows = {
      {"sched/sched_waking", EventKind::woken_elsewhere, {"target_cpu"}, none, "pid", none, none, false},
      {"sched/sched_wakeup", EventKind::woken_elsewhere, {"target_cpu"}, none, "pid", none, none, false},
      {"sched/sched_wakeup_new", EventKind::woken_elsewhere, {"target_cpu"}, none, "pid", none, none, false},
      {"sched/sched_migrate_task", EventKind::moved_elsewhere, {"orig_cpu", "dest_cpu"}, none, "pid", none, none, true},
      {"ipi/ipi_send_cpu", EventKind::ipi_sent, {"cpu"}, none, none, "callsite", "callback", false},
      {"ipi/ipi_send_cpumask", EventKind::ipi_sent, {}, "cpumask", none, "callsite", "callback", false},
      {"reschedule", EventKind::ipi_sent, {"target"}, none, none, "caller", none, false, Probe::reschedules},
      {"call_one", EventKind::ipi_sent, {"target"}, none, none, "caller", none, false, Probe::calls},
      {"call_many", EventKind::ipi_sent, {}, "targets", none, "caller", none, false, Probe::calls},
  };
  return rows;
}

bool ElsewhereFormats::has_senders(const std::string& events) {
  const auto format = read_event_format(events, "ipi/ipi_send_cpu");
  return !format || *format;
}

std::string ElsewhereFormats::name_of(const Meaning& meaning) const {
  return meaning.is_probe() ? probes_ + "/" + meaning.name : meaning.name;
}

core::Status ElsewhereFormats::add(const std::string& events, const Meaning& meaning) {
  if (meaning.is_probe() && probes_.empty()) return {};
  const auto format = read_event_format(events, name_of(meaning));
  if (!format) return format.error();
  if (!*format) return {};
  Layout layout{.meaning = &meaning};
  std::string missing;
  const auto field = [&](const char* name) {
    const FormatField* const found = (*format)->field(name);
    if (found == nullptr) missing = name;
    return found == nullptr ? FormatField() : *found;
  };
  layout.flags = field(kFlagsField);
  layout.thread = field(kThreadField);
  for (const auto& [name, place] : {std::pair{meaning.number, &layout.number}, std::pair{meaning.value, &layout.value},
                                    std::pair{meaning.call, &layout.call}, std::pair{meaning.mask, &layout.mask}})
    if (name != nullptr) *place = field(name);
  for (const char* const name : meaning.targets) layout.targets.push_back(field(name));
  if (!missing.empty())
    return core::cannot_run(
        fmt::format("this kernel's event {} is not as maxlat knows it: no field {}", meaning.name, missing));
  if (by_number_.size() <= (*format)->id) by_number_.resize((*format)->id + size_t{1});
  by_number_[(*format)->id] = layout;
  found_.push_back(&meaning);
  return {};
}

core::Result<ElsewhereFormats> ElsewhereFormats::read(const std::string& events, const std::string& probes) {
  ElsewhereFormats formats;
  formats.probes_ = probes;
  for (const Meaning& meaning : meanings())
    if (core::Status added = formats.add(events, meaning); !added) return added.error();
  return formats;
}

std::vector<ElsewhereFormats::Event> ElsewhereFormats::aimed_at(const core::CpuList& watched) const {
  const core::CpuList cpus = without_gaps_where_many(watched);
  std::vector<Event> all;
  for (const Meaning* const meaning : found_) {
    Event event{.name = name_of(*meaning), .filter = {}};
    if (meaning->kind == EventKind::ipi_sent)
      event.sender = meaning->mask != nullptr ? Event::Sender::to_several : Event::Sender::to_one;
    if (meaning->mask != nullptr) {
      const auto of_mask = meaning->is_probe() ? as_word(cpus) : fmt::format("CPUS{{{}}}", core::to_string(cpus));
      if (!of_mask) continue;
      event.is_of_all = !meaning->is_probe() || cpus.back() < kBitsOfWord;
      event.filter = fmt::format("{} & {}", meaning->mask, *of_mask);
    }
    const bool others_alone = !meaning->also_by_itself && cpus.size() <= kMostOneByOne;
    for (const char* const field : meaning->targets)
      event.filter += fmt::format("{}{}", event.filter.empty() ? "" : " || ",
                                  others_alone ? one_by_one(field, cpus) : by_ranges(field, cpus));
    all.push_back(std::move(event));
  }
  return all;
}

bool ElsewhereFormats::Done::is_done_to(unsigned cpu) const {
  if (std::find(targets, targets + target_count, cpu) != targets + target_count) return true;
  return cpu / 8 < mask.size() && (static_cast<unsigned>(mask[cpu / 8]) >> cpu % 8 & 1) != 0;
}

std::optional<ElsewhereFormats::Done> ElsewhereFormats::decode(uint64_t tick, std::span<const std::byte> record,
                                                               unsigned by) const {
  if (record.size() < 2) return {};
  const uint64_t id = word_of(record.first(2));
  if (id >= by_number_.size() || by_number_[id].meaning == nullptr) return {};
  const Layout& layout = by_number_[id];
  bool is_whole = true;
  const auto bytes_of = [&](const std::optional<FormatField>& field) {
    const auto bytes = field ? field->in(record) : std::span<const std::byte>();
    is_whole = is_whole && bytes;
    return bytes.value_or(std::span<const std::byte>());
  };
  const uint64_t number = word_of(bytes_of(layout.number)), value = word_of(bytes_of(layout.value)),
                 flags = word_of(bytes_of(layout.flags)), thread = word_of(bytes_of(layout.thread));
  const bool is_call = word_of(bytes_of(layout.call)) != 0 || layout.meaning->probe == Meaning::Probe::calls,
             is_sent = layout.meaning->kind == EventKind::ipi_sent;
  Done done{.event = {.tick = tick, .value = is_sent ? value : by, .kind = layout.meaning->kind}};
  done.event.number = static_cast<int32_t>(is_sent ? by : number);
  done.event.priority = is_call ? 1 : 0;
  done.event.running = (flags & (kHardIrq | kNmi)) != 0 ? KernelEvent::kInInterrupt
                       : (flags & kSoftirq) != 0        ? KernelEvent::kInSoftirq
                                                        : static_cast<int32_t>(thread);
  done.mask = bytes_of(layout.mask);
  for (const FormatField& target : layout.targets) done.targets[done.target_count++] = word_of(bytes_of(target));
  if (!is_whole) return {};
  return done;
}

}  // namespace maxlat::attribution
