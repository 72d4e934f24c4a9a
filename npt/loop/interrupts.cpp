// SPDX-License-Identifier: MIT
#include "interrupts.hpp"

#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <sys/io.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdint>

namespace maxlat::npt {

#if defined(__x86_64__)

bool interrupts_enabled() {
  uint64_t flags;
  __asm__ volatile("pushfq; popq %0" : "=r"(flags));
  return (flags >> 9 & 1) != 0;
}

CliEffect try_cli() {
  enum : int { kDenied = 10, kIgnored, kWorks };
  const pid_t child = ::fork();
  if (child == 0) {
    // A fault must end the child quietly: no core file, no handler of a library.
    ::signal(SIGSEGV, SIG_DFL);
    if (::iopl(3) != 0) ::_exit(kDenied);
    __asm__ volatile("cli");
    const bool enabled = interrupts_enabled();
    if (!enabled) __asm__ volatile("sti");
    ::_exit(enabled ? kIgnored : kWorks);
  }
  int status = 0;
  pid_t reaped = -1;
  if (child > 0) do
      reaped = ::waitpid(child, &status, 0);
    while (reaped < 0 && errno == EINTR);
  if (reaped != child) return CliEffect::not_permitted;
  if (!WIFEXITED(status)) return CliEffect::faults;
  switch (WEXITSTATUS(status)) {
    case kIgnored:
      return CliEffect::ignored;
    case kWorks:
      return CliEffect::works;
    default:
      return CliEffect::not_permitted;
  }
}

#else

bool interrupts_enabled() {
  return true;
}  // DAIF is not readable at EL0, and not writable either
CliEffect try_cli() {
  return CliEffect::not_permitted;
}

#endif

std::string interrupts_label(OffBy off_by, bool allow_interrupts, CliEffect effect, bool enabled_in_loop) {
  if (!enabled_in_loop && off_by == OffBy::kernel_loop) return "off (kernel loop)";
  if (!enabled_in_loop && off_by == OffBy::module_in_user_space) return "off (module, user space)";
  return !allow_interrupts && effect == CliEffect::ignored ? "on: cli ignored by this kernel" : "on";
}

std::string cli_text(CliEffect effect) {
  switch (effect) {
    case CliEffect::ignored:
      return {};
    case CliEffect::faults:
      return "cli faults on this kernel";
    case CliEffect::not_permitted:
      return "iopl is not permitted";
    case CliEffect::works:
      return "left on, though cli would work on this kernel";
  }
  return {};
}

}  // namespace maxlat::npt
