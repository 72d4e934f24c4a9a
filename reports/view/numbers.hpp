// SPDX-License-Identifier: MIT
//
// Numbers as a reader wants them on the page: "4.56 µs", "1 203 980", "1.2 × 10⁹". The terminal uses core's plain
// ASCII.
#pragma once

#include <cstdint>
#include <string>

namespace maxlat::reports {

std::string latency_html(double ns);            // "4.56 µs", three figures, a narrow space before the unit
std::string with_micro_sign(std::string text);  // "85.0 us" -> "85.0 µs", also within a sentence
std::string grouped(uint64_t count);            // "1 203 980", thin spaces
std::string about(double number);               // "840", "12 500", "1.2 × 10⁹": two figures, for words
std::string seconds_html(double seconds);       // "84.3 s", "2.5 h": for exposure
std::string decade_label(double ns);            // "10 ns", "1 µs", "100 ms": for axes
std::string count_label(double count);          // "1", "10 k", "1 M", "10 G": for axes

}  // namespace maxlat::reports
