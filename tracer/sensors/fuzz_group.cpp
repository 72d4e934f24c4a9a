// SPDX-License-Identifier: MIT
// libFuzzer's target: bytes over a group's memory, then everything that a monitor does with it. It must not crash, read
// out of bounds or hang. Built with the compiler's fuzzer where there is one (clang); otherwise by fuzz_driver, which
// feeds it random changes.
//
// Of the lists of events, and of the trace, two readers are made, of which one has a patience, and each reads what it
// can.
//
// INPUT: records of 10 bytes, { u16 place, u64 value }: the place counts 8-byte words of the memory.
#include <cstring>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/striped.hpp>
#include <maxlat/sensors/trace_ring.hpp>
#include <maxlat/sensors/var_event_list.hpp>

#include "sensors/test_group_copy.hpp"

namespace fuzzed {
enum class Phase : std::uint8_t { rest, move };
}
MAXLAT_TRACE_ENUM(fuzzed::Phase, rest, move)
MAXLAT_TRACE_EVENT(fuzzed, number, (std::uint32_t, n))
MAXLAT_TRACE_EVENT(fuzzed, several, (fuzzed::Phase, phase), (float[2], pair), (maxlat::trace::Sequence<int, 3>, some),
                   (maxlat::trace::String<9>, text))

namespace {

using namespace maxlat::sensors;

struct Fuzzed {
  test::OneOfEach<kThread> values;
  EventList<4, MAXLAT_LISTED_EVENT(fuzzed, number), MAXLAT_LISTED_EVENT(fuzzed, several)> list{"list"};
  VarEventList<4, 128, MAXLAT_LISTED_EVENT(fuzzed, number), MAXLAT_LISTED_EVENT(fuzzed, several)> varied{"varied"};
  TraceRing<2, 256, MAXLAT_LISTED_EVENT(fuzzed, number), MAXLAT_LISTED_EVENT(fuzzed, several)> trace{"trace"};
  StripedCounters<2, 3> striped{"striped", {"a", "b", "c"}};
  StripedHistogram<2, 2, 10> striped_histogram{"striped_histogram"};
};

void post(Fuzzed& to) {
  const float pair[] = {1, 2};
  const int some[] = {1, 2, 3};
  to.striped.add(1);
  to.striped_histogram.post(5);
  MAXLAT_POST(to.list, fuzzed, number, 1u);
  MAXLAT_POST(to.varied, fuzzed, number, 1u);
  MAXLAT_POST(to.trace, fuzzed, number, 1u);
  for (int i = 0; i < 4; ++i) {
    MAXLAT_POST(to.list, fuzzed, several, fuzzed::Phase::move, pair, some, "a text");
    MAXLAT_POST(to.varied, fuzzed, several, fuzzed::Phase::move, pair, some, "a text");
    MAXLAT_POST(to.trace, fuzzed, several, fuzzed::Phase::move, pair, some, "a text");
  }
}

// RETURNS: how many bytes of fields it saw.
std::size_t read_list(const GroupView& view, const SensorFacts& sensor, std::uint64_t patience_ns) {
  EventReader reader = view.events(sensor, patience_ns);
  std::size_t seen = 0;
  ListedEvent event;
  for (std::uint64_t now_ns = 0; now_ns < 50; ++now_ns) {
    if (reader.next(event, now_ns) != EventStep::event || event.type == nullptr) continue;
    seen += event.type->name.size();
    maxlat::trace::FieldValues values(event.type->fields, event.payload);
    for (maxlat::trace::FieldValue value; values.next(value);) seen += value.field->name.size() + value.count;
  }
  return seen + (reader.books().balance() ? 1 : 0);
}

test::GroupCopy made() {
  test::TestGroup<Fuzzed> group("fuzzed");
  post(*group.operator->());
  return test::GroupCopy("fuzzed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static test::GroupCopy target = made();
  std::memcpy(target.bytes(), target.good().data(), target.good().size());
  for (; size >= 10; bytes += 10, size -= 10) {
    std::uint16_t place;
    std::memcpy(&place, bytes, sizeof place);
    std::memcpy(target.bytes() + place % (target.good().size() / 8) * 8, bytes + 2, 8);
  }
  const auto view = GroupView::attach(target.descriptor());
  if (!view) return 0;
  std::size_t seen = 0;
  for (const SensorFacts& sensor : view->sensors()) {
    const SensorValue value = view->read(sensor);
    if (const auto* histogram = std::get_if<HistogramValue>(&value)) seen += histogram->quantile(0.5) == 1;
    if (sensor.kind != SensorKind::events) continue;
    for (const std::uint64_t patience_ns : {0u, 5u}) seen += read_list(*view, sensor, patience_ns);
  }
  return seen > 1u << 20 ? 1 : 0;
}
