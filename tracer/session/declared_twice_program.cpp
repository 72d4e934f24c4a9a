// SPDX-License-Identifier: MIT
// Declares twice:event, as declared_otherwise_program.cpp does differently, and clash_a:b beside its clash:a_b:
// nobody may trace them, and the program says so.
#include <cstdio>
#include <maxlat/trace/session.hpp>

#include "session/test_declared_twice.hpp"

MAXLAT_TRACE_EVENT(twice, event, (std::uint32_t, a), (std::uint32_t, b))
MAXLAT_TRACE_EVENT(clash_a, b, (std::uint32_t, a))

int main() {
  using maxlat::trace::Session;
  auto session = Session::create({.name = "twice"});
  if (!session || !session->add_channel({}) || !session->enable("channel0", "*:*") || !session->start()) return 1;
  MAXLAT_TRACE(twice, event, 1, 2);
  MAXLAT_TRACE(twice, same, 3);
  MAXLAT_TRACE(clash_a, b, 4);
  trace_from_other_file();
  if (!session->stop()) return 1;
  std::printf("%d recorded\n", static_cast<int>(session->status().channels[0].books.recorded));
}
