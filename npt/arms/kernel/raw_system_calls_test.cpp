// SPDX-License-Identifier: MIT
//
// Over a folder that looks like tracefs, with records as two kernels write them: what every event has takes eight
// bytes, or, on a PREEMPT_RT that counts lazy preemption, sixteen.
#include "raw_system_calls.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cstring>
#include <maxlat/test/temporary_folder.hpp>

namespace maxlat::npt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint16_t kEnter = 350, kExit = 349;

std::string format_of(std::string_view name, unsigned id, unsigned begin, std::string_view second, unsigned words) {
  return fmt::format(
      "name: {0}\nID: {1}\nformat:\n"
      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
      "\tfield:long id;\toffset:{2};\tsize:8;\tsigned:1;\n"
      "\tfield:{3};\toffset:{4};\tsize:{5};\tsigned:0;\n\nprint fmt: \"\"\n",
      name, id, begin, second, begin + 8, 8 * words);
}

class RawCalls : public testing::Test {
 protected:
  void kernel_with_fields_at(unsigned begin) {
    begin_ = begin;
    write("sys_enter", format_of("sys_enter", kEnter, begin, "unsigned long args[6]", 6));
    write("sys_exit", format_of("sys_exit", kExit, begin, "long ret", 1));
  }
  void write(const std::string& event, const std::string& format) {
    folder_.write("raw_syscalls/" + event + "/format", format);
    folder_.write("raw_syscalls/" + event + "/enable", "0\n");
  }
  std::vector<std::byte> record(uint16_t event, const std::vector<uint64_t>& words) const {
    std::vector<std::byte> bytes(begin_ + 8 * words.size());
    std::memcpy(bytes.data(), &event, sizeof event);
    std::memcpy(bytes.data() + begin_, words.data(), 8 * words.size());
    return bytes;
  }
  std::vector<std::byte> enter(uint64_t call, uint64_t mark, uint64_t number) const {
    return record(kEnter, {call, mark, number, 0, 0, 0, 0});
  }

  test::TemporaryFolder folder_;
  unsigned begin_ = 8;
};

TEST_F(RawCalls, FieldsAreWhereThisKernelHasThem) {
  for (const unsigned begin : {8u, 16u}) {
    kernel_with_fields_at(begin);
    const auto of_kernel = RawSystemCalls::of(folder_.path());
    ASSERT_TRUE(of_kernel.ok()) << of_kernel.error().text;
    CallCount calls;
    of_kernel->take(2, enter(SYS_getppid, kMarkOfACall, 1), calls);
    of_kernel->take(2, record(kExit, {SYS_getppid, 4711}), calls);
    of_kernel->take(2, enter(SYS_getppid, 0, 1), calls);
    of_kernel->take(2, record(kExit, {SYS_getppid, 4711}), calls);
    EXPECT_EQ(calls.calls(), 1u) << begin;
    EXPECT_EQ(calls.events(), 4u);
  }
}

TEST_F(RawCalls, ARecordThatIsTooShortIsNoCall) {
  kernel_with_fields_at(8);
  const auto of_kernel = RawSystemCalls::of(folder_.path());
  ASSERT_TRUE(of_kernel.ok());
  CallCount calls;
  const std::vector<std::byte> whole = enter(SYS_getppid, kMarkOfACall, 1), end = record(kExit, {SYS_getppid, 0});
  for (size_t size = 0; size < whole.size(); ++size) {
    of_kernel->take(0, std::span(whole).first(size), calls);
    of_kernel->take(0, std::span(end).first(std::min(size, end.size() - 1)), calls);
  }
  EXPECT_EQ(calls.events(), 2 * whole.size());
  of_kernel->take(0, end, calls);  // no entry was taken for one
  EXPECT_EQ(calls.calls(), 0u);
}

TEST_F(RawCalls, AKernelWithoutThemCannotRunIt) {
  EXPECT_EQ(RawSystemCalls::of(folder_.path()).error().exit_status, core::Exit::cannot_run);
  write("sys_enter", format_of("sys_enter", kEnter, 8, "unsigned long arguments[6]", 6));
  const auto renamed = RawSystemCalls::of(folder_.path());
  ASSERT_FALSE(renamed.ok());
  EXPECT_THAT(renamed.error().text, HasSubstr("raw_syscalls/sys_enter has no field args"));
}

TEST_F(RawCalls, PatternsThatMeetHaveTheirEventsOnce) {
  kernel_with_fields_at(8);
  const auto events = events_of_tracefs(folder_.path(), {"raw_syscalls:*", "raw_syscalls:sys_ex?t"});
  ASSERT_TRUE(events.ok());
  EXPECT_THAT(*events, ElementsAre("raw_syscalls/sys_enter", "raw_syscalls/sys_exit"));
  EXPECT_THAT(events_of_tracefs(folder_.path(), {"raw_syscalls:*", "sched:*"}).error().text, HasSubstr("\"sched:*\""));
}

}  // namespace
}  // namespace maxlat::npt
