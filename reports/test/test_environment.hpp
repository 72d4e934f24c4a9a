// SPDX-License-Identifier: MIT
//
// For tests: a folder that goes away, an environment variable that comes back.
#pragma once

#include <stdlib.h>

#include <maxlat/test/temporary_folder.hpp>
#include <optional>
#include <string>

namespace maxlat::reports::test {

using maxlat::test::TemporaryFolder;

class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~EnvironmentVariable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace maxlat::reports::test
