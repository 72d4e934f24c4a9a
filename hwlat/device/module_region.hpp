// SPDX-License-Identifier: MIT
//
// The reader's side of one CPU's region (module_abi.h, "Layout of a mapping" and "Reading the ring").
//
// The module overwrites the oldest record and never waits; so poll() is called often enough that nothing is overwritten
// (2048 records in 100 ms are a gap every 50 us), and what was is counted. Of the records the largest are kept, of the
// seconds all: 9.7 MB in a week.
//
// THREADS: one reader. The writer is the CPU that samples.
#pragma once

#include <maxlat/base/histogram.h>
#include <maxlat/hwlat/module_abi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace maxlat::hwlat {

class ModuleRegion {
 public:
  // `region` outlives this object. `largest`: how many records are kept.
  ModuleRegion(const std::byte* region, size_t largest) : region_(region), largest_(largest) {}

  // False: it is not a region of this version of the module.
  bool valid() const;
  // Takes in what is new.
  void poll();

  maxlat_hwlat_cpu header() const;  // a copy; each word is one that was written
  // While the CPU samples its moments lag (base::Histogram::copy_of_growing).
  const maxlat_histogram& histogram() const;
  std::vector<maxlat_hwlat_record> kept_in_order_of_time() const;
  uint64_t overwritten() const { return overwritten_; }  // records that nobody read in time
  // Largest gap of each second since START, in ticks; 0 where none was watched.
  const std::vector<uint64_t>& seconds() const { return seconds_; }

 private:
  void poll_records();
  void poll_seconds();
  void keep(const maxlat_hwlat_record& record);

  const std::byte* region_;
  size_t largest_;
  uint64_t read_ = 0;  // number of the last record that was looked at
  uint64_t overwritten_ = 0;
  std::vector<maxlat_hwlat_record> kept_;  // a heap, the smallest on top
  std::vector<uint64_t> seconds_;
};

// The whole gap: what the histogram has counted.
inline uint64_t gap_ns(const maxlat_hwlat_record& record) {
  return record.inner_ns + record.outer_ns;
}

}  // namespace maxlat::hwlat
