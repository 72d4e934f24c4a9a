// SPDX-License-Identifier: MIT
// libFuzzer's target: a page of the kernel's trace buffer that somebody changed, taken apart and converted. It must not
// crash or read outside of the page, and what a record was converted to has the fields that its description says, and
// nothing behind them.
//
// INPUT: the page.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <maxlat/attribution/event_format.hpp>
#include <maxlat/attribution/ring_page.hpp>
#include <maxlat/trace/ctf_format.hpp>
#include <maxlat/trace/field_values.hpp>
#include <memory>
#include <vector>

#include "kernel_conversion.hpp"

namespace {

using namespace maxlat;
using attribution::FormatField;

attribution::EventFormat every_kind_of_field() {
  using Kind = FormatField::Kind;
  return {.id = 1,
          .name = "sched/every_kind",
          .fields = {{.name = attribution::kThreadField, .is_signed = true, .offset = 4, .size = 4},
                     {.name = "prev_pid", .is_signed = true, .offset = 8, .size = 4},
                     {.name = "function", .is_address = true, .offset = 12, .size = 8},
                     {.name = "comm", .kind = Kind::text, .offset = 20, .size = 16},
                     {.name = "name", .kind = Kind::text, .is_elsewhere = true, .offset = 36, .size = 4},
                     {.name = "list",
                      .kind = Kind::array,
                      .is_elsewhere = true,
                      .from_behind = true,
                      .element = 4,
                      .offset = 40,
                      .size = 4},
                     {.name = "mac", .kind = Kind::array, .element = 1, .offset = 44, .size = 6}}};
}

void convert(const trace_tools::KernelConversion& conversion, std::span<const std::byte> record) {
  std::vector<std::uint8_t> payload;
  (void)conversion.function(record);
  if (!conversion.convert(record, payload)) {
    if (!payload.empty()) std::abort();
    return;
  }
  trace::FieldValues values(conversion.description().fields, std::span(payload).subspan(trace::kContextSize));
  for (trace::FieldValue value; values.next(value);) continue;
  if (values.broken() || values.left() != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  static const trace_tools::KernelConversion conversion(every_kind_of_field());
  // On the heap, exactly as large: AddressSanitizer sees a byte beyond.
  const auto bytes = std::make_unique<std::byte[]>(size);
  if (size != 0) std::memcpy(bytes.get(), input, size);
  convert(conversion, {bytes.get(), size});  // as a record, which is what a page of random bytes seldom has
  attribution::RingPage page;
  (void)attribution::read_ring_page({bytes.get(), size}, page);
  for (const attribution::RingRecord& record : page.records) convert(conversion, record.bytes);
  return 0;
}
