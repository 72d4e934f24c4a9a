// SPDX-License-Identifier: MIT
//
// Loading an arm's shared object (maxlat/npt/plugin.h). It is looked for beside the binary (maxlat-arms/NAME.so: the
// build tree, or a folder that was copied to a target) and in the installed library folder; nowhere else, so that no
// other user's object is ever loaded.
#pragma once

#include <maxlat/npt/plugin.h>

#include <maxlat/core/sys/result.hpp>
#include <string>

namespace maxlat::npt {

// ERRORS (Exit::cannot_run): not built, with the package that was missing; the static binary, which has none; not found
// where it was looked for; its library is not on this box; made for another version.
core::Result<std::string> find_plugin(const std::string& name);
core::Result<const maxlat_npt_plugin*> load_plugin(const std::string& path);

}  // namespace maxlat::npt
