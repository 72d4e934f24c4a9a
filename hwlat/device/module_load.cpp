// SPDX-License-Identifier: MIT
#include "module_load.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/lockdown.hpp>
#include <string_view>

namespace maxlat::hwlat {

namespace {

// By what modpost wrote into it: another module would be loaded, and at the end ours unloaded in its place.
bool is_our_module(int fd) {
  constexpr std::string_view kName("name=maxlat_hwlat\0", 18);
  std::string content;
  char block[65536];
  for (ssize_t got = 0; (got = ::pread(fd, block, sizeof block, static_cast<off_t>(content.size()))) > 0;)
    content.append(block, static_cast<size_t>(got));
  return content.find(kName) != std::string::npos;
}

}  // namespace

core::Error why_not_loaded(const std::string& path, int error, const std::string& lockdown) {
  const std::string what = fmt::format("cannot load '{}': ", path);
  switch (error) {
    case EPERM:
      if (!lockdown.empty())
        return core::cannot_run(
            what + "this kernel is locked down (" + lockdown + ") and takes signed modules only",
            "sign it with a key that the machine knows (mokutil --import), or turn Secure Boot off");
      return core::cannot_run(what + "not permitted",
                              "loading a module needs root (CAP_SYS_MODULE), and modules_disabled 0");
    case EKEYREJECTED:
    case ENOKEY:
    case EBADMSG:
      return core::cannot_run(what + "this kernel takes signed modules only (Secure Boot), and does not know its key",
                              "sign it with a key that the machine knows (mokutil --import)");
    case ENOEXEC:
    case EINVAL:
      return core::cannot_run(what + "it was not built for this kernel",
                              "make -C kernel builds it for the running one");
    case ENOSYS:
      return core::cannot_run(what + "this kernel takes no modules (CONFIG_MODULES)",
                              "--backend tracer or loop needs none");
    case ENOENT:
      return core::cannot_run(what + "no such file, or it needs a symbol that this kernel does not have",
                              "make -C kernel builds it for the running kernel");
    default: {
      core::Error other = core::system_error(fmt::format("cannot load '{}'", path), error);
      other.exit_status = core::Exit::cannot_run;
      return other;
    }
  }
}

core::Result<LoadedModule> LoadedModule::load(const std::string& path) {
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return why_not_loaded(path, errno, {});
  if (!is_our_module(file.number()))
    return core::cannot_run(fmt::format("'{}' is not the module maxlat_hwlat", path), "make -C kernel builds it");
  if (::syscall(SYS_finit_module, file.number(), "", 0) == 0) return LoadedModule(true);
  const int error = errno;
  if (error == EEXIST) return LoadedModule(false);
  return why_not_loaded(path, error, core::lockdown_in_force());
}

LoadedModule::~LoadedModule() {
  // Not an error that anyone could act on: in use by someone else, it stays.
  if (ours_) ::syscall(SYS_delete_module, "maxlat_hwlat", O_NONBLOCK);
}

}  // namespace maxlat::hwlat
