// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <maxlat/core/sys/kernel_release.hpp>
#include <optional>
#include <string>

namespace maxlat::core {
namespace {

TEST(KernelRelease, IsOrderedByNumber) {
  EXPECT_EQ(kernel_release("6.12.95+deb12-rt-amd64"), (KernelRelease{6, 12}));
  EXPECT_EQ(kernel_release("6.1\n"), (KernelRelease{6, 1}));
  EXPECT_LT(*kernel_release("6.9.0"), *kernel_release("6.12.0"));
  EXPECT_LT(*kernel_release("6.18"), *kernel_release("7.0-rc1"));
}

TEST(KernelRelease, IsNothingElse) {
  for (const std::string text : {"", "6", "6.", "6.x", ".1", "x6.1", " 6.1", "-6.1"})
    EXPECT_EQ(kernel_release(text), std::nullopt) << text;
}

}  // namespace
}  // namespace maxlat::core
