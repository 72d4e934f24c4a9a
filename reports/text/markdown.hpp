// SPDX-License-Identifier: MIT
//
// Markdown as merge requests of GitHub and GitLab show it. Every text is escaped: what a program or a user wrote is no
// markup.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace maxlat::reports {

std::string markdown_text(std::string_view text);  // one line
// A column whose name begins with '#' is of numbers, to the right. Cells are escaped here.
std::string markdown_table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows);

}  // namespace maxlat::reports
