// SPDX-License-Identifier: MIT
//
// What began under a shield, is in no journal, and has something narrow from it: threads the mask of their parents,
// interrupts the default.
#pragma once

#include <vector>

#include "journal/journal.hpp"
#include "shield.hpp"

namespace maxlat::shield {

// At the end of off(), when the changes of the journal are undone.
void widen_inherited(const JournalContent& journal, Surface& surface, UndoReport& report);

// The numbers of those that the box has.
std::vector<unsigned> interrupts_there(const Surface& surface);

}  // namespace maxlat::shield
