// SPDX-License-Identifier: MIT
//
// What a controller may ask, and the answer, as text: control_protocol.hpp without the socket.
#pragma once

#include <maxlat/base/owned.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace::detail {

struct ControlAnswer {
  std::string text;  // "ok" or "error TEXT", then lines
  std::vector<base::Descriptor> descriptors;
  bool resume = false;  // main() may begin
};

// THREADS: any; takes the control lock as the calls of session.hpp do.
ControlAnswer answer(std::string_view request);

}  // namespace maxlat::trace::detail
