// SPDX-License-Identifier: MIT
//
// The arms there are, one file each: arm_NAME.cpp.
#pragma once

#include <memory>

#include "arm.hpp"

namespace maxlat::npt {

std::unique_ptr<Arm> make_delay_arm();
std::unique_ptr<Arm> make_locked_printf_arm();
std::unique_ptr<Arm> make_ftrace_marker_arm();
std::unique_ptr<Arm> make_lttng_ust_arm();
std::unique_ptr<Arm> make_maxlat_arm();
std::unique_ptr<Arm> make_plugin_arm();  // spdlog-async, usdt
std::unique_ptr<Arm> make_systemtap_arm();
std::unique_ptr<Arm> make_uprobe_arm();

}  // namespace maxlat::npt
