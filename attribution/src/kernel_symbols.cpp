// SPDX-License-Identifier: MIT
#include <charconv>
#include <istream>
#include <maxlat/attribution/kernel_symbols.hpp>

namespace maxlat::attribution {

void name_functions(std::istream& kallsyms, std::map<uint64_t, std::string>& functions) {
  if (functions.empty()) return;
  for (std::string line; std::getline(kallsyms, line);) {
    uint64_t address = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), address, 16);
    if (error != std::errc{} || address == 0) continue;  // 0: they are hidden (kptr_restrict)
    const auto wanted = functions.find(address);
    const auto name = static_cast<size_t>(end - line.data()) + 3;  // " t "
    if (wanted == functions.end() || !wanted->second.empty() || name >= line.size()) continue;
    wanted->second = line.substr(name, line.find_first_of("\t ", name) - name);
  }
}

std::string with_function(std::string name, uint64_t address, const std::map<uint64_t, std::string>& functions) {
  if (address == 0) return name;
  const auto known = functions.find(address);
  if (!name.empty()) name += " ";
  return name + (known == functions.end() || known->second.empty() ? "of unknown function" : known->second);
}

}  // namespace maxlat::attribution
