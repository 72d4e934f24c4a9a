// SPDX-License-Identifier: MIT
#include "loads/kernel_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

namespace maxlat::loadgen {
namespace {

constexpr std::string_view kPrefix = "linux-source-";

bool is_tree(const std::filesystem::path& path) {
  std::error_code code;
  return std::filesystem::exists(path / "Makefile", code);
}

std::vector<std::filesystem::path> packaged_sources(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (entry.path().filename().string().starts_with(kPrefix)) found.push_back(entry.path());
  }
  // By version: 6.12 is newer than 6.1.
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return strverscmp(a.c_str(), b.c_str()) > 0; });
  return found;
}

}  // namespace

core::Result<std::string> kernel_source_at(std::string_view path) {
  std::error_code code;
  const std::filesystem::path source = std::filesystem::absolute(path, code);
  if (!std::filesystem::is_directory(source, code))
    return core::Error{fmt::format("cannot build a kernel in '{}': no such directory", path),
                       "unpack a kernel source there, or name another load"};
  if (!is_tree(source))
    return core::Error{fmt::format("cannot build a kernel in '{}': it has no Makefile", path),
                       "give the top directory of a kernel source tree"};
  return source.string();
}

core::Result<std::string> find_kernel_source(std::string_view folder) {
  const std::filesystem::path place(folder);
  if (is_tree(place / "linux")) return (place / "linux").string();
  std::string hint = "apt install linux-source, or name a tree: kernel:DIRECTORY";
  const std::vector<std::filesystem::path> packaged = packaged_sources(place);
  for (const auto& source : packaged) {
    if (is_tree(source)) return source.string();
  }
  const auto archive = std::find_if(packaged.begin(), packaged.end(), [](const auto& path) {
    return path.extension() == ".xz" && path.stem().extension() == ".tar";
  });
  if (archive != packaged.end()) hint = fmt::format("tar -C {} -xf {}", folder, archive->string());
  return core::Error{fmt::format("load kernel found no source tree of a kernel in {}", folder), hint};
}

}  // namespace maxlat::loadgen
