// SPDX-License-Identifier: MIT
//
// base/result.hpp under the name by which the tools know it. It lives on the ground floor because the embedded tracer,
// which stands on base alone, has borders that a user can reach, too.
#pragma once

#include <maxlat/base/result.hpp>

namespace maxlat::core {

using base::cannot_run;
using base::Error;
using base::Exit;
using base::Result;
using base::Status;
using base::system_error;

}  // namespace maxlat::core
