// SPDX-License-Identifier: MIT
//
// Of the two files of tracer_declared_twice_program: an event that both declare by this header, as is right.
#pragma once

#include <cstdint>
#include <maxlat/trace/probe.hpp>

MAXLAT_TRACE_EVENT(twice, same, (std::uint32_t, a))

void trace_from_other_file();
