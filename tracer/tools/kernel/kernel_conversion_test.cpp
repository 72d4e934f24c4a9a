// SPDX-License-Identifier: MIT
//
// Formats as the kernel writes them, records after them, and what the reader of traces finds in what was made of them.
#include "kernel_conversion.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <maxlat/test/temporary_folder.hpp>
#include <maxlat/trace/ctf_format.hpp>
#include <maxlat/trace/field_values.hpp>

namespace maxlat::trace_tools {
namespace {

using testing::ElementsAre;

std::string format_text(const std::string& name, int id, const std::string& fields) {
  return fmt::format(
      "name: {}\nID: {}\nformat:\n"
      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n{}\nprint fmt: \"%s\", here_is_what_nobody_parses(\n",
      name, id, fields);
}

constexpr const char* kSwitch =
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n";
constexpr const char* kMixed =
    "\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n"
    "\tfield:__rel_loc u32[] list;\toffset:20;\tsize:4;\tsigned:0;\n"
    "\tfield:unsigned long args[2];\toffset:24;\tsize:16;\tsigned:0;\n"
    "\tfield:unsigned char mac[6];\toffset:40;\tsize:6;\tsigned:0;\n";

class Conversion : public testing::Test {
 protected:
  KernelConversion read(const std::string& event, const std::string& fields) {
    events_.write(event + "/format", format_text(event.substr(event.find('/') + 1), 300, fields));
    auto format = attribution::read_event_format(events_.path(), event);
    EXPECT_TRUE(format && *format);
    return KernelConversion(**format);
  }
  template <class Value>
  void put(std::size_t offset, Value value) {
    std::memcpy(record_.data() + offset, &value, sizeof value);
  }
  void text(std::size_t offset, std::string_view value) {
    std::memcpy(record_.data() + offset, value.data(), value.size());
  }
  // "name = value", of each field of the payload behind its context.
  std::vector<std::string> values(const KernelConversion& conversion) const {
    const std::span<const std::uint8_t> fields = std::span(payload_).subspan(trace::kContextSize);
    trace::FieldValues values(conversion.description().fields, fields);
    std::vector<std::string> all;
    for (trace::FieldValue value; values.next(value);) {
      std::string one = std::string(value.field->name) + " =";
      if (value.field->kind == trace::FieldKind::string) one += " " + std::string(value.text());
      for (std::size_t i = 0; value.field->kind != trace::FieldKind::string && i < value.count; ++i) {
        if (value.field->is_signed)
          one += fmt::format(" {}", value.signed_at(i));
        else
          one += value.field->is_hex ? fmt::format(" {:#x}", value.unsigned_at(i))
                                     : fmt::format(" {}", value.unsigned_at(i));
      }
      all.push_back(one);
    }
    EXPECT_FALSE(values.broken());
    EXPECT_EQ(values.left(), 0u);
    return all;
  }

  test::TemporaryFolder events_;
  std::vector<std::byte> record_ = std::vector<std::byte>(80);
  std::vector<std::uint8_t> payload_;
};

TEST_F(Conversion, ASwitchHasLttngsNamesAndItsThread) {
  const KernelConversion conversion = read("sched/sched_switch", kSwitch);
  put(4, std::int32_t{4711});
  text(8, "sixteen bytes...");
  put(24, std::int32_t{4711});
  put(28, std::int32_t{-1});
  put(32, std::int64_t{-2});
  ASSERT_TRUE(conversion.convert(record_, payload_));
  EXPECT_EQ(conversion.name(), "sched_switch");
  EXPECT_THAT(values(conversion),
              ElementsAre("prev_comm = sixteen bytes...", "prev_tid = 4711", "prev_prio = -1", "prev_state = -2"));
  std::uint32_t thread = 0;
  std::memcpy(&thread, payload_.data(), sizeof thread);
  EXPECT_EQ(thread, 4711u);
}

TEST_F(Conversion, AddressesTextsAndArraysAreWhatTheyWere) {
  const KernelConversion conversion = read("timer/mixed", kMixed);
  put(8, std::uint64_t{0xffffffff81234567});
  put(16, std::uint32_t{5u << 16 | 48});
  text(48, "eth0");
  put(20, std::uint32_t{8u << 16 | (56 - 24)});  // from behind its word
  put(56, std::uint32_t{7});
  put(60, std::uint32_t{8});
  put(24, std::uint64_t{1});
  put(32, std::uint64_t{2});
  for (std::size_t i = 0; i < 6; ++i) record_[40 + i] = static_cast<std::byte>(i);
  ASSERT_TRUE(conversion.convert(record_, payload_));
  EXPECT_THAT(values(conversion), ElementsAre("function = 0xffffffff81234567", "name = eth0", "list = 7 8",
                                              "args = 1 2", "mac = 0 1 2 3 4 5"));
  EXPECT_EQ(conversion.function(record_), 0xffffffff81234567);
}

TEST_F(Conversion, ASystemCallHasItsNumber) {
  const KernelConversion enter = read("raw_syscalls/sys_enter",
                                      "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
                                      "\tfield:unsigned long args[2];\toffset:16;\tsize:16;\tsigned:0;\n");
  put(8, std::int64_t{257});
  EXPECT_EQ(enter.name(), "syscall_entry_");
  EXPECT_TRUE(enter.is_of_system_calls());
  EXPECT_EQ(enter.system_call(record_), 257);
  const KernelConversion other = read("block/other", "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n");
  EXPECT_FALSE(other.is_of_system_calls());
}

// Whatever a damaged page holds: nothing outside of the record is read (AddressSanitizer), and nothing half is left.
TEST_F(Conversion, ARecordThatIsShorterThanItsFormatIsNone) {
  const KernelConversion conversion = read("timer/mixed", kMixed);
  put(16, std::uint32_t{5u << 16 | 48});
  put(20, std::uint32_t{8u << 16 | 32});
  for (std::size_t size = 0; size < 64; ++size) {
    const std::vector<std::byte> cut(record_.begin(), record_.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(conversion.convert(cut, payload_)) << size;
    EXPECT_TRUE(payload_.empty());
  }
  for (const std::uint32_t where : {0xffffffffu, 1u << 16 | 0xffffu, 0xffffu << 16, 81u}) {
    put(16, where);
    EXPECT_FALSE(conversion.convert(record_, payload_)) << where;
  }
}

}  // namespace
}  // namespace maxlat::trace_tools
