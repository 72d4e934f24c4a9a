// SPDX-License-Identifier: MIT
//
// In the place of postgresql.cpp in the static binary: Debian's libpq needs archives that Debian does not have.
#include "sql.hpp"

namespace maxlat::reports {

core::Result<std::unique_ptr<Sql>> open_postgresql(const std::string&) {
  return core::cannot_run("this maxlat is linked statically, and has no PostgreSQL",
                          "use one that ./validate builds, or --store FILE for SQLite");
}

}  // namespace maxlat::reports
