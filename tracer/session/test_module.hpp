// SPDX-License-Identifier: MIT
#pragma once

#include <maxlat/trace/probe.hpp>

MAXLAT_TRACE_EVENT(module, shared, (int, n))
