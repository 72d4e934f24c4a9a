// SPDX-License-Identifier: MIT
#include <charconv>
#include <istream>
#include <maxlat/attribution/kernel_symbols.hpp>

namespace maxlat::attribution {
namespace {

constexpr uint64_t kLongestFunction = 4096;

struct Symbol {
  uint64_t address = 0;  // 0: they are hidden (kptr_restrict), or it is no line of a symbol
  char type = 0;
  std::string_view name{};
};

// "ffffffff81000010 t tick_nohz_handler", of a module's "... t name\t[module]"
Symbol symbol_of(std::string_view line) {
  Symbol symbol;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), symbol.address, 16);
  const auto name = static_cast<size_t>(end - line.data()) + 3;  // " t "
  if (error != std::errc{} || name >= line.size()) return {};
  symbol.type = line[name - 2];
  symbol.name = line.substr(name, line.find_first_of("\t ", name) - name);
  return symbol;
}

bool is_code(char type) {
  return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

// The lines are not in the order of the addresses: of each caller the nearest beginning so far.
void name_callers_behind(const Symbol& symbol, std::map<uint64_t, std::string>& callers,
                         std::map<uint64_t, uint64_t>& nearest) {
  for (auto caller = callers.lower_bound(symbol.address);
       caller != callers.end() && caller->first - symbol.address < kLongestFunction; ++caller) {
    uint64_t& begins = nearest[caller->first];
    if (symbol.address <= begins) continue;
    begins = symbol.address;
    caller->second = symbol.name;
  }
}

}  // namespace

void name_symbols(std::istream& kallsyms, std::map<uint64_t, std::string>& functions,
                  std::map<uint64_t, std::string>& callers) {
  if (functions.empty() && callers.empty()) return;
  std::map<uint64_t, uint64_t> nearest;
  for (std::string line; std::getline(kallsyms, line);) {
    const Symbol symbol = symbol_of(line);
    if (symbol.address == 0) continue;
    const auto wanted = functions.find(symbol.address);
    if (wanted != functions.end() && wanted->second.empty()) wanted->second = symbol.name;
    if (is_code(symbol.type)) name_callers_behind(symbol, callers, nearest);
  }
}

std::optional<size_t> count_functions(std::istream& kallsyms, std::string_view name) {
  size_t found = 0, lines = 0;
  for (std::string line; std::getline(kallsyms, line); ++lines) {
    const Symbol symbol = symbol_of(line);
    found += is_code(symbol.type) && symbol.name == name;
  }
  return lines == 0 ? std::nullopt : std::optional(found);
}

std::string with_function(std::string name, uint64_t address, const std::map<uint64_t, std::string>& functions) {
  if (address == 0) return name;
  const auto known = functions.find(address);
  if (!name.empty()) name += " ";
  return name + (known == functions.end() || known->second.empty() ? "of unknown function" : known->second);
}

}  // namespace maxlat::attribution
