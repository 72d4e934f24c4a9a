// SPDX-License-Identifier: MIT
#include <maxlat/cli/program.hpp>

int main(int argc, char** argv) {
  return maxlat::cli::program(argc, argv);
}
