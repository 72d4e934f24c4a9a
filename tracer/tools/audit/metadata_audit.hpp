// SPDX-License-Identifier: MIT
//
// The part of the audit (trace_audit.hpp) that looks at the metadata. Our reader knows by their names how wide types
// are and how they are aligned; others go by what is declared, and read something else where that is not so.
#pragma once

#include <maxlat/trace/trace_description.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

// What other readers would read otherwise.
std::vector<std::string> audit_metadata(const trace::TraceProcess& process);

}  // namespace maxlat::trace_tools
