// SPDX-License-Identifier: MIT
//
// Where the trials of a search for the highest rate write their traces: to memory, so that the rate found is that of
// the tracer and its consumer. A disk takes some hundred MB/s today and others tomorrow (seen on one virtual machine,
// one search after the other: 15, 30 and 21 million events a second). What memory itself does to a rate, and what is
// done about it: prepared_memory.hpp. Where it has not the room, the traces lie where an arm's always do.
//
// Each trial has a folder of its own, which goes with the object; all of them are in an ArmFolder, which the next start
// removes when this one is killed.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>

#include "arms/arm_folder.hpp"

namespace maxlat::npt {

class TrialTraces {
 public:
  // For traces of up to so many bytes, one at a time.
  explicit TrialTraces(std::uint64_t bytes);

  // "memory (/dev/shm)", or why not.
  const std::string& where() const { return where_; }

  class OfOne {
   public:
    explicit OfOne(std::string folder) : folder_(std::move(folder)) {}
    OfOne(OfOne&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
    OfOne& operator=(OfOne&&) = delete;
    ~OfOne();
    // To add to the arm's arguments.
    std::optional<std::string> option() const;

   private:
    std::string folder_;  // empty: where an arm's trace always is
  };
  OfOne next();

 private:
  std::optional<ArmFolder> folder_;
  std::string where_;
  unsigned number_ = 0;
};

}  // namespace maxlat::npt
