// SPDX-License-Identifier: MIT
//
// The kernel's configuration: whole for the folder of a run, and the values that matter for the fingerprint.
#pragma once

#include <map>
#include <maxlat/core/machine/settings.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::core {

// Without "CONFIG_". What is not in a configuration is off.
const std::vector<std::string_view>& kernel_options_that_matter();
// {"PREEMPT_RT", "y"}: what is set.
std::map<std::string, std::string> kernel_options(const std::string& config);

}  // namespace maxlat::core
