// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Runs a piece of code one instruction at a time, by the processor's trap flag, and calls something after a chosen one:
// a signal handler at EVERY instruction of a probe, not at those that a timer happens to hit.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>
#include <stdexcept>

namespace maxlat::ring_test {

// Instructions from one place of an interruption to the next. Code for AddressSanitizer has several times as many, and
// to come to one of them is a signal for each before it: there a prime, which falls on each kind of place in the end.
#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t kApart = 31;
#else
constexpr uint64_t kApart = 1;
#endif

// Whether this instruction has the bus, or the line, to itself: by its prefix, or because it exchanges with memory.
inline bool is_locked(const uint8_t* code) {
  for (;; ++code) {
    switch (*code) {
      case 0xf0:
        return true;
      case 0x26:
      case 0x2e:
      case 0x36:
      case 0x3e:
      case 0x64:
      case 0x65:
      case 0x66:
      case 0x67:
      case 0xf2:
      case 0xf3:
        continue;
    }
    if ((*code & 0xf0) == 0x40) ++code;  // REX is the last one
    return (code[0] == 0x86 || code[0] == 0x87) && code[1] < 0xc0;
  }
}

class SingleStep {
 public:
  using Action = void (*)();

  SingleStep() {
    struct sigaction action {};
    action.sa_sigaction = &SingleStep::trapped;
    action.sa_flags = SA_SIGINFO;
    if (sigaction(SIGTRAP, &action, &before_) != 0) throw std::runtime_error("sigaction");
  }
  ~SingleStep() { sigaction(SIGTRAP, &before_, nullptr); }
  SingleStep(const SingleStep&) = delete;
  SingleStep& operator=(const SingleStep&) = delete;

  // From here on every instruction ends in a SIGTRAP, whoever handles it.
  // The red zone below the stack pointer may be in use: step over it.
  __attribute__((always_inline)) static void step_on() {
    asm volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp"
                 :
                 :
                 : "memory", "cc");
  }

  __attribute__((always_inline)) static void step_off() {
    asm volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp"
                 :
                 :
                 : "memory", "cc");
  }

  // Runs body(); after its instruction number `at` (from 1) interrupts it with action(). RETURNS: false when it was
  // shorter.
  template <class Body>
  static bool interrupt(uint64_t at, Action action, Body&& body) {
    steps_ = locked_ = 0;
    at_ = at;
    action_ = action;
    step_on();
    body();
    step_off();
    return steps_ >= at;
  }

  // Instructions that the last body() took before it was interrupted or ended, and those around it.
  static uint64_t steps() { return steps_; }
  // Of these, those that lock.
  static uint64_t locked() { return locked_; }

 private:
  static constexpr long kTrapFlag = 0x100;

  static void trapped(int, siginfo_t*, void* context) {
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    if (is_locked(reinterpret_cast<const uint8_t*>(registers[REG_RIP]))) ++locked_;  // the next one
    if (++steps_ < at_) return;
    registers[REG_EFL] &= ~kTrapFlag;
    action_();
  }
  static inline uint64_t steps_, locked_, at_;
  static inline Action action_;
  struct sigaction before_ {};
};

}  // namespace maxlat::ring_test
