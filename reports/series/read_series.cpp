// SPDX-License-Identifier: MIT
#include "read_series.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/utc.hpp>

#include "series_store.hpp"

namespace maxlat::reports {
namespace {

namespace fs = std::filesystem;

std::string time_of(const FileStamp& stamp) {
  return core::utc_text(std::chrono::nanoseconds(stamp.changed_ns));
}

// Several boxes may have results in a folder of the same name.
std::string place_of(const std::string& folder) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::error_code ignored;
  return fmt::format("{}:{}", host.data(), fs::weakly_canonical(folder, ignored).string());
}

// Reads files, and remembers what could not be read.
class ResultReader {
 public:
  ResultReader(const std::string& folder, std::string place, MachineGroups& groups, SeriesRuns& into)
      : folder_(folder), place_(std::move(place)), groups_(groups), into_(into) {}

  std::optional<StoredSeriesRun> read(const JsonFile& file) {
    const std::string path = (fs::path(folder_) / file.path).string();
    if (!may_be_a_result(path)) return std::nullopt;
    const auto run = core::read_run(path);
    if (!run) {
      into_.unread.push_back(run.error().text);
      return std::nullopt;
    }
    StoredSeriesRun kept{series_run(*run, groups_), file.stamp};
    kept.run.place = place_;
    kept.run.path = file.path;
    kept.run.time_of_file = kept.run.started.empty();
    if (kept.run.time_of_file) kept.run.started = time_of(file.stamp);
    ++into_.read;
    return kept;
  }

  void read_all(const std::vector<JsonFile>& files) {
    for (const JsonFile& file : files)
      if (auto kept = read(file)) into_.runs.push_back(std::move(kept->run));
  }

 private:
  const std::string& folder_;
  std::string place_;
  MachineGroups& groups_;
  SeriesRuns& into_;
};

core::Result<SeriesStore> open_store(const std::string& store) {
  if (!is_postgresql(store) && (store.starts_with("postgresql:") || store.starts_with("postgres:")))
    return core::Error{"--store " + store + ": no address of a server", "write postgresql://USER@HOST/DATABASE"};
  auto sql = is_postgresql(store) ? open_postgresql(store) : open_sqlite(store);
  if (!sql) return sql.error();
  return SeriesStore::open(*std::move(sql));
}

// What becomes of a result whose file is gone, or can no longer be read. An index is to give what the files give, and
// is soon made again; a store is what was collected, and a disk that is not mounted is no reason to forget it.
enum class Unseen { forget, keep };

// Brings the store up to what is in the folder, then takes everything from it.
core::Status through_store(const std::string& store, const std::string& place, const std::vector<JsonFile>& files,
                           Unseen unseen, ResultReader* reader, MachineGroups& groups, SeriesRuns& series) {
  auto opened = open_store(store);
  if (!opened) return opened.error();
  if (reader != nullptr) {
    auto known = opened->known(place);
    if (!known) return known.error();
    std::vector<StoredSeriesRun> read;
    for (const JsonFile& file : files) {
      const auto before = known->find(sql_text(file.path));
      const bool same = before != known->end() && before->second == file.stamp;
      auto kept = same ? std::nullopt : reader->read(file);
      if (kept) read.push_back(*std::move(kept));
      if (before != known->end() && (same || kept)) known->erase(before);
    }
    std::vector<std::string> gone;
    if (unseen == Unseen::forget)
      for (const auto& [path, stamp] : *known) gone.push_back(path);
    if (const core::Status changed = opened->change(place, gone, read); !changed) return changed;
  }
  auto runs = opened->runs(groups);
  if (!runs) return runs.error();
  series.runs = *std::move(runs);
  return {};
}

// Other programs' files in the folder are no reason to leave an index there.
bool has_many_results(const std::string& folder, const std::vector<JsonFile>& files) {
  size_t results = 0;
  for (size_t i = 0; i < files.size() && results < kManyResults && files.size() - i >= kManyResults - results; ++i)
    results += looks_like_a_result((fs::path(folder) / files[i].path).string()) ? 1 : 0;
  return results >= kManyResults;
}

bool same_run(const SeriesRun& one, const SeriesRun& other) {
  if (one.id != other.id || one.started != other.started || one.box != other.box ||
      one.phases.size() != other.phases.size())
    return false;
  for (size_t i = 0; i < one.phases.size(); ++i)
    if (one.phases[i].name != other.phases[i].name || one.phases[i].samples != other.phases[i].samples ||
        one.phases[i].figures_ns != other.phases[i].figures_ns)
      return false;
  return true;
}

// A copy of a result is no second run.
void leave_out_copies(SeriesRuns& series) {
  size_t copies = 0;
  std::vector<SeriesRun> kept;
  for (SeriesRun& run : series.runs) {
    bool copy = false;  // those of one moment stand together
    for (size_t i = kept.size(); i-- > 0 && kept[i].started == run.started;) copy |= same_run(kept[i], run);
    if (copy)
      ++copies;
    else
      kept.push_back(std::move(run));
  }
  series.runs = std::move(kept);
  if (copies > 0) series.notes.push_back(core::counted(copies, "result") + " of runs that are there already left out");
}

}  // namespace

core::Result<SeriesRuns> read_series(const SeriesSource& source) {
  SeriesRuns series;
  MachineGroups groups;
  JsonFiles found;
  if (!source.folder.empty()) {
    auto looked = json_files(source.folder);
    if (!looked) return looked.error();
    found = *std::move(looked);
    series.unread = found.unseen;
  }
  const bool own_index = !source.store && !source.no_store && has_many_results(source.folder, found.files);
  const std::string place = source.store ? place_of(source.folder) : ".";
  std::vector<std::string> files;
  for (const JsonFile& file : found.files) files.push_back((fs::path(source.folder) / file.path).string());
  ResultReader reader(source.folder, place, groups, series);
  if (!source.store && !own_index) {
    reader.read_all(found.files);
  } else {
    const std::string store = own_index ? (fs::path(source.folder) / kIndexName).string() : *source.store;
    files.push_back(store);
    const core::Status done = through_store(store, place, found.files, own_index ? Unseen::forget : Unseen::keep,
                                            source.folder.empty() ? nullptr : &reader, groups, series);
    if (!done && !own_index) return done.error();
    if (!done) {  // every file once more, whatever was read before the index failed
      series = {.runs = {}, .unread = found.unseen, .notes = {}, .files = {}};
      series.notes.push_back(fmt::format("without an index: {}", done.error().text));
      reader.read_all(found.files);
    }
  }
  if (series.runs.empty()) {
    const std::string where = source.folder.empty() ? "the store" : source.folder;
    return core::Error{fmt::format("{} holds no result{}", where,
                                   series.unread.empty() ? "" : " that can be read: " + series.unread.front()),
                       "it is a folder of runs and of result files, at any depth"};
  }
  std::stable_sort(series.runs.begin(), series.runs.end(),
                   [](const SeriesRun& one, const SeriesRun& other) { return one.started < other.started; });
  leave_out_copies(series);
  series.files = std::move(files);
  return series;
}

}  // namespace maxlat::reports
