// SPDX-License-Identifier: MIT
//
// A data base that takes statements: SQLite's file beside the results, or a PostgreSQL server that a fleet writes to.
// Both take the same statements (series_store.cpp); what they differ by is in sqlite.cpp and postgresql.cpp.
//
// STATEMENTS number their values $1, $2 ..., each once and in this order. Text is UTF-8 without NUL; sql_text() makes
// any bytes so.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace maxlat::reports {

// The first is NULL.
using SqlValue = std::variant<std::monostate, int64_t, double, std::string>;
using SqlRow = std::vector<SqlValue>;

class Sql {
 public:
  virtual ~Sql() = default;
  // ERRORS: what the data base says, and which one it is.
  virtual core::Result<std::vector<SqlRow>> run(std::string_view statement, std::span<const SqlValue> values = {}) = 0;
  // Everything until "COMMIT" is written whole or not at all; another writer waits.
  virtual core::Status begin_writing() = 0;
};

// ERRORS: no such folder, not a data base, locked by another program for more than a second.
core::Result<std::unique_ptr<Sql>> open_sqlite(const std::string& path);
// ERRORS: no server, refused; cannot_run where this program was linked without PostgreSQL's library.
core::Result<std::unique_ptr<Sql>> open_postgresql(const std::string& url);
// "postgresql://..." or "postgres://...".
bool is_postgresql(std::string_view store);

// A data base gives a number in its own way, as a number or as its digits.
std::optional<double> number_of(const SqlValue& value);
int64_t count_of(const SqlValue& value);  // 0 for NULL
std::string text_of(const SqlValue& value);
SqlValue value_of(const std::optional<double>& number);

// Bytes that are no UTF-8, and NUL, as \xHH.
std::string sql_text(std::string_view text);

}  // namespace maxlat::reports
