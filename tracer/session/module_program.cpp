// SPDX-License-Identifier: MIT
// module_program MODULE: events that come and go with dlopen() and dlclose(), enabled before and after.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "session/module_under_test.hpp"
#include "session/test_recording.hpp"

namespace {

using namespace maxlat::trace;

class Module {
 public:
  explicit Module(const char* path) : handle_(dlopen(path, RTLD_NOW)) {
    if (handle_ == nullptr) {
      std::printf("%s\n", dlerror());
      std::exit(1);
    }
    trace = reinterpret_cast<void (*)(int)>(dlsym(handle_, "trace_in_module"));
  }
  ~Module() { dlclose(handle_); }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  void (*trace)(int);

 private:
  void* handle_;
};

bool expect(const char* what, std::size_t expected, std::size_t found) {
  std::printf("%s: %zu events, expected %zu\n", what, found, expected);
  return expected == found;
}

}  // namespace

int main(int, char** arguments) {
  const char* path = arguments[1];
  bool good = true;
  {
    test::Recording before;
    before.start("module:*");
    MAXLAT_TRACE(module, shared, 0);
    for (int round = 0; round < 2; ++round) Module(path).trace(round);
    MAXLAT_TRACE(module, shared, 1);
    const std::string metadata = test::Memory(before.session).metadata();
    good = expect("enabled before dlopen, loaded twice", 2 + 2 * 2, before.finish().size()) && good;
    good = good && metadata.find("module:own") != std::string::npos;
  }
  {
    const Module module(path);
    test::Recording after;
    module.trace(1);
    after.start("module:own");
    module.trace(2);
    test::Recording::expect_ok(after.session.disable("all", "module:own"));
    module.trace(3);
    good = expect("enabled after dlopen", 1, after.finish().size()) && good;
  }
  return good && !testing::Test::HasFailure() ? 0 : 1;
}
