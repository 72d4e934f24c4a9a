// SPDX-License-Identifier: MIT
#include "sensors/merged_lists_printer.hpp"

#include <fmt/format.h>

#include <maxlat/core/sys/counted.hpp>

namespace maxlat::trace_tools {

void MergedListsPrinter::add_loss(std::size_t list, std::uint64_t posts, std::string& text) const {
  if (posts != 0) text += fmt::format("--- {} lost of {}\n", core::counted(posts, "event"), lists_.lists()[list].name);
}

void MergedListsPrinter::add(const sensors::MergedEvent& one, std::string& text) {
  add_loss(one.list, one.lost_before, text);
  auto printer = printers_.find(one.list);
  if (printer == printers_.end()) {
    const auto& types = lists_.merge().types(one.list);
    printer = printers_.try_emplace(one.list, types, PrintStyle{}, lists_.lists()[one.list].name).first;
  }
  text += printer->second.text(one.event, clock_.realtime_ns(one.event.ticks)) + "\n";
}

std::string MergedListsPrinter::look(const ChosenSensors& chosen) {
  std::string text;
  clock_.read_again();
  lists_.look(chosen);
  lists_.round([&](const sensors::MergedEvent& one) { add(one, text); });
  return text;
}

std::string MergedListsPrinter::rest() {
  std::string text;
  clock_.read_again();
  lists_.finish([&](const sensors::MergedEvent& one) { add(one, text); });
  for (std::size_t list = 0; list < lists_.lists().size(); ++list)
    add_loss(list, lists_.merge().lost_since_last(list), text);
  return text;
}

}  // namespace maxlat::trace_tools
