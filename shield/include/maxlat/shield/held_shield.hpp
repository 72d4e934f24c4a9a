// SPDX-License-Identifier: MIT
//
// A shield for as long as a process holds it: maxlat shield exec, maxlat run --shield. It goes off when its holder
// ends. After SIGKILL, SIGQUIT or a crash the journal is still there: the next holder takes the shield over, and
// `maxlat shield off` undoes it. One process at a time holds a shield, by a lock that the kernel releases when the
// process dies.
//
// A shield of the same CPUs that `maxlat shield on` has made is used, too: settings that have changed since are
// corrected, and it stays on.
//
// THREADS: made, used and destroyed by one thread.
#pragma once

#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/shield/shield.hpp>
#include <memory>
#include <string>
#include <vector>

namespace maxlat::shield {

class Lock;
class Surface;

class HeldShield {
 public:
  // ERRORS: those of shield_on(); another process holds a shield; a CPU that is not there, or none left for
  // housekeeping; not root (77).
  static core::Result<HeldShield> put_on(ShieldPlan plan);
  HeldShield(HeldShield&&) noexcept;
  HeldShield& operator=(HeldShield&&) = delete;
  ~HeldShield();  // takes it off, unless that is done

  const ShieldPlan& plan() const { return plan_; }  // with its housekeeping CPUs
  const ShieldReport& report() const { return report_; }

  bool stays_on() const { return report_.was_on; }

  // Now, to say what came of it. Of one that stays on nothing is undone. ERRORS: the journal cannot be read.
  core::Result<UndoReport> take_off();

 private:
  HeldShield(ShieldPlan plan, ShieldReport report, std::unique_ptr<Surface> surface, std::unique_ptr<Lock> holder);
  ShieldPlan plan_;
  ShieldReport report_;
  std::unique_ptr<Surface> surface_;  // none: it is off, or somebody else's now
  std::unique_ptr<Lock> holder_;
};

// A shield whose holder has died goes off, where there is one and this user may. For who has to know which CPUs there
// are before it puts its own one on: that one keeps everybody off what it shields, and off what is nobody's.
void take_off_what_the_dead_hold();

// What put_on() and take_off() would do on this machine, in words that go on after "would"; nothing is changed. ERRORS:
// those of put_on() that can be seen beforehand.
core::Result<std::string> preview_of_shield(ShieldPlan plan);

// What `maxlat shield on` would do with the measured CPUs of a machine, whoever asks, in words that go on after
// "would": "make 9 settings right (14 files), keep 95 threads off by a cpuset of cgroup v2". ERRORS: no CPU is left for
// the rest.
core::Result<std::string> steps_of_shield(const core::MachineView& machine);

// What `maxlat shield audit` finds in so many seconds, as a phase of kind "audit". Its warnings name the CPUs that are
// disturbed, and by what. ERRORS: the kernel's counts cannot be read.
core::Result<core::Phase> audit_shield(const core::CpuList& cpus, double seconds);

}  // namespace maxlat::shield
