// SPDX-License-Identifier: MIT
// Stands in for libFuzzer where the compiler has none: random inputs from a stored seed. Usage: PROGRAM [-runs=N]
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

int main(int argc, char** argv) {
  long runs = 20000;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "-runs=", 6) == 0) runs = std::atol(argv[i] + 6);
  }
  std::mt19937_64 random(1);
  std::vector<std::uint8_t> input;
  for (long run = 0; run < runs; ++run) {
    input.resize(random() % 64);
    // Half of all bytes are 0 or 255 and half small: sizes and counters live there.
    for (auto& byte : input) {
      const std::uint64_t dice = random();
      byte = static_cast<std::uint8_t>(dice % 4 == 0   ? 0
                                       : dice % 4 == 1 ? 255
                                       : dice % 4 == 2 ? dice >> 60
                                                       : dice >> 56);
    }
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%ld runs\n", runs);
}
