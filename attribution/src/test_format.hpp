// SPDX-License-Identifier: MIT
//
// Formats as the kernel writes them (Documentation/trace/events.rst, "Event formats"), by hand, and records after them,
// for tests.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::attribution {

struct Field {
  const char* type_and_name;
  int offset, size;
};

inline std::string format_of(const char* name, int id, std::initializer_list<Field> fields) {
  std::string text = fmt::format("name: {}\nID: {}\nformat:\n", name, id);
  const auto add = [&](const Field& field) {
    text +=
        fmt::format("\tfield:{};\toffset:{};\tsize:{};\tsigned:0;\n", field.type_and_name, field.offset, field.size);
  };
  for (const Field& common : {Field{"unsigned short common_type", 0, 2}, Field{"unsigned char common_flags", 2, 1},
                              Field{"unsigned char common_preempt_count", 3, 1}, Field{"int common_pid", 4, 4}})
    add(common);
  text += "\n";
  for (const Field& field : fields) add(field);
  return text + "\nprint fmt: \"\"\n";
}

// A record of `bytes`, its event number in front.
class Record {
 public:
  Record(uint16_t id, size_t bytes) : bytes_(bytes) { put(0, id); }
  template <class Value>
  Record& put(size_t offset, Value value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
    return *this;
  }
  Record& text(size_t offset, std::string_view value) {
    std::memcpy(bytes_.data() + offset, value.data(), value.size());
    return *this;
  }
  operator std::span<const std::byte>() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace maxlat::attribution
