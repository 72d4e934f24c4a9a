// SPDX-License-Identifier: MIT
// libFuzzer's target: bytes over a group's memory, then everything that a monitor does with it. It must not crash, read
// out of bounds or hang. Built with the compiler's fuzzer where there is one (clang); otherwise by fuzz_driver, which
// feeds it random changes.
//
// INPUT: records of 10 bytes, { u16 place, u64 value }: the place counts 8-byte words of the memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "sensors/test_group.hpp"

namespace {

using namespace maxlat::sensors;

// The memory of a published group, in a memfd that can be written to.
struct Target {
  Target() {
    const test::TestGroup<test::OneOfEach<kThread>> group("fuzzed");
    const int from = test::descriptor_of("fuzzed", O_RDONLY);
    const auto size = static_cast<std::size_t>(lseek(from, 0, SEEK_END));
    good.resize(size);
    if (pread(from, good.data(), size, 0) != static_cast<ssize_t>(size)) abort();
    close(from);
    fd = memfd_create("fuzz", MFD_ALLOW_SEALING);
    if (ftruncate(fd, static_cast<off_t>(size)) != 0 || fallocate(fd, 0, 0, static_cast<off_t>(size)) != 0) abort();
    bytes = static_cast<std::uint8_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    constexpr int kFutureWrite = 0x0010;
    if (bytes == MAP_FAILED || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | kFutureWrite) != 0) abort();
  }
  std::vector<std::uint8_t> good;
  int fd = -1;
  std::uint8_t* bytes = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static Target target;
  std::memcpy(target.bytes, target.good.data(), target.good.size());
  for (; size >= 10; bytes += 10, size -= 10) {
    std::uint16_t place;
    std::memcpy(&place, bytes, sizeof place);
    std::memcpy(target.bytes + place % (target.good.size() / 8) * 8, bytes + 2, 8);
  }
  const auto view = GroupView::attach(target.fd);
  if (!view) return 0;
  std::size_t seen = 0;
  for (const SensorFacts& sensor : view->sensors()) {
    const SensorValue value = view->read(sensor);
    if (const auto* histogram = std::get_if<HistogramValue>(&value)) seen += histogram->quantile(0.5) == 1;
  }
  return seen > 100 ? 1 : 0;
}
