// SPDX-License-Identifier: MIT
//
// A machine of two processes and an interrupt, dumped into a trace, and read from there.
#include "state_dump.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/base/clock.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <maxlat/trace/field_values.hpp>
#include <maxlat/trace/reader.hpp>

namespace maxlat::trace_tools {
namespace {

using testing::ElementsAre;

std::string stat_line(int id, const std::string& name, char state, int parent) {
  std::string line = fmt::format("{} ({}) {} {}", id, name, state, parent);
  for (int field = 5; field <= 52; ++field) line += field == 39 ? " 3" : " 0";  // 39: the CPU
  return line + "\n";
}

std::string text_of(const trace::RecordedEvent& event) {
  std::string text = event.type->name;
  trace::FieldValues values(event.type->fields, event.payload);
  for (trace::FieldValue value; values.next(value);)
    text += value.field->kind == trace::FieldKind::string
                ? fmt::format(" {}=\"{}\"", value.field->name, value.text())
                : fmt::format(" {}={}", value.field->name, value.unsigned_at(0));
  return text;
}

TEST(StateDump, NamesWhatThereWas) {
  if (!base::calibrate().trusted) GTEST_SKIP() << "cannot run here: " << base::calibrate().why;
  const test::TemporaryFolder root, trace;
  root.write("proc/2/stat", stat_line(2, "kthreadd", 'S', 0));
  root.write("proc/2/task/2/stat", stat_line(2, "kthreadd", 'S', 0));
  root.write("proc/17/stat", stat_line(17, "a (b) c", 'R', 1));
  root.write("proc/17/task/17/stat", stat_line(17, "a (b) c", 'R', 1));
  root.write("proc/17/task/18/stat", stat_line(18, "worker", 'Z', 1));
  root.write("proc/self/stat", "not a number");
  root.write("sys/kernel/irq/24/chip_name", "IO-APIC\n");
  root.write("sys/kernel/irq/24/actions", "eth0,usb\n");
  root.write("sys/kernel/irq/25/actions", "\n");
  root.write("proc/softirqs", "          CPU0  CPU1\n      HI:   1  2\n   TIMER:   3  4\n");
  auto writer = trace::TraceWriter::create({.directory = trace.path()});
  ASSERT_TRUE(writer) << writer.error().text;
  StateDump dump(**writer, root.path());
  dump.write_state();
  dump.write_functions({{0xffffffff81000010, "tick_nohz_handler"}, {0xffffffff81000020, ""}});
  EXPECT_TRUE((*writer)->finish().complete());

  auto reader = trace::TraceReader::open(trace.path());
  ASSERT_TRUE(reader) << reader.error().text;
  std::vector<std::string> events;
  for (trace::RecordedEvent event; (*reader)->next(event);) events.push_back(text_of(event));
  EXPECT_THAT(events,
              ElementsAre("lttng_statedump_start",
                          "lttng_statedump_process_state tid=2 pid=2 ppid=0 name=\"kthreadd\" type=1 mode=5 submode=1 "
                          "status=5 cpu=3",
                          "lttng_statedump_process_state tid=17 pid=17 ppid=1 name=\"a (b) c\" type=0 mode=5 submode=1 "
                          "status=2 cpu=3",
                          "lttng_statedump_process_state tid=18 pid=17 ppid=1 name=\"worker\" type=0 mode=5 submode=1 "
                          "status=4 cpu=3",
                          "lttng_statedump_interrupt irq=24 name=\"IO-APIC\" action=\"eth0\"",
                          "lttng_statedump_interrupt irq=24 name=\"IO-APIC\" action=\"usb\"",
                          "maxlat_statedump_softirq vec=0 name=\"HI\"", "maxlat_statedump_softirq vec=1 name=\"TIMER\"",
                          "lttng_statedump_end",
                          "maxlat_statedump_function function=18446744071578845200 name=\"tick_nohz_handler\""));
}

}  // namespace
}  // namespace maxlat::trace_tools
