// SPDX-License-Identifier: MIT
// What is in a stream's file after each page that comes to it: a kill may be there.
#include "trace_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstring>

#include "test_paged_write.hpp"
#include "test_trace.hpp"

namespace maxlat::trace {
namespace {

using test::TemporaryFolder;
using test::text_of;

constexpr std::uint64_t kHeader = MAXLAT_RING_PACKET_HEADER;

// Sizes of records around every border that the file knows: its end on a page, a header's length before and behind one,
// a step, more than one step; and many that fit into one page.
std::vector<std::uint64_t> sizes() {
  std::vector<std::uint64_t> all;
  for (std::uint64_t size = 8; size < 240; size += 8) all.push_back(size);
  for (const std::int64_t more : {-232, -224, -216, -184, -176, -168, -120, -112, -104, -8, 0, 8, 104}) {
    for (const std::int64_t whole : {4096, 8192}) all.push_back(static_cast<std::uint64_t>(whole + more));
  }
  for (const std::int64_t more : {-224, -112, 0}) all.push_back(static_cast<std::uint64_t>(128 * 1024 + more));
  all.push_back(300'000);
  return all;
}

maxlat_ring_packet head_of(std::uint64_t number, std::uint64_t size) {
  maxlat_ring_packet head{};
  head.prefix[0] = 0xC1;
  head.begin_time = 1000 * (number + 1);
  head.end_time = head.begin_time + 999;
  head.content_bits = 8 * (kHeader + size);
  head.sequence = number;
  head.records = 1;
  return head;
}

std::vector<std::uint8_t> records_of(std::uint64_t number, std::uint64_t size) {
  return std::vector<std::uint8_t>(size, static_cast<std::uint8_t>(number + 1));
}

// Packets with records; -1: not all of the file is whole packets, or one holds what was not appended, or time goes
// back.
std::int64_t packets_in(const std::string& text, const std::vector<std::uint64_t>& appended) {
  std::size_t at = 0, count = 0;
  std::uint64_t time = 0;
  while (at < text.size()) {
    maxlat_ring_packet head;
    if (text.size() - at < kHeader) return -1;
    std::memcpy(&head, text.data() + at, sizeof head);
    const std::uint64_t content = head.content_bits / 8, all = head.packet_bits / 8;
    if (head.prefix[0] != 0xC1 || content < kHeader || content > all || all > text.size() - at) return -1;
    if (head.begin_time < time || head.end_time < head.begin_time) return -1;
    time = head.end_time;
    if (content > kHeader) {
      if (count == appended.size() || head.sequence != count || content - kHeader != appended[count]) return -1;
      const auto records = records_of(count, appended[count]);
      if (std::memcmp(text.data() + at + kHeader, records.data(), records.size()) != 0) return -1;
      ++count;
    }
    at += all;
  }
  return static_cast<std::int64_t>(count);
}

struct Watched {
  static inline std::string path;
  static inline const std::vector<std::uint64_t>* appended = nullptr;
  static inline std::uint64_t begun = 0;
  static inline std::uint64_t looks = 0;

  static ssize_t write(int file, const iovec* parts, int count, off_t at) {
    return test::write_by_pages(file, parts, count, at, [](std::size_t end) {
      ++looks;
      const std::int64_t packets = packets_in(text_of(path), *appended);
      const bool whole = packets >= static_cast<std::int64_t>(begun) - 1 && packets <= static_cast<std::int64_t>(begun);
      EXPECT_TRUE(whole) << packets << " packets are whole while packet " << begun << " of " << (*appended)[begun - 1]
                         << " bytes is written, at byte " << end;
      return whole;
    });
  }
};

class TraceFileTest : public testing::Test {
 protected:
  ~TraceFileTest() override { write_parts = pwritev; }
  std::unique_ptr<TraceFile> make() {
    auto file = TraceFile::create(path_);
    EXPECT_TRUE(file) << file.error().text;
    return std::move(*file);
  }
  static base::Status append(TraceFile& file, std::uint64_t number, std::uint64_t size) {
    return file.append(head_of(number, size), records_of(number, size));
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/stream";
};

TEST_F(TraceFileTest, AfterEachPageOfEachWriteItHoldsWholePacketsAndTheOldOnes) {
  // In files of their own, so that a look is short.
  for (const std::uint64_t first : sizes()) {
    const std::vector<std::uint64_t> appended = {first, 8, 4096 - first % 4096, 40000};
    path_ = folder_.path() + "/" + std::to_string(first);
    auto file = make();
    Watched::path = path_;
    Watched::appended = &appended;
    Watched::looks = 0;
    write_parts = Watched::write;
    for (std::uint64_t number = 0; number < appended.size(); ++number) {
      Watched::begun = number + 1;
      ASSERT_TRUE(append(*file, number, appended[number]));
      ASSERT_EQ(packets_in(text_of(path_), appended), static_cast<std::int64_t>(number) + 1) << first;
    }
    EXPECT_GT(Watched::looks, 32u);
    write_parts = pwritev;
    file.reset();
    const std::string text = text_of(path_);
    EXPECT_EQ(packets_in(text, appended), 4);
    // No room is left behind, and no more padding than headers need.
    std::uint64_t content = 0;
    for (const std::uint64_t size : appended) content += kHeader + size;
    EXPECT_LE(text.size(), content + appended.size() * kHeader);
    std::filesystem::remove(path_);
  }
}

TEST_F(TraceFileTest, WhateverTheLimitOfItsSizeItEndsWithAWholePacket) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto* const handler = signal(SIGXFSZ, SIG_IGN);
  const std::vector<std::uint64_t> appended(400, 1000);
  for (const rlim_t limit : {0u, 100u, 1111u, 1112u, 1113u, 4096u, 10'000u, 131'072u, 131'073u, 200'000u}) {
    path_ = folder_.path() + "/" + std::to_string(limit);
    auto file = make();
    rlimit small = before;
    small.rlim_cur = limit;
    setrlimit(RLIMIT_FSIZE, &small);
    std::uint64_t number = 0;
    while (append(*file, number, 1000)) ++number;
    const base::Status again = append(*file, number, 1000);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_THAT(again.error().text, testing::HasSubstr("file too large"));
    file.reset();
    EXPECT_EQ(packets_in(text_of(path_), appended), static_cast<std::int64_t>(number)) << limit;
    // Grown by pages: the last page is not used when it is not whole.
    EXPECT_GE(number + 1, limit / 4096 * 4096 / (1000 + kHeader + kHeader)) << limit;
  }
  signal(SIGXFSZ, handler);
}

TEST_F(TraceFileTest, AKillAtAnyTimeLeavesWholePackets) {
  const std::vector<std::uint64_t> appended(100'000, 300'000);
  std::int64_t most = 0;
  for (int attempt = 0; attempt < 30; ++attempt) {
    path_ = folder_.path() + "/" + std::to_string(attempt);
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto file = TraceFile::create(path_);
      for (std::uint64_t number = 0; file; ++number) {
        if (number == static_cast<std::uint64_t>(attempt)) (void)!::write(ready[1], "x", 1);
        if (!append(**file, number, appended[number])) _exit(1);
        if (number == 300) _exit(0);
      }
      _exit(1);
    }
    char byte;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    for (int wait = 0; wait < attempt * 997 % 5000; ++wait) asm volatile("");  // somewhere in one of the next writes
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
    const std::int64_t packets = packets_in(text_of(path_), appended);
    EXPECT_GE(packets, attempt);
    most = std::max(most, packets);
    std::filesystem::remove(path_);
  }
  EXPECT_GT(most, 0);
}

}  // namespace
}  // namespace maxlat::trace
