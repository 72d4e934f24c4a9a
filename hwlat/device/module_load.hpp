// SPDX-License-Identifier: MIT
//
// --load FILE: the module, for one run. Loaded by hand before, it stays; loaded by us, it goes again.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>
#include <utility>

namespace maxlat::hwlat {

class LoadedModule {
 public:
  // ERRORS (Exit::cannot_run): why_not_loaded(). A module of that name that is there already is no error.
  static core::Result<LoadedModule> load(const std::string& path);
  LoadedModule(LoadedModule&& other) noexcept : ours_(std::exchange(other.ours_, false)) {}
  LoadedModule& operator=(LoadedModule&&) = delete;
  ~LoadedModule();

  bool was_there() const { return !ours_; }

 private:
  explicit LoadedModule(bool ours) : ours_(ours) {}
  bool ours_;
};

// What an error of finit_module(2) means for a user. `lockdown` as core::lockdown_in_force() tells it.
core::Error why_not_loaded(const std::string& path, int error, const std::string& lockdown);

}  // namespace maxlat::hwlat
