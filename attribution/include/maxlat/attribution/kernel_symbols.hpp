// SPDX-License-Identifier: MIT
//
// Names of the kernel's functions (/proc/kallsyms): those that are asked for, in one pass over its quarter of a million
// lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace maxlat::attribution {

// Fills in the names of the addresses that are the keys. `functions` begin there, of several names the first. `callers`
// lie within functions: the name of the one that begins before; what begins more than a page before is not it. One that
// is not told stays "".
void name_symbols(std::istream& kallsyms, std::map<uint64_t, std::string>& functions,
                  std::map<uint64_t, std::string>& callers);

// How many functions have that name, those of modules, too. Nothing: nobody tells.
std::optional<size_t> count_functions(std::istream& kallsyms, std::string_view name);

// `name` and behind it that of the function at `address`; 0: there is none.
std::string with_function(std::string name, uint64_t address, const std::map<uint64_t, std::string>& functions);

}  // namespace maxlat::attribution
