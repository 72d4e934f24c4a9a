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

#include "session_layout.h"

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
    std::uint64_t at = MAXLAT_SHM_PAGE;
    maxlat_shm_header header{};
    for (std::size_t i = 0; i < channels.size(); ++i) {
      maxlat_shm_channel& to = header.channel[i];
      std::strncpy(to.name, channels[i].name.c_str(), sizeof to.name - 1);
      to.ring_features = channels[i].features;
      to.sub_buffer_bits = channels[i].sub_buffer_bits;
      to.ring_bits = channels[i].ring_bits;
      to.slots = channels[i].slots;
      to.slot_table_offset = at;
      at += MAXLAT_SHM_PAGE;
      const maxlat_ring_options options = ring_options(to);
      to.ring_stride = maxlat_ring_size(&options);
    }
    header.metadata_offset = at;
    header.metadata_capacity = 16 * MAXLAT_SHM_PAGE;
    at += header.metadata_capacity;
    for (std::size_t i = 0; i < channels.size(); ++i) {
      header.channel[i].rings_offset = at;
      at += header.channel[i].ring_stride * header.channel[i].slots;
    }
    header.magic = MAXLAT_SHM_MAGIC;
    header.version = MAXLAT_SHM_VERSION;
    header.header_size = sizeof header;
    header.pid = static_cast<std::uint32_t>(getpid());
    header.channels = static_cast<std::uint32_t>(channels.size());
    header.total_size = at;
    header.ticks_per_second = 1'000'000'000'000;  // no test is as slow as a limit of it
    std::strcpy(header.session, "test");
    std::strcpy(header.process, "program");
    ok_ = ftruncate(fd(), static_cast<off_t>(at)) == 0 &&
          (!sealed || fcntl(fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    all_ = base::Mapping(mmap(nullptr, at, PROT_READ | PROT_WRITE, MAP_SHARED, fd(), 0), at);
    std::memcpy(bytes(), &header, sizeof header);
  }

  bool ok() const { return ok_; }
  int fd() const { return file_.number(); }
  std::uint8_t* bytes() const { return static_cast<std::uint8_t*>(all_.where()); }
  maxlat_shm_header& header() const { return *reinterpret_cast<maxlat_shm_header*>(bytes()); }
  maxlat_shm_slot& slot(std::size_t channel, std::uint32_t number) const {
    return reinterpret_cast<maxlat_shm_slot*>(bytes() + header().channel[channel].slot_table_offset)[number];
  }

  // FREE -> LIVE, as a thread of the producer does it. The ring is valid as long as the session.
  maxlat_ring& claim(std::size_t channel, std::uint32_t number, std::uint32_t owner) {
    const maxlat_shm_channel& shape = header().channel[channel];
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
    rings_.back().freeze = &this->header().freeze;
    __atomic_add_fetch(&entry.word, MAXLAT_SHM_LIVE, __ATOMIC_RELEASE);
    return rings_.back();
  }
  void end(std::size_t channel, std::uint32_t number, maxlat_ring& ring) {
    maxlat_ring_finalise(MAXLAT_RING_THREAD, &ring);
    __atomic_add_fetch(&slot(channel, number).word, MAXLAT_SHM_ENDED - MAXLAT_SHM_LIVE, __ATOMIC_RELEASE);
  }
  void append_metadata(std::string_view text) {
    std::memcpy(bytes() + header().metadata_offset + header().metadata_length, text.data(), text.size());
    __atomic_add_fetch(&header().metadata_length, text.size(), __ATOMIC_RELEASE);
  }

 private:
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
