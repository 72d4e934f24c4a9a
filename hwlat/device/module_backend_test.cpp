// SPDX-License-Identifier: MIT
//
// The module's back end against a device of paper: memory that looks like the module's, filled by the test while the
// back end polls. The real device is tested in the guest (tests/guest/).
#include "module_backend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <maxlat/base/histogram.hpp>
#include <maxlat/test/fake_root.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <vector>

#include "command/explain.hpp"
#include "module_load.hpp"
#include "module_region.hpp"

namespace maxlat::hwlat {
namespace {

using testing::HasSubstr;

constexpr uint64_t kStart_ns = 5'000'000'000;
constexpr size_t kRegionBytes = MAXLAT_HWLAT_RECORDS_AT + MAXLAT_HWLAT_RECORDS * sizeof(maxlat_hwlat_record);

// One CPU's region, and the module's side of it. One tick is one nanosecond.
class PaperRegion {
 public:
  explicit PaperRegion(unsigned cpu) : words_(kRegionBytes / sizeof(uint64_t) + 1) {
    header().magic = MAXLAT_HWLAT_CPU_MAGIC;
    header().abi_version = MAXLAT_HWLAT_ABI_VERSION;
    header().cpu = cpu;
    header().state = MAXLAT_HWLAT_CPU_SAMPLING;
    maxlat_histogram_init(&histogram());
  }
  maxlat_hwlat_cpu& header() { return *reinterpret_cast<maxlat_hwlat_cpu*>(bytes()); }
  maxlat_histogram& histogram() { return *reinterpret_cast<maxlat_histogram*>(bytes() + MAXLAT_HWLAT_HISTOGRAM_AT); }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(words_.data()); }

  void watch(uint64_t gap) {
    maxlat_histogram_record(&histogram(), gap, 0);
    header().exposure_ticks += gap;
    header().windows = 1;
  }
  // A gap above the threshold, as the module records it.
  void find(uint64_t after_ns, uint64_t gap, uint64_t smis = 0, uint32_t nmis = 0) {
    watch(gap);
    const uint64_t number = ++header().records;
    auto* ring = reinterpret_cast<maxlat_hwlat_record*>(bytes() + MAXLAT_HWLAT_RECORDS_AT);
    maxlat_hwlat_record record{};
    record.sequence = number;
    record.time_ns = kStart_ns + after_ns;
    record.inner_ns = 40;
    record.outer_ns = gap - 40;
    record.smi_before = 7;
    record.smi_after = 7 + smis;
    record.nmi_before = 3;
    record.nmi_after = 3 + nmis;
    record.cpu = header().cpu;
    ring[(number - 1) % MAXLAT_HWLAT_RECORDS] = record;
    header().gaps = number;
  }
  void second(uint64_t number, uint64_t max) {
    auto* ring = reinterpret_cast<maxlat_hwlat_second*>(bytes() + MAXLAT_HWLAT_SECONDS_AT);
    ring[(number - 1) % MAXLAT_HWLAT_SECONDS] = {number, max};
  }

 private:
  std::vector<uint64_t> words_;
};

struct Paper {
  std::vector<PaperRegion> regions{PaperRegion(0), PaperRegion(1)};
  maxlat_hwlat_config config{};
  maxlat_hwlat_info info{};
  int configure_error = 0;
  int polls = 0, polls_to_run = 1;
  bool running = false, stopped = false;

  Paper() {
    info.abi_version = MAXLAT_HWLAT_ABI_VERSION;
    info.size = sizeof info;
    info.features = MAXLAT_HWLAT_SMI_COUNT | MAXLAT_HWLAT_NMI_COUNT;
    info.counter_khz = 1'000'000;
    info.region_bytes = kRegionBytes;
    info.cpu_limit = 2;
  }
};

class PaperDevice : public ModuleDevice {
 public:
  explicit PaperDevice(Paper& paper) : paper_(paper) {}
  int info(maxlat_hwlat_info& info) override {
    info = paper_.info;
    return 0;
  }
  int configure(const maxlat_hwlat_config& config) override {
    paper_.config = config;
    return paper_.configure_error;
  }
  int start() override {
    paper_.running = true;
    return 0;
  }
  int stop() override {
    paper_.running = false;
    paper_.stopped = true;
    return 0;
  }
  int status(maxlat_hwlat_status& status) override {
    status.state = paper_.polls++ < paper_.polls_to_run ? MAXLAT_HWLAT_RUNNING : MAXLAT_HWLAT_FINISHED;
    status.started_ns = kStart_ns;
    return 0;
  }
  const std::byte* map(unsigned cpu, size_t) override { return paper_.regions.at(cpu).bytes(); }

 private:
  Paper& paper_;
};

ModuleBackend backend_of(Paper& paper) {
  return ModuleBackend([&paper]() -> core::Result<std::unique_ptr<ModuleDevice>> {
    return std::unique_ptr<ModuleDevice>(std::make_unique<PaperDevice>(paper));
  });
}

Settings both_cpus() {
  Settings settings;
  settings.cpus = {0, 1};
  settings.window_ns = 10'000'000;
  settings.width_ns = 9'000'000;
  settings.duration_ns = 1'000'000'000;
  return settings;
}

TEST(ModuleBackend, FilesEveryGapAndKnowsOfEachFindingWhatCameInIt) {
  Paper paper;
  for (int i = 0; i < 1000; ++i) paper.regions[0].watch(50);
  paper.regions[1].watch(60);
  paper.regions[0].find(20'000'000, 100'040, 1);
  paper.regions[0].find(30'000'000, 50'040, 0, 1);
  paper.regions[0].second(1, 100'040);
  paper.regions[0].second(3, 51);
  auto measured = backend_of(paper).measure(both_cpus(), {});
  ASSERT_TRUE(measured.ok()) << measured.error().text;
  EXPECT_TRUE(paper.stopped);
  EXPECT_EQ(measured->phase.status, core::PhaseStatus::ok);
  const core::CpuResult& cpu = measured->phase.per_cpu.at(0);
  EXPECT_EQ(cpu.samples, 1002u);
  EXPECT_DOUBLE_EQ(cpu.exposure_s * 1e9, 1000 * 50 + 100'040 + 50'040);
  EXPECT_DOUBLE_EQ(cpu.max_ns, 100'040);
  ASSERT_EQ(cpu.outliers.size(), 2u);
  EXPECT_DOUBLE_EQ(cpu.outliers[0].t_ns, 20'000'000);
  EXPECT_DOUBLE_EQ(cpu.outliers[0].latency_ns, 100'040);
  EXPECT_THAT(cpu.timeline.max_ns, testing::ElementsAre(100'040, 0, 51));
  EXPECT_EQ(measured->phase.per_cpu.at(1).samples, 1u);

  core::MachineChange change;
  change.smi[0] = 1;  // of the run; the gaps' own counts are better
  explain(*measured, change, both_cpus(), true);
  EXPECT_EQ(measured->phase.per_cpu[0].outliers[0].cause, "firmware: 1 SMI in it");
  EXPECT_EQ(measured->phase.per_cpu[0].outliers[1].cause, "NMI: 1 in it");
}

TEST(ModuleBackend, AsksForWhatItWasAskedFor) {
  Paper paper;
  paper.regions[0].watch(50);
  paper.regions[1].watch(50);
  Settings settings = both_cpus();
  settings.mode = SamplingMode::stop_machine;
  settings.threshold_ns = 1234;
  ASSERT_TRUE(backend_of(paper).measure(settings, {}).ok());
  EXPECT_EQ(paper.config.size, sizeof paper.config);
  EXPECT_EQ(paper.config.mode, MAXLAT_HWLAT_MODE_STOP_MACHINE);
  EXPECT_EQ(paper.config.width_ns, 9'000'000u);
  EXPECT_EQ(paper.config.window_ns, 10'000'000u);
  EXPECT_EQ(paper.config.threshold_ns, 1234u);
  EXPECT_EQ(paper.config.duration_ns, 1'000'000'000u);
  EXPECT_EQ(paper.config.cpu_mask_bytes, 1u);
  settings.duration_ns = 0;
  paper.polls = 0;
  ASSERT_TRUE(backend_of(paper).measure(settings, {}).ok());
  EXPECT_EQ(paper.config.duration_ns, MAXLAT_HWLAT_MAX_DURATION_NS) << "until ^C";
}

TEST(ModuleBackend, KnowsOfSmisBetweenItsWindowsThatTheyWere) {
  Paper paper;
  for (PaperRegion& region : paper.regions) region.watch(50);
  maxlat_hwlat_cpu& header = paper.regions[1].header();
  header.smi_first = 40;
  header.smi_last = 45;
  header.smi_watched = 3;
  const auto measured = backend_of(paper).measure(both_cpus(), {});
  ASSERT_TRUE(measured.ok()) << measured.error().text;
  EXPECT_EQ(measured->phase.facts.at("SMIs of CPU 0"), "0: 0 in watched time, 0 between windows");
  EXPECT_EQ(measured->phase.facts.at("SMIs of CPU 1"), "5: 3 in watched time, 2 between windows");
  EXPECT_THAT(measured->phase.warnings, testing::ElementsAre(HasSubstr("CPU 1: 2 of 5 SMIs fell between windows")));

  paper.info.features = MAXLAT_HWLAT_NMI_COUNT;
  const auto blind = backend_of(paper).measure(both_cpus(), {});
  ASSERT_TRUE(blind.ok()) << blind.error().text;
  EXPECT_THAT(blind->phase.facts.at("SMIs of CPU 1"), HasSubstr("not counted"));
  EXPECT_THAT(blind->phase.warnings, testing::IsEmpty());
}

TEST(ModuleBackend, ACpuThatWentAwayMakesItInvalidAndKeepsWhatWasSeen) {
  Paper paper;
  paper.regions[0].watch(50);
  paper.regions[1].watch(70);
  paper.regions[1].header().state = MAXLAT_HWLAT_CPU_OFFLINE;
  const auto measured = backend_of(paper).measure(both_cpus(), {});
  ASSERT_TRUE(measured.ok());
  EXPECT_EQ(measured->phase.status, core::PhaseStatus::invalid);
  EXPECT_THAT(measured->phase.reason, HasSubstr("CPU 1 went offline"));
  EXPECT_EQ(measured->phase.per_cpu.at(1).samples, 1u);
}

TEST(ModuleBackend, ACpuThatWasNeverWatchedAndBooksThatDoNotBalanceAreErrors) {
  Paper unwatched;
  unwatched.regions[0].watch(50);
  const auto never = backend_of(unwatched).measure(both_cpus(), {});
  ASSERT_FALSE(never.ok());
  EXPECT_THAT(never.error().text, HasSubstr("never watched CPU 1"));
  EXPECT_EQ(never.error().exit_status, core::Exit::invalid);

  Paper unbalanced;
  unbalanced.regions[0].watch(50);
  unbalanced.regions[1].watch(50);
  unbalanced.regions[1].header().exposure_ticks += 1;
  const auto books = backend_of(unbalanced).measure(both_cpus(), {});
  ASSERT_FALSE(books.ok());
  EXPECT_THAT(books.error().text, HasSubstr("do not balance"));
}

TEST(ModuleBackend, AModuleOfAnotherVersionCannotBeUsed) {
  Paper paper;
  paper.info.abi_version = MAXLAT_HWLAT_ABI_VERSION + 1;
  const core::Status usable = backend_of(paper).usable();
  ASSERT_FALSE(usable.ok());
  EXPECT_EQ(usable.error().exit_status, core::Exit::cannot_run);
  EXPECT_THAT(usable.error().text, HasSubstr("version 2 of its interface, this maxlat version 1"));
}

TEST(ModuleBackend, LimitsOfTheModuleAreNamedByOption) {
  struct {
    const char* says;
    void (*change)(Settings&);
  } const mistakes[] = {{"--width", [](Settings& s) { s.width_ns = s.window_ns; }},
                        {"99 %", [](Settings& s) { s.width_ns = s.window_ns / 1000 * 991; }},
                        {"10 us", [](Settings& s) { s.width_ns = 9'999; }},
                        {"--width",
                         [](Settings& s) {
                           s.mode = SamplingMode::stop_machine;
                           s.window_ns = 1'000'000'000;
                           s.width_ns = 100'000'001;
                         }},
                        {"--window", [](Settings& s) { s.window_ns = MAXLAT_HWLAT_MAX_WINDOW_NS + 1; }},
                        {"--threshold", [](Settings& s) { s.threshold_ns = 0; }},
                        {"--threshold", [](Settings& s) { s.threshold_ns = 1'000'000'001; }},
                        {"--duration", [](Settings& s) { s.duration_ns = MAXLAT_HWLAT_MAX_DURATION_NS + 1; }}};
  for (const auto& mistake : mistakes) {
    Settings settings = both_cpus();
    mistake.change(settings);
    const core::Status fits = ModuleBackend().takes(settings);
    ASSERT_FALSE(fits.ok()) << mistake.says;
    EXPECT_THAT(fits.error().text, HasSubstr(mistake.says));
  }
  EXPECT_TRUE(ModuleBackend().takes(both_cpus()).ok());
}

TEST(ModuleBackend, AnErrorOfTheDeviceIsAnError) {
  Paper paper;
  paper.configure_error = ENOMEM;
  const auto measured = backend_of(paper).measure(both_cpus(), {});
  ASSERT_FALSE(measured.ok());
  EXPECT_THAT(measured.error().text, HasSubstr("memory"));
}

TEST(ModuleRegion, KeepsTheLargestAndCountsWhatWasOverwritten) {
  PaperRegion paper(0);
  ModuleRegion region(paper.bytes(), 3);
  ASSERT_TRUE(region.valid());
  for (uint64_t i = 1; i <= 5; ++i) paper.find(i, 1000 * i);
  region.poll();
  EXPECT_EQ(region.overwritten(), 0u);
  ASSERT_EQ(region.kept_in_order_of_time().size(), 3u);
  EXPECT_EQ(gap_ns(region.kept_in_order_of_time()[0]), 3000u);
  for (uint64_t i = 0; i < MAXLAT_HWLAT_RECORDS + 10; ++i) paper.find(100 + i, 2000);
  region.poll();
  EXPECT_EQ(region.overwritten(), 10u);
  EXPECT_EQ(gap_ns(region.kept_in_order_of_time()[2]), 5000u);
}

TEST(ModuleRegion, ARecordUnderWorkIsNotTaken) {
  PaperRegion paper(0);
  ModuleRegion region(paper.bytes(), 10);
  paper.find(1, 1000);
  paper.find(2, 2000);
  reinterpret_cast<maxlat_hwlat_record*>(paper.bytes() + MAXLAT_HWLAT_RECORDS_AT)[0].sequence = 0;  // (a)
  region.poll();
  EXPECT_EQ(region.overwritten(), 1u);
  ASSERT_EQ(region.kept_in_order_of_time().size(), 1u);
  EXPECT_EQ(gap_ns(region.kept_in_order_of_time()[0]), 2000u);
}

TEST(ModuleRegion, TheTimelineOutlivesTheRingOfSeconds) {
  PaperRegion paper(0);
  ModuleRegion region(paper.bytes(), 10);
  paper.second(1, 11);
  region.poll();
  paper.second(1 + MAXLAT_HWLAT_SECONDS, 22);  // in the same slot
  region.poll();
  ASSERT_EQ(region.seconds().size(), 1 + MAXLAT_HWLAT_SECONDS);
  EXPECT_EQ(region.seconds().front(), 11u);
  EXPECT_EQ(region.seconds().back(), 22u);
}

TEST(ModuleDevice, EveryReasonThatItDoesNotOpenHasItsLine) {
  EXPECT_THAT(why_not_opened(ENOENT, "").text, HasSubstr("not loaded"));
  EXPECT_THAT(why_not_opened(ENOENT, "").text, testing::Not(HasSubstr("locked")));
  const core::Error locked = why_not_opened(ENOENT, "integrity");
  EXPECT_THAT(locked.text, HasSubstr("locked down (integrity)"));
  EXPECT_THAT(locked.hint, HasSubstr("Secure Boot"));
  EXPECT_THAT(why_not_opened(EPERM, "").text, HasSubstr("root only"));
  EXPECT_THAT(why_not_opened(EACCES, "").text, HasSubstr("root only"));
  EXPECT_THAT(why_not_opened(EBUSY, "").text, HasSubstr("one owner at a time"));
  EXPECT_THAT(why_not_opened(EMFILE, "").text, HasSubstr("cannot open"));
  for (const int error : {ENOENT, EPERM, EBUSY, EMFILE})
    EXPECT_EQ(why_not_opened(error, "").exit_status, core::Exit::cannot_run);
}

TEST(ModuleDevice, WithoutTheModuleThereIsNoDeviceToOpen) {
  test::FakeRoot root;
  root.file("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
  const auto device = open_module_device(root.path());
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.error().text, HasSubstr("locked down (confidentiality)"));
}

TEST(ModuleLoad, EveryReasonThatItDoesNotLoadHasItsLine) {
  const auto text = [](int error, const char* lockdown = "") { return why_not_loaded("x.ko", error, lockdown).text; };
  EXPECT_THAT(text(EPERM), HasSubstr("not permitted"));
  EXPECT_THAT(text(EPERM, "integrity"), HasSubstr("locked down (integrity)"));
  EXPECT_THAT(text(EKEYREJECTED), HasSubstr("signed modules only"));
  EXPECT_THAT(text(ENOEXEC), HasSubstr("not built for this kernel"));
  EXPECT_THAT(text(ENOSYS), HasSubstr("takes no modules"));
  EXPECT_THAT(text(ENOENT), HasSubstr("no such file"));
  EXPECT_THAT(text(EBUSY), HasSubstr("cannot load 'x.ko'"));
  const auto loaded = LoadedModule::load("/nonexistent/maxlat_hwlat.ko");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().exit_status, core::Exit::cannot_run);
}

TEST(ModuleLoad, AnotherModuleIsNotTaken) {
  using namespace std::string_literals;
  const test::TemporaryFolder folder;
  folder.write("another.ko", "name=maxlat_irqoff\0name=maxlat_hwlat_of_others\0"s);
  const auto loaded = LoadedModule::load(folder / "another.ko");
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().text, HasSubstr("is not the module maxlat_hwlat"));
}

TEST(Sampling, WhatIsNotAskedForIsTheBackEnds) {
  const ModuleBackend module;
  const auto pair_of = [&](uint64_t window_ns, uint64_t width_ns) {
    Settings settings;
    settings.window_ns = window_ns;
    settings.width_ns = width_ns;
    const Sampling sampling = sampling_of(settings, module);
    return std::pair(sampling.window_ns, sampling.width_ns);
  };
  EXPECT_EQ(pair_of(0, 0), std::pair(uint64_t{10'000'000}, uint64_t{9'000'000}));
  EXPECT_EQ(pair_of(100'000'000, 0), std::pair(uint64_t{100'000'000}, uint64_t{90'000'000}));
  EXPECT_EQ(pair_of(0, 500'000'000), std::pair(uint64_t{1'000'000'000}, uint64_t{500'000'000}));
  EXPECT_EQ(pair_of(60'000'000'000, 0).second, 1'000'000'000u) << "never above the module's limit";
}

}  // namespace
}  // namespace maxlat::hwlat
