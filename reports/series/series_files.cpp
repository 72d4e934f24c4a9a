// SPDX-License-Identifier: MIT
#include "series_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace maxlat::reports {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBeginning = 1024;  // the schema is the first key
constexpr std::string_view kSchemaBegins = "\"maxlat-result/";

// Nothing: it cannot be opened.
std::optional<std::string> beginning_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return std::nullopt;
  std::string beginning(kBeginning, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<size_t>(file.gcount()));
  return beginning;
}

void add_file(JsonFiles& found, const fs::path& folder, const fs::path& file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return;
  const int64_t changed_ns = int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec;
  found.files.push_back({file.lexically_relative(folder).string(), {about.st_size, changed_ns}});
}

core::Status look_into(JsonFiles& found, const fs::path& top, const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "result.json", error)) {
    add_file(found, top, folder / "result.json");
    return {};
  }
  std::vector<fs::path> below;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && !entry->is_symlink(ignored)) below.push_back(entry->path());
    if (entry->path().extension() == ".json") add_file(found, top, entry->path());
  }
  if (error) return core::system_error("cannot read " + folder.string(), error.value());
  for (const fs::path& one : below)
    if (const core::Status looked = look_into(found, top, one); !looked) found.unseen.push_back(looked.error().text);
  return {};
}

}  // namespace

core::Result<JsonFiles> json_files(const std::string& folder) {
  JsonFiles found;
  if (const core::Status looked = look_into(found, folder, folder); !looked) return looked.error();
  std::sort(found.files.begin(), found.files.end(),
            [](const JsonFile& one, const JsonFile& other) { return one.path < other.path; });
  std::sort(found.unseen.begin(), found.unseen.end());
  return found;
}

bool looks_like_a_result(const std::string& path) {
  return beginning_of(path).value_or("").find(kSchemaBegins) != std::string::npos;
}

bool may_be_a_result(const std::string& path) {
  if (fs::path(path).filename() == "result.json") return true;
  const auto beginning = beginning_of(path);
  return !beginning || beginning->find_first_not_of('\0') == std::string::npos ||
         beginning->find(kSchemaBegins) != std::string::npos;
}

}  // namespace maxlat::reports
