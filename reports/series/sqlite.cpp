// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "sql.hpp"

namespace maxlat::reports {
namespace {

constexpr int kPatience_ms = 1000;  // with another program that holds the file

struct CloseSqlite {
  void operator()(sqlite3* data_base) const { sqlite3_close_v2(data_base); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

SqlValue column_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_NULL:
      return {};
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
    }
  }
}

int bind(sqlite3_stmt* statement, int at, const SqlValue& value) {
  if (const auto* count = std::get_if<int64_t>(&value)) return sqlite3_bind_int64(statement, at, *count);
  if (const auto* number = std::get_if<double>(&value)) return sqlite3_bind_double(statement, at, *number);
  if (const auto* text = std::get_if<std::string>(&value))
    return sqlite3_bind_text(statement, at, text->data(), static_cast<int>(text->size()), SQLITE_STATIC);
  return sqlite3_bind_null(statement, at);
}

class Sqlite : public Sql {
 public:
  Sqlite(std::string path, sqlite3* data_base) : path_(std::move(path)), data_base_(data_base) {}

  core::Result<std::vector<SqlRow>> run(std::string_view text, std::span<const SqlValue> values) override {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(data_base_.get(), text.data(), static_cast<int>(text.size()), &prepared, nullptr) !=
        SQLITE_OK)
      return error();
    const std::unique_ptr<sqlite3_stmt, EndStatement> statement(prepared);
    for (size_t i = 0; i < values.size(); ++i)
      if (bind(prepared, static_cast<int>(i) + 1, values[i]) != SQLITE_OK) return error();
    std::vector<SqlRow> rows;
    for (;;) {
      const int step = sqlite3_step(prepared);
      if (step == SQLITE_DONE) return rows;
      if (step != SQLITE_ROW) return error();
      SqlRow& row = rows.emplace_back();
      for (int column = 0; column < sqlite3_column_count(prepared); ++column)
        row.push_back(column_of(prepared, column));
    }
  }

  // Takes the lock at once: two that read first and write later would stop each other.
  core::Status begin_writing() override {
    const auto begun = run("BEGIN IMMEDIATE", {});
    return begun ? core::Status() : begun.error();
  }

  core::Error error() const {
    const int code = sqlite3_errcode(data_base_.get()) & 0xff;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
      return {fmt::format("{} is locked by another program", path_), "wait for its end, or use --no-store"};
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
      return {fmt::format("{} is damaged, or is no SQLite file", path_), "delete it if it is ours: it is made again"};
    return {fmt::format("{}: {}", path_, sqlite3_errmsg(data_base_.get())), "use --no-store, or another file"};
  }

 private:
  std::string path_;
  std::unique_ptr<sqlite3, CloseSqlite> data_base_;
};

}  // namespace

core::Result<std::unique_ptr<Sql>> open_sqlite(const std::string& path) {
  // NOFOLLOW refuses a link anywhere in the path; only the file itself must be none.
  namespace fs = std::filesystem;
  const fs::path given = fs::absolute(path);
  std::error_code missing;
  const fs::path folder = fs::canonical(given.parent_path(), missing);
  const std::string file = missing ? path : (folder / given.filename()).string();
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
  const int status = sqlite3_open_v2(file.c_str(), &opened, flags, nullptr);
  auto data_base = std::make_unique<Sqlite>(path, opened);  // also of one that could not be opened
  if (status != SQLITE_OK) return data_base->error();
  sqlite3_busy_timeout(opened, kPatience_ms);
  return std::unique_ptr<Sql>(std::move(data_base));
}

}  // namespace maxlat::reports
