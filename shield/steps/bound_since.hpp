// SPDX-License-Identifier: MIT
//
// The masks that owners have given their threads while a shield was on. Before Linux 6.2 a cpuset that goes makes each
// of its threads forget its mask, and of these no line of the journal is an old value.
#pragma once

#include <vector>

#include "journal/journal.hpp"
#include "shield.hpp"

namespace maxlat::shield {

// Before anything is undone: threads whose mask is none that this shield, or the kernel on its account, has given them.
// With `force` none of the journal's threads: they become what they were before.
std::vector<Change> bound_since(const JournalContent& journal, const Surface& surface, bool force);
// Afterwards: those that have lost it get it again.
void bind_again(const std::vector<Change>& bound, Surface& surface);

}  // namespace maxlat::shield
