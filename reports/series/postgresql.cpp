// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <libpq-fe.h>

#include <maxlat/core/sys/text.hpp>

#include "sql.hpp"

namespace maxlat::reports {
namespace {

constexpr const char* kPatience_s = "10";  // with a host that does not answer
constexpr const char* kUrlHint = "--store postgresql://USER@HOST/DATABASE; a password belongs in ~/.pgpass";

struct EndConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct ClearAnswer {
  void operator()(PGresult* answer) const { PQclear(answer); }
};

// libpq's messages have several lines, the first of which says what is wrong.
core::Error postgresql_error(const char* message) {
  std::string_view text = message == nullptr ? "" : message;
  text = text.substr(0, text.find('\n'));
  return {fmt::format("PostgreSQL: {}", text.empty() ? "no answer" : core::printable(text)), kUrlHint};
}

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

// libpq's own message repeats the URL, and with it the password.
core::Status check_url(const std::string& url) {
  if (std::unique_ptr<PQconninfoOption, FreeOptions>(PQconninfoParse(url.c_str(), nullptr))) return {};
  return core::Error{"PostgreSQL: the URL is malformed; it is not repeated here, for it may hold a password", kUrlHint};
}

// As the server reads it. Its type follows from the column.
std::optional<std::string> sent(const SqlValue& value) {
  if (const auto* count = std::get_if<int64_t>(&value)) return fmt::format("{}", *count);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::nullopt;
}

class Postgresql : public Sql {
 public:
  explicit Postgresql(PGconn* connection) : connection_(connection) {}

  core::Result<std::vector<SqlRow>> run(std::string_view statement, std::span<const SqlValue> values) override {
    std::vector<std::optional<std::string>> texts;
    std::vector<const char*> pointers;
    for (const SqlValue& value : values) texts.push_back(sent(value));
    for (const auto& text : texts) pointers.push_back(text ? text->c_str() : nullptr);
    const std::unique_ptr<PGresult, ClearAnswer> answer(PQexecParams(connection_.get(), std::string(statement).c_str(),
                                                                     static_cast<int>(pointers.size()), nullptr,
                                                                     pointers.data(), nullptr, nullptr, 0));
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status == PGRES_COMMAND_OK) return std::vector<SqlRow>();
    if (status != PGRES_TUPLES_OK) return postgresql_error(PQerrorMessage(connection_.get()));
    std::vector<SqlRow> rows(static_cast<size_t>(PQntuples(answer.get())));
    for (int row = 0; row < PQntuples(answer.get()); ++row)
      for (int column = 0; column < PQnfields(answer.get()); ++column) {
        SqlValue& value = rows[static_cast<size_t>(row)].emplace_back();
        if (PQgetisnull(answer.get(), row, column) == 0)
          value.emplace<std::string>(PQgetvalue(answer.get(), row, column));
      }
    return rows;
  }

  // One writer at a time, also while the tables are made: two that make them at once would fail.
  core::Status begin_writing() override {
    for (const char* statement : {"BEGIN", "SELECT pg_advisory_xact_lock(7233193)"})  // "maxlat" has this number
      if (const auto done = run(statement, {}); !done) return done.error();
    return {};
  }

  PGconn* connection() const { return connection_.get(); }

 private:
  std::unique_ptr<PGconn, EndConnection> connection_;
};

}  // namespace

core::Result<std::unique_ptr<Sql>> open_postgresql(const std::string& url) {
  if (const core::Status well_formed = check_url(url); !well_formed) return well_formed.error();
  // The URL comes last, so that a time that it names counts.
  const char* const names[] = {"connect_timeout", "fallback_application_name", "dbname", nullptr};
  const char* const values[] = {kPatience_s, "maxlat", url.c_str(), nullptr};
  auto server = std::make_unique<Postgresql>(PQconnectdbParams(names, values, 1));
  if (PQstatus(server->connection()) != CONNECTION_OK) return postgresql_error(PQerrorMessage(server->connection()));
  // A notice ("relation exists, skipping") is not for the user's terminal.
  PQsetNoticeProcessor(
      server->connection(), [](void*, const char*) {}, nullptr);
  if (PQsetClientEncoding(server->connection(), "UTF8") != 0)
    return postgresql_error(PQerrorMessage(server->connection()));
  return std::unique_ptr<Sql>(std::move(server));
}

}  // namespace maxlat::reports
