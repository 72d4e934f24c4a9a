// SPDX-License-Identifier: MIT
// libFuzzer's target: bytes over a group's memory, then everything that a monitor does with it. It must not crash, read
// out of bounds or hang. Built with the compiler's fuzzer where there is one (clang); otherwise by fuzz_driver, which
// feeds it random changes.
//
// Of the lists of events two readers are made, of which one has a patience, and each reads what it can.
//
// INPUT: records of 10 bytes, { u16 place, u64 value }: the place counts 8-byte words of the memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/event_reader.hpp>
#include <vector>

#include "sensors/test_group.hpp"

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
};

void post(Fuzzed& to) {
  const float pair[] = {1, 2};
  const int some[] = {1, 2, 3};
  MAXLAT_POST(to.list, fuzzed, number, 1u);
  for (int i = 0; i < 4; ++i) MAXLAT_POST(to.list, fuzzed, several, fuzzed::Phase::move, pair, some, "a text");
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

// The memory of a published group, in a memfd that can be written to.
struct Target {
  Target() {
    test::TestGroup<Fuzzed> group("fuzzed");
    post(*group.operator->());
    const int from = test::descriptor_of("fuzzed", O_RDONLY);
    const auto size = static_cast<std::size_t>(lseek(from, 0, SEEK_END));
    good.resize(size);
    if (pread(from, good.data(), size, 0) != static_cast<ssize_t>(size)) abort();
    close(from);
    fd = memfd_create("fuzz", MFD_ALLOW_SEALING);
    if (ftruncate(fd, static_cast<off_t>(size)) != 0 || fallocate(fd, 0, 0, static_cast<off_t>(size)) != 0) abort();
    bytes = static_cast<std::uint8_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    constexpr int kFutureWrite = 0x0010;
    if (bytes == MAP_FAILED || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | kFutureWrite) != 0) abort();
  }
  std::vector<std::uint8_t> good;
  int fd = -1;
  std::uint8_t* bytes = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static Target target;
  std::memcpy(target.bytes, target.good.data(), target.good.size());
  for (; size >= 10; bytes += 10, size -= 10) {
    std::uint16_t place;
    std::memcpy(&place, bytes, sizeof place);
    std::memcpy(target.bytes + place % (target.good.size() / 8) * 8, bytes + 2, 8);
  }
  const auto view = GroupView::attach(target.fd);
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
