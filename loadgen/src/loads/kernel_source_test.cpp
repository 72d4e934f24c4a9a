// SPDX-License-Identifier: MIT
#include "loads/kernel_source.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <maxlat/test/temporary_folder.hpp>
#include <string>

namespace maxlat::loadgen {
namespace {

using testing::HasSubstr;

class KernelSources : public testing::Test {
 protected:
  void tree(const std::string& name) {
    std::filesystem::create_directories(root_ / name);
    root_.write(name + "/Makefile", "all:\n");
  }
  std::string found() {
    const core::Result<std::string> source = find_kernel_source(root_.path());
    return source ? std::filesystem::relative(*source, root_.path()).string() : source.error().text;
  }

  test::TemporaryFolder root_;
};

TEST_F(KernelSources, TheNewestPackageIsTakenUnlessTheUserHasATreeOfTheirOwn) {
  tree("linux-source-6.1");
  tree("linux-source-6.12");
  tree("linux-source-6.2");
  tree("linux-headers-6.19");
  EXPECT_EQ(found(), "linux-source-6.12");
  tree("linux");
  EXPECT_EQ(found(), "linux");
}

TEST_F(KernelSources, APackageThatWasNotUnpackedHasTheCommandForIt) {
  root_.write("linux-source-6.1.tar.xz", "");
  root_.write("linux-source-6.12.tar.xz", "");
  root_.write("linux-source-6.13.patch.xz", "");
  EXPECT_THAT(found(), HasSubstr("load kernel found no source tree of a kernel in "));
  EXPECT_EQ(find_kernel_source(root_.path()).error().hint,
            "tar -C " + root_.path() + " -xf " + (root_ / "linux-source-6.12.tar.xz"));
}

TEST_F(KernelSources, WhereThereIsNothingThePackageIsNamed) {
  std::filesystem::create_directories(root_ / "linux-source-6.1");  // no Makefile
  EXPECT_THAT(find_kernel_source(root_.path()).error().hint, HasSubstr("apt install linux-source"));
  EXPECT_FALSE(find_kernel_source(root_ / "nowhere"));
}

TEST_F(KernelSources, WhatTheUserNamedIsTakenOrRefused) {
  tree("mine");
  EXPECT_EQ(*kernel_source_at(root_ / "mine"), root_ / "mine");
  EXPECT_THAT(kernel_source_at(root_ / "other").error().text, HasSubstr("no such directory"));
  EXPECT_THAT(kernel_source_at(root_.path()).error().text, HasSubstr("has no Makefile"));
}

}  // namespace
}  // namespace maxlat::loadgen
