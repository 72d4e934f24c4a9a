// SPDX-License-Identifier: MIT
#include "phase_watch.hpp"

#include <string>
#include <utility>

namespace maxlat::rteval_ext {

void PhaseWatch::tell(const core::CpuList& cpus, core::Phase& phase) {
  phase.activity = core::of_cpus(core::between(before_, core::activity_of({})), cpus);
  phase.kernel_messages = log_.messages();
  if (!phase.kernel_messages || phase.kernel_messages->worst() == nullptr) return;
  std::string line = to_string(*phase.kernel_messages);
  if (phase.kernel_messages->worst()->level <= core::KernelMessage::Level::warning)
    phase.warnings.push_back(std::move(line));
  else
    phase.facts["kernel messages"] = std::move(line);
}

}  // namespace maxlat::rteval_ext
