// SPDX-License-Identifier: MIT
// module_program MODULE: events that come and go with dlopen() and dlclose(), enabled before and after.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "session/test_module.hpp"
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
  {
    // Each time its events take the ids that they had, and are described once: a program may do this for years.
    constexpr int kTimes = 10'000;
    test::Recording often({{.name = "all", .sub_buffer_size = 1 << 17, .sub_buffers = 16}});
    often.start("module:*");
    Module(path).trace(0);
    const std::size_t described = test::Memory(often.session).metadata().size();
    for (int round = 1; round < kTimes; ++round) Module(path).trace(round);
    const std::size_t after = test::Memory(often.session).metadata().size();
    const std::vector<test::Recorded> all = often.finish();
    good = expect("loaded very often", 2 * kTimes, all.size()) && good;
    good = expect("bytes of metadata", described, after) && good;
    for (const test::Recorded& record : all) good = good && record.id < 10;
  }
  return good && !testing::Test::HasFailure() ? 0 : 1;
}
