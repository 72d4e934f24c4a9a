// SPDX-License-Identifier: MIT
//
// The steps of a shield, each a file and a row in shield/CMakeLists.txt, in the order in which they are made and
// against which they are undone. What is a setting of core/machine needs no step of its own: the step `settings` makes
// every one right that a program can.
#pragma once

#include <functional>
#include <maxlat/core/machine/remedy.hpp>
#include <maxlat/core/sys/cpuset_place.hpp>
#include <maxlat/shield/shield.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "change/surface.hpp"
#include "journal/journal.hpp"

namespace maxlat::shield {

// Journals, changes, reads back. Steps change nothing by another way.
class Workshop {
 public:
  Workshop(Surface& surface, Journal& journal, const ShieldPlan& plan)
      : surface_(surface), journal_(journal), plan_(plan) {}

  const ShieldPlan& plan() const { return plan_; }
  Surface& surface() { return surface_; }

  // Into the journal, in order; nothing is changed yet. ERRORS: what ends the shield: the journal cannot be written.
  core::Status record(std::span<const Change> changes);
  // Makes changes that are recorded. Each refusal is a sentence, and a line of the journal; the others are made all the
  // same.
  std::vector<std::string> make(std::span<const Change> changes);
  // Recorded changes that were not made after all, or that the step has undone itself: lines of the journal say so. A
  // group among them is none of ours from then on, and off() leaves it.
  void note_refused(std::vector<Change> changes);

  void report(StepReport report) { reports_.push_back(std::move(report)); }
  bool has_reported(std::string_view step) const;
  bool has_failed() const;  // something was not possible
  ShieldReport reports() && { return {.steps = std::move(reports_), .changes = changes_}; }

 private:
  Surface& surface_;
  Journal& journal_;
  const ShieldPlan& plan_;
  std::vector<StepReport> reports_;
  size_t changes_ = 0;  // that change something, and were not refused
};

// More for a journal that is complete, and then is so again. RETURNS: what was reported. ERRORS: it cannot be
// written.
core::Result<ShieldReport> go_on(const ShieldPlan& plan, Surface& surface,
                                 const std::function<core::Status(Workshop&)>& add);

struct Step {
  std::string_view name;
  // Reports once or more. ERRORS: what ends the shield; a step that is not possible is a report.
  core::Status (*make)(Workshop&);
  // What make() would do here, in words that go on after "would": "move 95 threads off them". Looks, and changes
  // nothing. Empty: nothing is to be done. None: the step is made only when a person asks for it.
  std::string (*would)(const ShieldPlan& plan, const Surface& surface) = nullptr;
};

std::vector<const Step*> step_rows();  // of CMakeLists.txt
extern const Step kIdleLatencyStep;    // one of them, which is made again when its keeper has ended

// irqbalance that runs and does not leave the shielded CPUs alone, as far as no line of the journal has it: to pause
// it.
std::vector<Change> irqbalance_since(const JournalContent& journal, const Surface& surface);

// A new shield would take it for its own, and remove it. ERRORS: there is a group of another shield, whose journal we
// do not know.
core::Status no_group_is_there(const Surface& surface);

// Threads that may run on shielded CPUs and are in no line of the journal: they have begun since, or have asked for
// these CPUs since. With the mask that each shall have.
std::vector<Change> newcomers(const JournalContent& journal, const ShieldPlan& plan, const Surface& surface);

// The machine with the CPUs of a shield that is on.
core::MachineView machine_of(const JournalContent& journal, const Surface& surface);
// Settings that are not right, with the files that are in no line of the journal: they were right when the shield came,
// or were not there. And these made right, as the step `settings` makes them.
std::vector<core::Remedy> turned_wrong(const JournalContent& journal, const core::MachineView& machine);
core::Status make_right(std::span<const core::Remedy> remedies, const core::MachineView& machine, Workshop& workshop);

// What a plan with `mounts` asks for.
std::vector<Change> mounts();

// "/sys/devices/system/cpu/cpu3/online"
std::string online_file(unsigned cpu);
// Why no CPU may go offline here, though it comes back; "" where it may.
std::string why_no_cpu_may_go(const Surface& surface);
// An interrupt that is bound to CPUs which go offline gets all others from the kernel, and keeps them. What those that
// are bound to some of `cpus` alone have, to be given back.
std::vector<Change> interrupts_of(const core::CpuList& cpus, const Surface& surface);
// That are not empty.
bool lie_within(const core::CpuList& cpus, const core::CpuList& all);
// The mask that a thread has, and the one it shall have.
Change affinity_change(const core::Task& task, const core::CpuList& before, const core::CpuList& wanted);

// A cpuset that is not ours.
struct GroupOfOthers {
  std::string path;
  core::CpuList cpus;
  std::string partition;  // "member", "root", "isolated", or that with the reason why it is invalid
  bool is_partition() const { return partition == "root" || partition == "isolated"; }
};
// Those beside ours, or below those, that have some of these CPUs.
std::vector<GroupOfOthers> groups_of_others(const core::CpuList& cpus, const core::CpusetPlace& place,
                                            const Surface& surface);
std::string to_string(const std::vector<GroupOfOthers>& groups);  // "/sys/fs/cgroup/theirs (CPU 1-2, isolated)"

}  // namespace maxlat::shield
