// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cerrno>
#include <maxlat/base/result.hpp>
#include <memory>
#include <string>

namespace maxlat::base {
namespace {

Result<std::unique_ptr<int>> positive(int value) {
  if (value <= 0) return Error{.text = "not positive", .hint = "try 1", .exit_status = Exit::invalid};
  return std::make_unique<int>(value);
}

TEST(Result, HoldsAValueThatCanOnlyMove) {
  auto result = positive(7);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(**result, 7);
  std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, HoldsAnErrorWithItsExitStatus) {
  const auto result = positive(0);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text, "not positive");
  EXPECT_EQ(result.error().hint, "try 1");
  EXPECT_EQ(result.error().exit_status, Exit::invalid);
}

TEST(Result, StatusIsOkUntilItIsGivenAnError) {
  EXPECT_TRUE(Status().ok());
  EXPECT_FALSE(Status(Error{.text = "x"}).ok());
}

TEST(SystemError, ReadsAsOneSentence) {
  const Error error = system_error("cannot set SCHED_FIFO 95", EPERM, "run as root");
  EXPECT_EQ(error.text, "cannot set SCHED_FIFO 95: operation not permitted");
  EXPECT_EQ(error.hint, "run as root");
  EXPECT_EQ(error.exit_status, Exit::error);
}

}  // namespace
}  // namespace maxlat::base
