// SPDX-License-Identifier: MIT
// A session's memory made by hand, for tests of the consuming side: every word of it can be set to anything.
#pragma once

#include <fcntl.h>
#include <linux/falloc.h>
#include <maxlat/ring/layout.h>
#include <maxlat/ring/switch.h>
#include <maxlat/ring/test_event_probe.h>

#include <cstring>
#include <deque>
#include <maxlat/base/owned.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shm/container_plan.hpp"
#include "shm/session_layout.h"
#include "shm/test_objects.hpp"

namespace maxlat::trace::test {

struct ChannelShape {
  std::string name = "channel0";
  std::uint32_t features = 0;
  std::uint32_t sub_buffer_bits = 12;
  std::uint32_t ring_bits = 2;
  std::uint32_t slots = 4;
};

class TestSession {
 public:
  explicit TestSession(const std::vector<ChannelShape>& channels = {ChannelShape{}}, bool sealed = true) {
    file_ = base::Descriptor(memfd_create("test-session", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ContainerPlan plan(kEntries);
    plan.add({.kind = MAXLAT_SHM_SESSION,
              .layout_version = MAXLAT_SHM_SESSION_VERSION,
              .size = sizeof(maxlat_shm_session),
              .name = "session"});
    const std::uint64_t metadata_at = plan.add({.kind = MAXLAT_SHM_METADATA,
                                                .layout_version = MAXLAT_SHM_METADATA_VERSION,
                                                .size = sizeof(maxlat_shm_metadata),
                                                .name = "metadata"});
    std::vector<std::uint64_t> channel_at;
    for (const ChannelShape& channel : channels) {
      channel_at.push_back(plan.add({.kind = MAXLAT_SHM_CHANNEL,
                                     .layout_version = MAXLAT_SHM_CHANNEL_VERSION,
                                     .id = static_cast<std::uint32_t>(channel_at.size()),
                                     .size = sizeof(maxlat_shm_channel) + channel.slots * sizeof(maxlat_shm_slot),
                                     .name = channel.name}));
    }
    maxlat_shm_metadata metadata{.text_offset = 0, .capacity = 16 * MAXLAT_SHM_PAGE, .length = 0};
    metadata.text_offset = plan.place_behind(metadata.capacity);
    std::vector<maxlat_shm_channel> shapes;
    for (const ChannelShape& channel : channels) {
      maxlat_shm_channel& to = shapes.emplace_back();
      to.ring_features = channel.features;
      to.sub_buffer_bits = channel.sub_buffer_bits;
      to.ring_bits = channel.ring_bits;
      to.slots = channel.slots;
      const maxlat_ring_options options = ring_options(to);
      to.ring_stride = maxlat_ring_size(&options);
      to.rings_offset = plan.place_behind(to.ring_stride * to.slots);
    }
    const std::uint64_t size = plan.total_size();
    ok_ = ftruncate(fd(), static_cast<off_t>(size)) == 0 &&
          (!sealed || fcntl(fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    all_ = base::Mapping(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd(), 0), size);
    std::memcpy(bytes() + metadata_at, &metadata, sizeof metadata);
    for (std::size_t i = 0; i < shapes.size(); ++i) std::memcpy(bytes() + channel_at[i], &shapes[i], sizeof shapes[i]);
    ContainerIdentity identity;
    identity.name = "test";
    identity.process = "program";
    identity.pid = static_cast<std::uint32_t>(getpid());
    identity.clock.ticks_per_second = 1'000'000'000'000;  // no test is as slow as a limit of it
    plan.publish(bytes(), identity);
  }

  bool ok() const { return ok_; }
  int fd() const { return file_.number(); }
  std::uint8_t* bytes() const { return static_cast<std::uint8_t*>(all_.where()); }
  maxlat_shm_header& header() const { return *reinterpret_cast<maxlat_shm_header*>(bytes()); }
  maxlat_shm_entry& entry(std::uint32_t kind, std::uint32_t id = 0) const { return entry_of(bytes(), kind, id); }
  // One that is not used.
  maxlat_shm_entry& free_entry() const { return entry(0); }
  maxlat_shm_channel& channel(std::size_t number) const {
    return channel_of(bytes(), static_cast<std::uint32_t>(number));
  }
  maxlat_shm_metadata& metadata() const { return object_of<maxlat_shm_metadata>(bytes(), MAXLAT_SHM_METADATA); }
  maxlat_ring_freeze& freeze() const { return object_of<maxlat_shm_session>(bytes(), MAXLAT_SHM_SESSION).freeze; }
  maxlat_shm_slot& slot(std::size_t channel, std::uint32_t number) const {
    return slots_of(bytes(), static_cast<std::uint32_t>(channel))[number];
  }

  // FREE -> LIVE, as a thread of the producer does it. The ring is valid as long as the session.
  maxlat_ring& claim(std::size_t channel, std::uint32_t number, std::uint32_t owner) {
    const maxlat_shm_channel& shape = this->channel(channel);
    maxlat_ring_options options = ring_options(shape);
    options.owner = owner;
    const std::uint32_t magic = 0xC1FC1FC1u, stream = static_cast<std::uint32_t>(channel);
    std::memcpy(options.prefix, &magic, 4);
    std::memcpy(options.prefix + 20, &stream, 4);
    std::memcpy(options.prefix + 24, &owner, 4);
    std::memcpy(options.prefix + 28, &number, 4);
    maxlat_shm_slot& entry = slot(channel, number);
    entry.owner = owner;
    ok_ = maxlat_ring_create(&rings_.emplace_back(), bytes() + shape.rings_offset + number * shape.ring_stride,
                             shape.ring_stride, &options) &&
          ok_;
    rings_.back().freeze = &freeze();
    __atomic_add_fetch(&entry.word, MAXLAT_SHM_LIVE, __ATOMIC_RELEASE);
    return rings_.back();
  }
  void end(std::size_t channel, std::uint32_t number, maxlat_ring& ring) {
    maxlat_ring_finalise(MAXLAT_RING_THREAD, &ring);
    __atomic_add_fetch(&slot(channel, number).word, MAXLAT_SHM_ENDED - MAXLAT_SHM_LIVE, __ATOMIC_RELEASE);
  }
  void append_metadata(std::string_view text) {
    std::memcpy(bytes() + metadata().text_offset + metadata().length, text.data(), text.size());
    __atomic_add_fetch(&metadata().length, text.size(), __ATOMIC_RELEASE);
  }

 private:
  static constexpr std::uint32_t kEntries = 8;

  static maxlat_ring_options ring_options(const maxlat_shm_channel& shape) {
    maxlat_ring_options options{};
    options.features = shape.ring_features;
    options.sub_buffer_bits = shape.sub_buffer_bits;
    options.ring_bits = shape.ring_bits;
    return options;
  }

  base::Descriptor file_;
  base::Mapping all_;
  std::deque<maxlat_ring> rings_;
  bool ok_ = true;
};

}  // namespace maxlat::trace::test
