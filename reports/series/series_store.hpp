// SPDX-License-Identifier: MIT
//
// What a series keeps of results, in a data base: an index of one folder, or what a fleet of boxes has sent to one
// place. Three tables, for others to ask, too (maxlat-report(1)):
//
//   maxlat_run_4      a result: place and path (the key), stamp of its file, when, box, plan, verdict, machine
//   maxlat_phase_4    a phase of it, with its figures in nanoseconds; absent: not measured
//   maxlat_machine_4  a group of a machine's values, as JSON, by its key: most runs share theirs
//
// The number at the end of a name is that of the layout, and of what is kept judged (`used`, `how`): who changes either
// raises it, so that programs of two versions do not read each other's.
#pragma once

#include <map>
#include <memory>

#include "series_files.hpp"
#include "series_run.hpp"
#include "sql.hpp"

namespace maxlat::reports {

struct StoredSeriesRun {
  SeriesRun run;
  FileStamp stamp;
};

class SeriesStore {
 public:
  // Makes the tables where they cannot be read. ERRORS: as Sql.
  static core::Result<SeriesStore> open(std::unique_ptr<Sql> sql);

  // The files that it knows of one place.
  core::Result<std::map<std::string, FileStamp>> known(const std::string& place);
  // In one transaction: forgets these paths of the place, and takes those runs (whose place it is).
  core::Status change(const std::string& place, const std::vector<std::string>& gone,
                      const std::vector<StoredSeriesRun>& read);
  // Of all places.
  core::Result<std::vector<SeriesRun>> runs(MachineGroups& groups);

 private:
  explicit SeriesStore(std::unique_ptr<Sql> sql) : sql_(std::move(sql)) {}
  core::Status written(const std::string& place, const std::vector<std::string>& gone,
                       const std::vector<StoredSeriesRun>& read);
  std::unique_ptr<Sql> sql_;
};

}  // namespace maxlat::reports
