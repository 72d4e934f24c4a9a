// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <gtest/gtest.h>

#include <maxlat/base/owned.hpp>

namespace {

using maxlat::base::Descriptor;
using maxlat::base::Mapping;

bool is_open(int number) {
  return fcntl(number, F_GETFD) >= 0;
}

TEST(Owned, ADescriptorIsClosedWithItsLastOwnerAndNotBefore) {
  int number = -1;
  {
    Descriptor last;
    {
      Descriptor first(open("/dev/null", O_RDONLY | O_CLOEXEC));
      ASSERT_TRUE(first);
      number = first.number();
      last = std::move(first);
    }
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Owned, WhatIsReleasedStaysOpen) {
  const int number = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)).release();
  EXPECT_TRUE(is_open(number));
  close(number);
}

// What a function returns in errno must not be that of a close() on the way out.
TEST(Owned, ErrnoStaysThoughGivingBackFails) {
  errno = ENOENT;
  { const Descriptor nobodys(1 << 30); }
  EXPECT_EQ(errno, ENOENT);
  { const Mapping nobodys(reinterpret_cast<void*>(1), 1); }
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
