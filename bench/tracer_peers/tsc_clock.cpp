// SPDX-License-Identifier: MIT
//
// The time-stamp counter as LTTng-UST's clock (LTTNG_UST_CLOCK_PLUGIN), read with the same instruction as ours. What is
// left of the difference between the two tracers is then not the price of clock_gettime().
#include <lttng/ust-clock.h>
#include <maxlat/base/counter.h>

#include <cstring>
#include <maxlat/base/clock.hpp>

namespace {

std::uint64_t read64() {
  return maxlat_counter_plain();
}

std::uint64_t frequency() {
  return static_cast<std::uint64_t>(maxlat::base::calibrate().ticks_per_ns * 1e9);
}

int uuid(char* text) {
  std::memcpy(text, "6d61786c-6174-4050-8000-000000000001", LTTNG_UST_UUID_STR_LEN);
  return 0;
}

const char* name() {
  return "tsc";
}

const char* description() {
  return "time-stamp counter, rdtsc";
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void lttng_ust_clock_plugin_init() {
  lttng_ust_trace_clock_set_read64_cb(read64);
  lttng_ust_trace_clock_set_freq_cb(frequency);
  lttng_ust_trace_clock_set_uuid_cb(uuid);
  lttng_ust_trace_clock_set_name_cb(name);
  lttng_ust_trace_clock_set_description_cb(description);
  lttng_ust_enable_trace_clock_override();
}
