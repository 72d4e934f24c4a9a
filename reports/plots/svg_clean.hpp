// SPDX-License-Identifier: MIT
//
// gnuplot's SVG, made fit to stand inside a page.
//
//   as gnuplot writes it                               in the page
//   XML prologue, <title>, <desc> of its own           gone; the plot's title and description instead, named by aria
//   ids "gnuplot_canvas", "gpPt0", "hpattern" in       every id begins with the plot's own, and so does every reference
//     each file: twice in a page, the second refers to the first
//   symbols and filters that nothing refers to         gone
//   empty groups around every pen change               gone (about a third of the file)
//   font-family on every text                          gone: the page's font
//   black, white, grid grey, palette colours           currentColor and CSS variables, so that a dark page can have
//                                                      others
//
// The text is parsed, not searched: what is not well-formed is refused.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>

#include "plot.hpp"

namespace maxlat::reports {

// REQUIRES: `id` is unique in the page, and an XML name. ERRORS: not well-formed, no <svg>.
core::Result<std::string> clean_svg(const std::string& svg, std::string_view id, const Plot& plot);

}  // namespace maxlat::reports
