// SPDX-License-Identifier: MIT
#include "series_store.hpp"

#include <fmt/format.h>

#include <maxlat/core/machine/hash.hpp>
#include <nlohmann/json.hpp>
#include <set>

namespace maxlat::reports {
namespace {

using nlohmann::json;

constexpr std::string_view kTables[] = {
    "CREATE TABLE IF NOT EXISTS maxlat_run_4 (place TEXT NOT NULL, path TEXT NOT NULL, bytes BIGINT, changed_ns "
    "BIGINT, "
    "id TEXT, started TEXT, time_of_file BIGINT, box TEXT, plan TEXT, verdict TEXT, machine TEXT, "
    "PRIMARY KEY (place, path))",
    "CREATE TABLE IF NOT EXISTS maxlat_phase_4 (place TEXT NOT NULL, path TEXT NOT NULL, number BIGINT NOT NULL, "
    "name TEXT, kind TEXT, how TEXT, used TEXT, why TEXT, samples BIGINT, exposure_s DOUBLE PRECISION, "
    "p50 DOUBLE PRECISION, p90 DOUBLE PRECISION, p99 DOUBLE PRECISION, p99_9 DOUBLE PRECISION, p99_99 DOUBLE "
    "PRECISION, "
    "p99_999 DOUBLE PRECISION, p99_9999 DOUBLE PRECISION, max DOUBLE PRECISION, PRIMARY KEY (place, path, number))",
    "CREATE TABLE IF NOT EXISTS maxlat_machine_4 (key TEXT PRIMARY KEY, name TEXT, content TEXT)",
};
constexpr size_t kFirstFigure = 10;  // of the columns of maxlat_phase_4

std::string placeholders(size_t count) {
  std::string text;
  for (size_t i = 1; i <= count; ++i) text += fmt::format("{}${}", i > 1 ? ", " : "", i);
  return text;
}

SqlValue text_value(std::string_view text) {
  return sql_text(text);
}

// Equal groups have one key, also those without a hash of their own.
std::string machine_key(const core::FingerprintGroup& group, const std::string& content) {
  return sql_text(group.name + " " + core::hash_text(content));
}

std::string content_of(const core::FingerprintGroup& group) {
  json values = json::array();
  for (const auto& [name, value] : group.values) values.push_back({sql_text(name), sql_text(value)});
  return values.dump();
}

core::FingerprintGroup group_from(const std::string& name, const std::string& content) {
  core::FingerprintGroup group{.name = name, .hash = "", .values = {}};
  const json values = json::parse(content, nullptr, false);
  if (!values.is_array()) return group;
  for (const json& pair : values)
    if (pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string())
      group.values.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
  return group;
}

SqlRow phase_row(const SeriesRun& run, size_t number) {
  const SeriesPhase& phase = run.phases[number];
  SqlRow row = {text_value(run.place),
                text_value(run.path),
                static_cast<int64_t>(number),
                text_value(phase.name),
                text_value(phase.kind),
                text_value(phase.how),
                std::string(to_string(phase.use)),
                text_value(phase.why),
                static_cast<int64_t>(phase.samples),
                phase.exposure_s};
  for (const auto& figure : phase.figures_ns) row.push_back(value_of(figure));
  return row;
}

SeriesPhase phase_from(const SqlRow& row) {
  SeriesPhase phase;
  phase.name = text_of(row[3]);
  phase.kind = text_of(row[4]);
  phase.how = text_of(row[5]);
  phase.use = use_of(text_of(row[6]));
  phase.why = text_of(row[7]);
  phase.samples = static_cast<uint64_t>(count_of(row[8]));
  phase.exposure_s = number_of(row[9]).value_or(0);
  for (size_t i = kFirstFigure; i < row.size(); ++i) phase.figures_ns.push_back(number_of(row[i]));
  return phase;
}

}  // namespace

core::Result<SeriesStore> SeriesStore::open(std::unique_ptr<Sql> sql) {
  SeriesStore store(std::move(sql));
  // Who only reads needs no right to make them.
  if (store.sql_->run("SELECT 1 FROM maxlat_run_4, maxlat_phase_4, maxlat_machine_4 LIMIT 0")) return store;
  if (const core::Status begun = store.sql_->begin_writing(); !begun) return begun.error();
  for (const std::string_view table : kTables)
    if (const auto made = store.sql_->run(table); !made) return made.error();
  if (const auto kept = store.sql_->run("COMMIT"); !kept) return kept.error();
  return store;
}

core::Result<std::map<std::string, FileStamp>> SeriesStore::known(const std::string& place) {
  const SqlRow values = {text_value(place)};
  const auto rows = sql_->run("SELECT path, bytes, changed_ns FROM maxlat_run_4 WHERE place = $1", values);
  if (!rows) return rows.error();
  std::map<std::string, FileStamp> known;
  for (const SqlRow& row : *rows) known[text_of(row[0])] = {count_of(row[1]), count_of(row[2])};
  return known;
}

core::Status SeriesStore::change(const std::string& place, const std::vector<std::string>& gone,
                                 const std::vector<StoredSeriesRun>& read) {
  if (gone.empty() && read.empty()) return {};
  if (const core::Status begun = sql_->begin_writing(); !begun) return begun;
  if (const core::Status done = written(place, gone, read); !done) {
    (void)sql_->run("ROLLBACK");
    return done;
  }
  const auto kept = sql_->run("COMMIT");
  return kept ? core::Status() : kept.error();
}

core::Status SeriesStore::written(const std::string& place, const std::vector<std::string>& gone,
                                  const std::vector<StoredSeriesRun>& read) {
  core::Status status;
  const auto run = [&](std::string_view statement, const SqlRow& values) {
    if (!status) return;
    if (const auto done = sql_->run(statement, values); !done) status = done.error();
  };
  const auto forget = [&](const std::string& path) {
    for (const char* table : {"DELETE FROM maxlat_phase_4 WHERE place = $1 AND path = $2",
                              "DELETE FROM maxlat_run_4 WHERE place = $1 AND path = $2"})
      run(table, {text_value(place), text_value(path)});
  };
  for (const std::string& path : gone) forget(path);
  const std::string add_run = "INSERT INTO maxlat_run_4 VALUES (" + placeholders(11) + ")";
  const std::string add_phase =
      "INSERT INTO maxlat_phase_4 VALUES (" + placeholders(kFirstFigure + series_figures().size()) + ")";
  std::set<std::string> kept;  // keys of groups
  for (const auto& [one, stamp] : read) {
    forget(one.path);
    json keys = json::array();
    for (const auto& group : one.machine) {
      const std::string content = content_of(*group), key = machine_key(*group, content);
      keys.push_back(key);
      if (kept.insert(key).second)
        run("INSERT INTO maxlat_machine_4 VALUES ($1, $2, $3) ON CONFLICT (key) DO NOTHING",
            {key, text_value(group->name), content});
    }
    run(add_run, {text_value(one.place), text_value(one.path), stamp.bytes, stamp.changed_ns, text_value(one.id),
                  text_value(one.started), int64_t{one.time_of_file}, text_value(one.box), text_value(one.plan),
                  text_value(one.verdict), keys.dump()});
    for (size_t i = 0; i < one.phases.size(); ++i) run(add_phase, phase_row(one, i));
  }
  return status;
}

core::Result<std::vector<SeriesRun>> SeriesStore::runs(MachineGroups& groups) {
  const auto machine_rows = sql_->run("SELECT key, name, content FROM maxlat_machine_4");
  if (!machine_rows) return machine_rows.error();
  std::map<std::string, std::shared_ptr<const core::FingerprintGroup>> by_key;
  for (const SqlRow& row : *machine_rows)
    by_key[text_of(row[0])] = groups.shared(group_from(text_of(row[1]), text_of(row[2])));

  const auto rows = sql_->run(
      "SELECT place, path, id, started, time_of_file, box, plan, verdict, machine FROM maxlat_run_4 ORDER BY place, "
      "path");
  if (!rows) return rows.error();
  std::vector<SeriesRun> runs;
  std::map<std::pair<std::string, std::string>, size_t> at;
  for (const SqlRow& row : *rows) {
    at[{text_of(row[0]), text_of(row[1])}] = runs.size();
    SeriesRun& run = runs.emplace_back();
    run.place = text_of(row[0]);
    run.path = text_of(row[1]);
    run.id = text_of(row[2]);
    run.started = text_of(row[3]);
    run.time_of_file = count_of(row[4]) != 0;
    run.box = text_of(row[5]);
    run.plan = text_of(row[6]);
    run.verdict = text_of(row[7]);
    const json keys = json::parse(text_of(row[8]), nullptr, false);
    for (const json& key : keys.is_array() ? keys : json::array())
      if (const auto found = by_key.find(key.is_string() ? key.get<std::string>() : ""); found != by_key.end())
        run.machine.push_back(found->second);
  }
  const auto phases = sql_->run("SELECT * FROM maxlat_phase_4 ORDER BY place, path, number");
  if (!phases) return phases.error();
  for (const SqlRow& row : *phases)
    if (const auto found = at.find({text_of(row[0]), text_of(row[1])}); found != at.end())
      runs[found->second].phases.push_back(phase_from(row));
  return runs;
}

}  // namespace maxlat::reports
