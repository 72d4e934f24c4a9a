// SPDX-License-Identifier: MIT
//
// The kernel at its worst: a write page by page, and after each page somebody looks at the file. A write of less than a
// page that does not cross into the next is the one thing that it does not divide.
#pragma once

#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace maxlat::trace::test {

// As pwritev(2). look(end): the file was written up to byte `end`; false ends the write with an error.
template <class Look>
ssize_t write_by_pages(int file, const iovec* parts, int count, off_t at, Look&& look) {
  constexpr std::size_t kPage = 4096;
  std::string all;
  for (int i = 0; i < count; ++i) all.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  for (std::size_t done = 0; done < all.size();) {
    const std::size_t now = std::min(all.size() - done, kPage - (static_cast<std::size_t>(at) + done) % kPage);
    EXPECT_EQ(pwrite(file, all.data() + done, now, at + static_cast<off_t>(done)), static_cast<ssize_t>(now));
    done += now;
    if (!look(static_cast<std::size_t>(at) + done)) return -1;
  }
  return static_cast<ssize_t>(all.size());
}

}  // namespace maxlat::trace::test
