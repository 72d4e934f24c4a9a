// SPDX-License-Identifier: MIT
//
// A shield for as long as somebody holds it: maxlat shield exec, maxlat run --shield. Whatever the end of its holder,
// it goes off with it; after kill -9 the journal is there, and `maxlat shield off` undoes it.
//
// A shield of the same CPUs that is on already serves, too: what has drifted is made right again, and it stays on.
//
// THREADS: made, used and destroyed by one thread.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/shield/shield.hpp>
#include <memory>
#include <string>
#include <vector>

namespace maxlat::shield {

class Surface;

class HeldShield {
 public:
  // ERRORS: those of shield_on(); a CPU that is not there, or none left for housekeeping; not root (77).
  static core::Result<HeldShield> put_on(ShieldPlan plan);
  HeldShield(HeldShield&&) noexcept;
  HeldShield& operator=(HeldShield&&) = delete;
  ~HeldShield();  // takes it off, unless that is done

  const ShieldPlan& plan() const { return plan_; }  // with its housekeeping CPUs
  const ShieldReport& report() const { return report_; }

  // One that was on before becomes this holder's all the same: a run that was killed put it on, and goes on.
  void adopt() { stays_on_ = false; }
  bool stays_on() const { return stays_on_; }

  // Now, to say what came of it. Of one that stays on nothing is undone. ERRORS: the journal cannot be read.
  core::Result<UndoReport> take_off();

 private:
  HeldShield(ShieldPlan plan, std::unique_ptr<Surface> surface);
  ShieldPlan plan_;
  ShieldReport report_;
  std::unique_ptr<Surface> surface_;  // none: moved from
  bool stays_on_ = false;
};

// What `maxlat shield audit` finds in so many seconds, as a phase of kind "audit". Its warnings name the CPUs that are
// disturbed, and by what. ERRORS: the kernel's counts cannot be read.
core::Result<core::Phase> audit_shield(const core::CpuList& cpus, double seconds);

}  // namespace maxlat::shield
