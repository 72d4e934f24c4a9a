// SPDX-License-Identifier: MIT
//
// For tests: a session of one channel or more, and everything that was recorded in it, read back from the memfd as a
// consumer in this process would.
#pragma once

#include <gtest/gtest.h>
#include <maxlat/ring/read.h>
#include <maxlat/ring/walk.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <maxlat/base/owned.hpp>
#include <maxlat/trace/session.hpp>
#include <string>
#include <vector>

#include "shm/session_layout.h"
#include "shm/test_objects.hpp"

namespace maxlat::trace::test {

struct Recorded {
  std::uint32_t channel;
  std::uint32_t slot;
  std::uint32_t owner;
  std::uint32_t id;
  std::uint64_t time;
  std::vector<std::uint8_t> payload;

  template <class T>
  T at(std::size_t offset) const {
    T value{};
    EXPECT_LE(offset + sizeof(T), payload.size());
    if (offset + sizeof(T) <= payload.size()) std::memcpy(&value, payload.data() + offset, sizeof(T));
    return value;
  }
};

// The memory of a session, as it is now.
class Memory {
 public:
  explicit Memory(const Session& session) {
    const auto descriptors = session.descriptors();
    EXPECT_TRUE(descriptors.ok());
    if (!descriptors.ok()) return;
    const base::Descriptor memory(descriptors->memory);
    wakeup = base::Descriptor(descriptors->wakeup);
    const auto size = static_cast<std::size_t>(lseek(memory.number(), 0, SEEK_END));
    void* const where = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory.number(), 0);
    EXPECT_NE(where, MAP_FAILED);
    if (where == MAP_FAILED) return;
    mapping_ = base::Mapping(where, size);
    bytes_ = static_cast<std::uint8_t*>(where);
  }

  const maxlat_shm_header& header() const { return *reinterpret_cast<const maxlat_shm_header*>(bytes_); }
  const std::uint8_t* bytes() const { return bytes_; }
  const maxlat_ring_freeze& freeze() const { return object_of<maxlat_shm_session>(bytes_, MAXLAT_SHM_SESSION).freeze; }
  maxlat_shm_slot& slot(std::uint32_t channel, std::uint32_t slot) const { return slots_of(bytes_, channel)[slot]; }
  std::string metadata() const {
    const auto& metadata = object_of<maxlat_shm_metadata>(bytes_, MAXLAT_SHM_METADATA);
    return {reinterpret_cast<const char*>(bytes_ + metadata.text_offset), metadata.length};
  }

  // Takes every packet that was delivered. REQUIRES: nobody else reads.
  std::vector<Recorded> take() {
    std::vector<Recorded> all;
    const std::uint32_t channels = header().table_capacity - 2;
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
      for (std::uint32_t i = 0; i < channel_of(bytes_, channel).slots; ++i) {
        const auto state = slot(channel, i).word & MAXLAT_SHM_STATE_MASK;
        if (state == MAXLAT_SHM_LIVE || state == MAXLAT_SHM_ENDED) take_from(channel, i, &all);
      }
    }
    return all;
  }

  // What a consumer does with an ended slot.
  void free_slot(std::uint32_t channel, std::uint32_t i) {
    maxlat_shm_slot& entry = slot(channel, i);
    ASSERT_EQ(entry.word & MAXLAT_SHM_STATE_MASK, static_cast<std::uint64_t>(MAXLAT_SHM_ENDED));
    __atomic_store_n(&entry.word, ((entry.word >> 8) + 1) << 8 | MAXLAT_SHM_FREE, __ATOMIC_RELEASE);
  }

  base::Descriptor wakeup;

 private:
  void take_from(std::uint32_t channel, std::uint32_t i, std::vector<Recorded>* all) {
    const maxlat_shm_channel& shape = channel_of(bytes_, channel);
    maxlat_ring ring;
    maxlat_ring_reader reader;
    ASSERT_TRUE(maxlat_ring_attach(&ring, bytes_ + shape.rings_offset + i * shape.ring_stride, shape.ring_stride));
    ASSERT_TRUE(maxlat_ring_reader_start(&reader, &ring));
    maxlat_ring_view view;
    std::uint64_t last_time = 0;
    while (maxlat_ring_get(&reader, &view) == MAXLAT_RING_GOT) {
      maxlat_ring_walk walk;
      maxlat_ring_walked record;
      maxlat_ring_walk_start(&walk, view.bytes, view.content_size);
      maxlat_ring_step step;
      while ((step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT) {
        EXPECT_GE(record.time, last_time);
        last_time = record.time;
        all->push_back({channel,
                        i,
                        slot(channel, i).owner,
                        record.id,
                        record.time,
                        {record.payload, record.payload + record.payload_size}});
      }
      EXPECT_EQ(step, MAXLAT_RING_END);
      maxlat_ring_put(&reader, &view);
    }
  }

  base::Mapping mapping_;
  std::uint8_t* bytes_ = nullptr;
};

// A session that is destroyed with its test. Names do not matter: one a test.
class Recording {
 public:
  explicit Recording(std::vector<ChannelOptions> channels = {small()}, std::string name = "test")
      : session(*Session::create({.name = std::move(name), .clock = base::clock_with_rate(2.5)})) {
    for (const ChannelOptions& channel : channels) expect_ok(session.add_channel(channel));
  }
  ~Recording() {
    if (session.status().state != SessionState::destroyed) expect_ok(session.destroy());
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  static ChannelOptions small() { return {.name = "all", .sub_buffer_size = 1 << 16}; }

  static void expect_ok(const base::Status& status) {
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().text);
  }
  void start(std::string_view pattern) {
    expect_ok(session.enable(session.status().channels[0].name, pattern));
    expect_ok(session.start());
  }
  // Stops, and takes everything.
  std::vector<Recorded> finish() {
    expect_ok(session.stop());
    return Memory(session).take();
  }
  Books books(std::size_t channel = 0) const { return session.status().channels[channel].books; }

  Session session;
};

}  // namespace maxlat::trace::test
