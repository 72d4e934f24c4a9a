// SPDX-License-Identifier: MIT
//
// Names of threads, as lines for people show them.
#pragma once

#include <maxlat/trace/stream_reader.hpp>
#include <string>

namespace maxlat::trace_tools {

// ' "worker"', or nothing: a thread that nobody named has its program's name, which stands there already.
std::string name_in_text(const trace::TraceStream& stream, const trace::ThreadName& name);
// Of all its names, in the order of time: ' "demo" -> "worker"'. Of many the first and the last.
std::string names_in_text(const trace::TraceStream& stream);
// All of them, as an array.
std::string names_json(const trace::TraceStream& stream);

}  // namespace maxlat::trace_tools
