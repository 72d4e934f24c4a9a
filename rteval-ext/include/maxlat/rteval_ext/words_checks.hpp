// SPDX-License-Identifier: MIT
//
// What maxlat's own meters say of a command line before it runs, so that a mistake in a plan costs no phase. The meters
// are child processes, and this room does not know their rooms: the program that has their commands fills the table.
#pragma once

#include <map>
#include <maxlat/core/sys/command.hpp>
#include <string>

namespace maxlat::rteval_ext {

// Whether the command would measure by these words, which it only reads. ERRORS: as it would refuse them.
using WordsCheck = core::Result<bool> (*)(const core::Arguments& words);

// By the command's name: "npt". A command without one finds its mistakes when its phase begins.
std::map<std::string, WordsCheck>& words_checks();

}  // namespace maxlat::rteval_ext
