// SPDX-License-Identifier: MIT
// A file that is read while it is written: by readers that begin after each page of each write, and go on at their own
// paces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <list>
#include <maxlat/trace/packet_file.hpp>
#include <utility>

#include "ctf/read_part.hpp"
#include "ctf/test_trace.hpp"
#include "test_paged_write.hpp"
#include "test_trace.hpp"
#include "trace_file.hpp"

namespace maxlat::trace {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

constexpr std::uint64_t kHeader = MAXLAT_RING_PACKET_HEADER;

// Packets within a page, at its border, over several, and over more than a file grows by at a time.
const std::vector<std::uint64_t> kSizes = {
    1000, 8, 4096 - 1000 - 8 - 3 * kHeader, 40'000, 16, 80'000, 140'000, 8, 8, 3000, 70'000, 16};

maxlat_ring_packet head_of(std::uint64_t number) {
  maxlat_ring_packet head = test::Packet(test::prefix(7), number, 1000 * number).head();
  head.end_time = head.begin_time + 999;
  head.content_bits = 8 * (kHeader + kSizes[number]);
  head.records = 1;
  return head;
}

std::vector<std::uint8_t> records_of(std::uint64_t number) {
  return std::vector<std::uint8_t>(kSizes[number], static_cast<std::uint8_t>(number + 1));
}

// Takes a packet in every `pace`-th step, and all that are left in the end.
class SlowReader {
 public:
  SlowReader(const std::string& path, unsigned pace, std::uint64_t published)
      : packets_(path, test::uuid()), pace_(pace), published_(published) {
    take();
  }
  void step() {
    if (++steps_ % pace_ == 0) take();
  }
  void finish() {
    while (!ended_) take();
    EXPECT_FALSE(packets_.broken()) << packets_.broken()->offset << ": " << packets_.broken()->why;
    EXPECT_GE(taken_, published_) << "packets that were there when reading began";
  }

 private:
  void take() {
    if (ended_) return;
    ended_ = !packets_.next();
    if (ended_) return;
    ASSERT_EQ(packets_.head().sequence, taken_);
    const auto records = packets_.content().subspan(kHeader);
    EXPECT_TRUE(std::ranges::equal(records, records_of(taken_))) << "of packet " << taken_;
    ++taken_;
  }

  PacketFile packets_;
  unsigned pace_;
  std::uint64_t published_;
  std::uint64_t taken_ = 0;
  std::uint64_t steps_ = 0;
  bool ended_ = false;
};

struct Watched {
  static inline std::string path;
  static inline std::list<SlowReader> readers;
  static inline std::uint64_t published = 0;

  static ssize_t write(int file, const iovec* parts, int count, off_t at) {
    return test::write_by_pages(file, parts, count, at, [](std::size_t) {
      for (SlowReader& reader : readers) reader.step();
      for (const unsigned pace : {1u, 3u, 40u}) readers.emplace_back(path, pace, published);
      return true;
    });
  }
};

TEST(GrowingFile, WhoeverReadsItMeanwhileFindsWholePacketsAndNoDamage) {
  const TemporaryFolder folder;
  Watched::path = folder.path() + "/stream";
  Watched::published = 0;
  auto file = TraceFile::create(Watched::path);
  ASSERT_TRUE(file) << file.error().text;
  write_parts = Watched::write;
  for (std::uint64_t number = 0; number < kSizes.size(); ++number) {
    EXPECT_TRUE((*file)->append(head_of(number), records_of(number)));
    Watched::published = number + 1;
  }
  write_parts = pwritev;
  file->reset();  // cuts off the room
  EXPECT_GT(Watched::readers.size(), 300u);
  for (SlowReader& reader : Watched::readers) reader.finish();
  Watched::readers.clear();
}

// A read that meets the first half of a header new and the second as it was, and then the rest of the write.
struct HalfWritten {
  static inline TraceFile* file = nullptr;
  static inline std::uint64_t room = 0;  // its place

  static ssize_t read(int from, void* to, std::size_t size, off_t at) {
    const ssize_t got = pread(from, to, size, at);
    const auto first = static_cast<std::uint64_t>(at);
    if (file != nullptr && first < room && room + kHeader < first + size) {
      EXPECT_TRUE(std::exchange(file, nullptr)->append(head_of(1), records_of(1)));
      EXPECT_EQ(pread(from, static_cast<char*>(to) + (room - first), 64, static_cast<off_t>(room)), 64);
    }
    return got;
  }
};

TEST(GrowingFile, AHeaderThatIsHalfWrittenIsReadAgain) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/stream";
  auto file = TraceFile::create(path);
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_TRUE((*file)->append(head_of(0), records_of(0)));
  HalfWritten::file = file->get();
  HalfWritten::room = kHeader + kSizes[0];
  read_part = HalfWritten::read;
  PacketFile packets(path, test::uuid());
  for (const std::uint64_t number : {0u, 1u}) {
    ASSERT_TRUE(packets.next()) << packets.broken()->why;
    EXPECT_EQ(packets.head().sequence, number);
    EXPECT_EQ(packets.head().records, 1u);
  }
  read_part = pread;
  EXPECT_FALSE(packets.next());
  EXPECT_FALSE(packets.broken());
}

class CutFile : public testing::Test {
 protected:
  CutFile() {
    auto file = TraceFile::create(path_);
    for (std::uint64_t number = 0; number < kSizes.size(); ++number) {
      EXPECT_TRUE((*file)->append(head_of(number), records_of(number)));
    }
  }
  TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/stream";
};

// A mapping would end in SIGBUS.
TEST_F(CutFile, WhoReadsItIsToldAndGetsWhatWasWhole) {
  const auto size = std::filesystem::file_size(path_);
  for (const std::uint64_t left : {0ul, 1ul, 5000ul, size / 2, size - 1}) {
    path_ = folder_.path() + "/" + std::to_string(left);
    std::filesystem::copy_file(folder_.path() + "/stream", path_);
    PacketFile packets(path_, test::uuid());
    ASSERT_TRUE(packets.next());
    std::filesystem::resize_file(path_, left);
    std::uint64_t count = 1;
    while (packets.next()) EXPECT_EQ(packets.head().sequence, count++);
    ASSERT_TRUE(packets.broken()) << left;
    EXPECT_THAT(packets.broken()->why, HasSubstr("became shorter"));
    EXPECT_FALSE(packets.next());
  }
}

}  // namespace
}  // namespace maxlat::trace
