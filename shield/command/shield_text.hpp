// SPDX-License-Identifier: MIT
//
// What a shield did, is and undid, as text.
#pragma once

#include <maxlat/shield/shield.hpp>
#include <string>

namespace maxlat::shield {

std::string text_of(const ShieldReport& report, const ShieldPlan& plan);
std::string text_of(const UndoReport& report);
std::string text_of(const ShieldStatus& status);
// What of it has drifted, or is damaged, and who is not kept off its CPUs; empty: nothing, nobody.
std::string drift_text(const ShieldStatus& status);

}  // namespace maxlat::shield
