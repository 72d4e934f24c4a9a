// SPDX-License-Identifier: MIT
//
// All of maxlat behind one call: the words of a command line in, an exit status out. maxlat's main() is this and
// nothing else; a program of your own adds its arms, loads and other rows first (tests/extend/maxlat_extended.cpp).
#pragma once

namespace maxlat::cli {

int program(int argc, char** argv);

}  // namespace maxlat::cli
