// SPDX-License-Identifier: MIT
//
// A mark in the user's own ftrace, and its end: when a measurement meets its limit, the figures are written into
// trace_marker and tracing_on becomes 0, so that the trace ends with what led there. As cyclictest's --tracemark.
//
// Whatever else that trace is set to is the user's: nothing is set here, and nothing undone.
//
// THREADS  strike(): any, from one that measured; the first is written, the others are not. told(), failure(): when no
//          thread strikes any more.
// COST     two writes, behind the measured loop: the files are open before it begins.
#pragma once

#include <atomic>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/result.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace maxlat::attribution {

class TraceMark {
 public:
  // `instance` is a folder in instances/ of tracefs; "": tracefs itself. `root` is "/" in life. ERRORS: no tracefs, or
  // not for us (core::Exit::cannot_run); no such instance.
  static core::Result<std::unique_ptr<TraceMark>> open(const std::string& root, const std::string& instance);

  void strike(std::string_view text) noexcept;

  bool struck() const { return struck_.load(std::memory_order_relaxed); }  // relaxed: whoever struck is joined
  // For a person: where the mark is, or that none was needed.
  std::string told() const;
  // Why the mark or the stop was not written; "" when both were, or none was needed.
  std::string failure() const;

 private:
  TraceMark(std::string where, base::Descriptor marker, base::Descriptor on)
      : where_(std::move(where)), marker_(std::move(marker)), on_(std::move(on)) {}

  const std::string where_;
  const base::Descriptor marker_, on_;
  std::atomic<bool> struck_{false};
  int marker_failure_ = 0, on_failure_ = 0;  // errno
};

}  // namespace maxlat::attribution
