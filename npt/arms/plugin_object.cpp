// SPDX-License-Identifier: MIT
#include "plugin_object.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <maxlat/core/sys/process.hpp>
#include <string_view>
#include <utility>

namespace maxlat::npt {
namespace {

// The package that was not there when maxlat was built; empty when the object was built.
std::string_view lacking_package(std::string_view name) {
  constexpr std::string_view kLacking = MAXLAT_NPT_LACKING;  // "NAME=PACKAGE " for each
  std::size_t at = 0;
  for (std::size_t end; (end = kLacking.find(' ', at)) != kLacking.npos; at = end + 1) {
    const std::string_view entry = kLacking.substr(at, end - at);
    const std::size_t equals = entry.find('=');
    if (entry.substr(0, equals) == name) return entry.substr(equals + 1);
  }
  return {};
}

}  // namespace

core::Result<std::string> find_plugin(const std::string& name) {
  const std::string_view package = lacking_package(name);
#ifdef MAXLAT_STATIC
  if (!package.empty())
    return core::cannot_run(fmt::format("the arm \"{}\" is a plug-in, and the static binary has none", name),
                            "build the preset release for it; maxlat npt --version names the arms");
#endif
  if (!package.empty())
    return core::cannot_run(fmt::format("the arm \"{}\" is not in this maxlat: built without {}", name, package),
                            "install the package and build again");
  const std::filesystem::path folder = std::filesystem::path(core::own_executable()).parent_path();
  const std::filesystem::path beside = folder / "maxlat-arms" / (name + ".so");
  const std::filesystem::path installed =
      (folder / ".." / MAXLAT_LIBDIR / "maxlat" / (name + ".so")).lexically_normal();
  std::error_code unreadable;
  for (const auto& path : {beside, installed})
    if (std::filesystem::exists(path, unreadable)) return path.string();
  return core::cannot_run(
      fmt::format("the plug-in of the arm \"{}\" is neither {} nor {}", name, beside.string(), installed.string()),
      "install maxlat with its plug-ins, or build it here");
}

#ifdef MAXLAT_STATIC

core::Result<const maxlat_npt_plugin*> load_plugin(const std::string& path) {
  return core::cannot_run(path + ": the static binary loads no plug-ins", "build the preset release");
}

#else

core::Result<const maxlat_npt_plugin*> load_plugin(const std::string& path) {
  void* const object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr)
    return core::cannot_run(fmt::format("cannot load the plug-in: {}", ::dlerror()),
                            "install the library that it names");
  const auto entry = reinterpret_cast<maxlat_npt_plugin_entry>(::dlsym(object, MAXLAT_NPT_PLUGIN_SYMBOL));
  const maxlat_npt_plugin* const plugin = entry == nullptr ? nullptr : entry();
  if (plugin == nullptr || plugin->version != MAXLAT_NPT_PLUGIN_VERSION)
    return core::cannot_run(path + " is not a plug-in of this version of maxlat",
                            "it was installed with another maxlat");
  return plugin;
}

#endif

}  // namespace maxlat::npt
