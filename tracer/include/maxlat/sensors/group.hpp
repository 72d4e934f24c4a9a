// SPDX-License-Identifier: MIT
//
// A group of sensors: a struct whose members are sensors, in whole pages of its own, and its way into memory that
// monitors can see.
//
//   MAXLAT_SENSORS(server, ServerSensors)        in one source file: the group `server`, published when it is loaded
//   extern maxlat::sensors::SensorGroup<ServerSensors> server;      in others
//
// TO PUBLISH is to copy the pages into a memfd and map that in their place. Where the sensors are does not change, nor
// does a post. What another thread posts between copy and exchange is lost; a group that is published while its module
// is loaded has no such thread.
// THE MEMFD holds a container (tracer/shm/container_layout.h): header, an object for each sensor, then the pages. It is
// sealed: nobody can shrink it, and nobody but this process, which has it mapped already, can write to it. Monitors
// find it through /proc/PID/fd, so no thread need run in this process, but it must keep the descriptor.
// The descriptor is kept by its number: a program that closes all above 2 has hidden its groups, and may publish them
// anew. Pages that it had locked one by one (mlock) it locks again.
// FORK: a child has a private copy of all groups, and publishes them again if it wants to. It makes the copy when it
// begins, while the parent goes on: what the parent posts meanwhile, also the thread that forked, may be in it, and an
// event that was just being posted half. _Fork() and clone() tell nobody: such a child must not post.
// EXEC: everything is gone with the memory; the descriptors are close-on-exec.
// FAILURE: the group stays private, and works. PublishedGroup says so in one line on stderr.
// THREADS: publish and withdraw: any, one at a time for one group. They are not for signal handlers.
#pragma once

#include <maxlat/sensors/sensor.h>

#include <maxlat/base/result.hpp>
#include <memory>
#include <string_view>
#include <type_traits>

namespace maxlat::sensors {

template <class Sensors>
class alignas(MAXLAT_SENSOR_PAGE) SensorGroup {
  static_assert(std::is_trivially_destructible_v<Sensors>, "posts after exit() must find it");
  static_assert(sizeof(Sensors) % MAXLAT_SENSOR_ALIGNMENT == 0, "a group has sensors and nothing else");

 public:
  constexpr SensorGroup() = default;
  // Of sensors that need something which is known only when the program runs.
  template <class Argument>
  explicit SensorGroup(const Argument& argument) : sensors_(argument) {}
  SensorGroup(const SensorGroup&) = delete;  // its pages are what is published
  SensorGroup& operator=(const SensorGroup&) = delete;
  static constexpr std::size_t kBytes = sizeof(Sensors);
  Sensors* operator->() { return &sensors_; }
  Sensors& operator*() { return sensors_; }

 private:
  Sensors sensors_;
};

// `pages`: a page's beginning; `bytes`: of the sensors. What is behind them in the last page is nobody's, and nobody
// sees it. ERRORS: not a name, not only sensors, published already, the system's; nothing is changed.
base::Status publish_group(void* pages, std::size_t bytes, std::string_view name);
// Nobody finds it any more. Whoever has it keeps what was posted until now; what comes goes to a private copy. Before
// memory that a group lies in is given back (OwnedGroup does both). Not published: nothing happens.
// RETURNS: false: no memory for the copy. It stays published, and its memory must not be given back.
[[nodiscard]] bool withdraw_group(void* pages);

// A group that is made while the program runs, on the heap: its memory and its publication.
//
//   maxlat::sensors::OwnedGroup<ServerSensors> group;
//   if (const auto status = group.publish("server"); !status) ...       private then, and works
//   group->requests.add();
//
// ITS END: first it is withdrawn, then the memory is given back. Where it cannot be withdrawn, because there is no
// memory for the private copy, its memory is kept for ever, on purpose: it is still what monitors see, and what a fork
// copies for its child. Given back, it would be another object's, which others could read, and which a child would
// share with its parent. The group is still found then, and no other of this process can have its name.
// THREADS: one at a time; posts as each sensor has it. Who posts has ended before this ends.
template <class Sensors>
class OwnedGroup {
 public:
  OwnedGroup() : group_(new SensorGroup<Sensors>) {}
  // Of sensors that need something which is known only when the program runs.
  template <class Argument>
  explicit OwnedGroup(const Argument& argument) : group_(new SensorGroup<Sensors>(argument)) {}

  // ERRORS: what publish_group() says.
  base::Status publish(std::string_view name) { return publish_group(group_.get(), group_->kBytes, name); }

  SensorGroup<Sensors>& pages() { return *group_; }
  Sensors* operator->() { return &**group_; }
  Sensors& operator*() { return **group_; }

 private:
  struct Withdrawn {
    void operator()(SensorGroup<Sensors>* group) const {
      if (withdraw_group(group)) delete group;
    }
  };
  std::unique_ptr<SensorGroup<Sensors>, Withdrawn> group_;
};

// As long as a module is loaded. Its memory goes with it, whether the group could be withdrawn or not.
class PublishedGroup {
 public:
  template <class Sensors>
  PublishedGroup(SensorGroup<Sensors>& group, std::string_view name) : PublishedGroup(&group, group.kBytes, name) {}
  ~PublishedGroup();
  PublishedGroup(const PublishedGroup&) = delete;
  PublishedGroup& operator=(const PublishedGroup&) = delete;

 private:
  PublishedGroup(void* pages, std::size_t bytes, std::string_view name);
  void* pages_;
};

#define MAXLAT_SENSORS(group, Sensors)                                              \
  constinit ::maxlat::sensors::SensorGroup<Sensors> group;                          \
  namespace {                                                                       \
  const ::maxlat::sensors::PublishedGroup maxlat_published_##group(group, #group);  \
  }

}  // namespace maxlat::sensors
