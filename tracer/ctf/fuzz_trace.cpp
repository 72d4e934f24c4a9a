// SPDX-License-Identifier: MIT
// libFuzzer's target: a stored trace that somebody changed, read to its end, field by field. It must not crash, read
// outside the files or hang; and what the reader gives must lie in the file it says it comes from.
//
// INPUT: a kind (1 byte), then for kind 0 changes of a sound stream file, 10 bytes each, { u16 word, u64 value }; for 1
// changes of sound metadata, 3 bytes each, { u16 place, u8 value }, cut at the last place; 2 and 3 whole texts of
// either; 4 names of threads.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <maxlat/trace/field_values.hpp>
#include <maxlat/trace/stream_reader.hpp>
#include <maxlat/trace/thread_names.hpp>
#include <string>
#include <string_view>

#include "ctf/test_trace.hpp"

namespace {

using namespace maxlat::trace;

std::string sound_stream() {
  std::string bytes;
  for (std::uint64_t i = 0; i < 3; ++i) {
    test::Payload text;
    text.text("some text").number(std::uint16_t{2}).number(std::int16_t{-1}).number(std::int16_t{300});
    bytes += test::Packet(test::prefix(7), i, 100 * i)
                 .short_record(test::kNumberId, 100 * i, test::number(1))
                 .short_record(test::kTextId, 100 * i + 1, text)
                 .short_record(test::kStateId, 100 * i + 1, test::Payload().number(7u).number(std::uint8_t{1}))
                 .long_record(test::kFarId, 100 * i + 2, test::number(2))
                 .bytes();
  }
  return bytes;
}

// A file in memory that has a path.
class File {
 public:
  File() : descriptor_(memfd_create("trace", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {}
  const std::string& path() const { return path_; }
  void set(std::string_view bytes) const {
    if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, bytes.data(), bytes.size(), 0) < 0) std::abort();
  }

 private:
  int descriptor_;
  std::string path_;
};

void read_to_the_end(const TraceProcess& process, std::string_view bytes) {
  static const File file;
  file.set(bytes);
  const ReadOptions all;
  StreamReader reader(process, file.path(), all);
  std::uint64_t read = 0;
  for (RecordedEvent event; reader.next(event);) {
    read += event.size;
    FieldValues values(event.type->fields, event.payload);
    for (FieldValue value; values.next(value);) {
      if (value.bytes + value.count > event.payload.data() + event.payload.size()) std::abort();
      if (value.field->labels.size() > kMaxLabels) std::abort();
      // Looked at, so that a sanitizer looks, too.
      for (const Label& label : value.field->labels) {
        volatile char seen = label.name.empty() ? '\0' : label.name.back();
        (void)seen;
      }
      for (std::size_t i = 0; value.field->kind != FieldKind::string && i < value.count; ++i) {
        volatile std::uint64_t seen = value.unsigned_at(i);
        (void)seen;
      }
    }
  }
  if (read > bytes.size()) std::abort();
}

template <typename Number>
Number take(std::string_view& input) {
  Number number{};
  std::memcpy(&number, input.data(), sizeof number);
  input.remove_prefix(sizeof number);
  return number;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::string stream = sound_stream(), metadata = test::metadata();
  static const auto process = parse_metadata(metadata);
  if (size == 0) return 0;
  std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const int kind = take<std::uint8_t>(input) % 5;
  if (kind == 0) {
    std::string changed = stream;
    while (input.size() >= 10) {
      const std::size_t word = take<std::uint16_t>(input) % (changed.size() / 8);
      const auto value = take<std::uint64_t>(input);
      std::memcpy(changed.data() + 8 * word, &value, sizeof value);
    }
    read_to_the_end(*process, changed);
  } else if (kind == 1) {
    std::string changed = metadata;
    std::size_t place = changed.size();
    while (input.size() >= 3) {
      place = take<std::uint16_t>(input) % changed.size();
      changed[place] = static_cast<char>(take<std::uint8_t>(input));
    }
    if (input.empty()) changed.resize(place);
    const auto other = parse_metadata(changed);
    if (other) read_to_the_end(*other, stream);
  } else if (kind == 2) {
    read_to_the_end(*process, input);
  } else if (kind == 4) {
    for (const auto& [ring, names] : parse_thread_names(input)) {
      for (const ThreadName& name : names) {
        const ThreadNames again = parse_thread_names(thread_name_line(ring, 1, name));
        if (again.size() != 1 || again.begin()->second.at(0).text != name.text) std::abort();
      }
    }
  } else {
    const auto other = parse_metadata(std::string(input));
    if (other) read_to_the_end(*other, stream);
  }
  return 0;
}
