// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <maxlat/core/sys/lockdown.hpp>
#include <maxlat/test/temporary_folder.hpp>

namespace maxlat::core {
namespace {

TEST(Lockdown, IsWhatTheKernelHasInBrackets) {
  const test::TemporaryFolder root;
  const auto told = [&](const char* states) {
    root.write("sys/kernel/security/lockdown", states);
    return lockdown_in_force(root.path());
  };
  EXPECT_EQ(lockdown_in_force(root.path()), "") << "a kernel without it";
  EXPECT_EQ(told("[none] integrity confidentiality\n"), "");
  EXPECT_EQ(told("none [integrity] confidentiality\n"), "integrity");
  EXPECT_EQ(told("none integrity [confidentiality]\n"), "confidentiality");
}

}  // namespace
}  // namespace maxlat::core
