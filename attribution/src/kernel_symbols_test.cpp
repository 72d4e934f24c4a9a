// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/attribution/kernel_symbols.hpp>
#include <sstream>

namespace maxlat::attribution {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(KernelSymbols, WhatIsAskedForHasItsFirstName) {
  std::istringstream kallsyms(
      "0000000000000000 t hidden\nffffffff81000010 T tick_nohz_handler\nffffffff81000010 t an_alias\n"
      "ffffffffc0000020 t of_module\t[mod]\nbroken\nffffffff81000030\n");
  std::map<uint64_t, std::string> functions{
      {0xffffffff81000010, ""}, {0xffffffffc0000020, ""}, {0xffffffff81000030, ""}, {0xffffffff81000040, ""}};
  std::map<uint64_t, std::string> nobody;
  name_symbols(kallsyms, functions, nobody);
  EXPECT_THAT(functions, ElementsAre(Pair(0xffffffff81000010, "tick_nohz_handler"), Pair(0xffffffff81000030, ""),
                                     Pair(0xffffffff81000040, ""), Pair(0xffffffffc0000020, "of_module")));
}

TEST(KernelSymbols, ACallerIsInTheFunctionThatBeginsBeforeIt) {
  std::istringstream kallsyms(
      "ffffffff81002000 T behind\nffffffff81000100 T try_to_wake_up\nffffffff81000100 t an_alias\n"
      "ffffffff81000180 d no_code\nffffffff81000000 T before\n0000000000000000 t hidden\n");
  std::map<uint64_t, std::string> callers{{0xffffffff81000190, ""}, {0xffffffff81000100, ""}, {0xffffffff81001900, ""}};
  std::map<uint64_t, std::string> nobody;
  name_symbols(kallsyms, nobody, callers);
  EXPECT_THAT(callers, ElementsAre(Pair(0xffffffff81000100, "try_to_wake_up"),
                                   Pair(0xffffffff81000190, "try_to_wake_up"), Pair(0xffffffff81001900, "")));
}

// A defect: the kernel made its quarter of a million lines once for each of the two.
TEST(KernelSymbols, BothAreNamedInOnePass) {
  std::istringstream kallsyms("ffffffff81000010 T tick_nohz_handler\nffffffff81000100 T try_to_wake_up\n");
  std::map<uint64_t, std::string> functions{{0xffffffff81000010, ""}}, callers{{0xffffffff81000123, ""}};
  name_symbols(kallsyms, functions, callers);
  EXPECT_THAT(functions, ElementsAre(Pair(0xffffffff81000010, "tick_nohz_handler")));
  EXPECT_THAT(callers, ElementsAre(Pair(0xffffffff81000123, "try_to_wake_up")));
}

TEST(KernelSymbols, FunctionsOfANameAreCounted) {
  const auto count = [](const char* name) {
    std::istringstream kallsyms(
        "0000000000000000 t hidden\nffffffff81000010 T twice\nffffffffc0000020 t twice\t[mod]\n"
        "ffffffff81000030 W weak\nffffffff81000040 d twice\nffffffff81000050 t twice_more\nbroken\n");
    return count_functions(kallsyms, name);
  };
  EXPECT_EQ(count("twice"), 2u);
  EXPECT_EQ(count("hidden"), 1u);
  EXPECT_EQ(count("weak"), 1u);
  EXPECT_EQ(count("broken"), 0u);
  std::istringstream nothing;
  EXPECT_EQ(count_functions(nothing, "twice"), std::nullopt);
}

}  // namespace
}  // namespace maxlat::attribution
