// SPDX-License-Identifier: MIT
//
// Limits in TOML, as plans and gate files have them. Both read them here, so that one limit is spelled one way.
#pragma once

#include <maxlat/core/sys/toml_reader.hpp>
#include <maxlat/reports/rule.hpp>
#include <string>
#include <vector>

namespace maxlat::reports {

// A limit of a plan or a gate: max = "50us", max_ns = 50000, load_alive = true. Of every phase ("*"); the caller knows
// better. Throws a core::TomlMistake, as the functions of toml_reader.hpp do.
Rule toml_limit(const toml::node& value, const std::string& key);
// The [phase.limits] of a plan. Throws as above.
std::vector<Rule> toml_limits_of_phase(const toml::node& limits, const std::string& phase);
// Hard limits as a gate file has them, each a [[limits]] of its own. REQUIRES: rules that make_rule() made.
std::string limits_as_toml(const std::vector<Rule>& rules);

}  // namespace maxlat::reports
