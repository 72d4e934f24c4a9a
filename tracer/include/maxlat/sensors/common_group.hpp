// SPDX-License-Identifier: MIT
//
// A group of sensors that several processes post to: the workers of a server, a control loop and its helpers. Each has
// the same struct, and their posts meet in the same words (Pohlack 2010, section 3.2.3, a global list of the system).
//
//   struct WorkerSensors {
//     maxlat::sensors::SharedCounter requests{"requests"};
//     maxlat::sensors::SharedEventList<1024, MAXLAT_LISTED_EVENT(worker, request)> last{"last"};
//   };
//   MAXLAT_COMMON_SENSORS(workers, WorkerSensors)           in one source file of each program
//
//   workers->requests.add();                                a post is what it is in any group, and shared
//
// WHO BRINGS THEM TOGETHER: the directory of the user or of the system (maxlat sensors directory), which must run
// before. The first process makes the memory, and the directory gives it to those that come after. It is not needed
// after that: when it dies, the processes go on, and the next directory takes over the running group. A group ends with
// its last process, and the next process begins a new one, from zero. Two programs whose structs differ in anything
// that is constant (kinds, sizes, texts, types of events) have two groups.
// WITHOUT ONE, or when it refuses or does not answer within a second: the group is this process's alone, and published
// as any other (group.hpp); one line on stderr says so. Of two directories the user's own is asked.
// SENSORS: those of all threads (SharedCounter ...), no others: two processes are two writers.
// FORK: a child posts to the same memory. If a group lives on in such children only (daemon(3)), the directory does
// not know that, and takes it for ended. Nor does it know that a process has left the group (dlclose), until that
// process ends.
// TRUST: every process of the user can write to the memory: spoil values, free pages under it (they read as zeros
// then), put into a list what it likes. None can make a monitor read elsewhere. Other users read it by a directory's
// rules, and cannot write: the file has mode 0644. A process that dies in the middle of a post costs a list one event
// a lap, as a thread does; a Stat is not `settled` any more.
// BEFORE IT IS JOINED, posts go to private memory; they are the group's for the process that makes it, and lost for
// others. What other threads post while it is joined is lost.
// THREADS: any, one at a time for one group; not for signal handlers.
#pragma once

#include <maxlat/sensors/group.hpp>

namespace maxlat::sensors {

// As publish_group(); withdraw_group() leaves it. ERRORS: as there; a sensor is one thread's or striped; no directory,
// or it has refused. Nothing is changed then.
base::Status join_group(void* pages, std::size_t bytes, std::string_view name);

// As long as a module is loaded, as PublishedGroup.
class JoinedGroup {
 public:
  template <class Sensors>
  JoinedGroup(SensorGroup<Sensors>& group, std::string_view name) : JoinedGroup(&group, group.kBytes, name) {}
  ~JoinedGroup();
  JoinedGroup(const JoinedGroup&) = delete;
  JoinedGroup& operator=(const JoinedGroup&) = delete;

 private:
  JoinedGroup(void* pages, std::size_t bytes, std::string_view name);
  void* pages_;
};

#define MAXLAT_COMMON_SENSORS(group, Sensors)                                \
  constinit ::maxlat::sensors::SensorGroup<Sensors> group;                   \
  namespace {                                                                \
  const ::maxlat::sensors::JoinedGroup maxlat_joined_##group(group, #group); \
  }

}  // namespace maxlat::sensors
