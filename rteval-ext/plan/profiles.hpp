// SPDX-License-Identifier: MIT
//
// The built-in plans: the texts of plans/*.toml, embedded when maxlat is built, so that one file is enough on a target.
#pragma once

#include <span>
#include <string_view>

namespace maxlat::rteval_ext {

struct Profile {
  std::string_view name;
  std::string_view text;  // TOML
};

std::span<const Profile> profiles();
const Profile* find_profile(std::string_view name);  // null when there is none

}  // namespace maxlat::rteval_ext
