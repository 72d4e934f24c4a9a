// SPDX-License-Identifier: MIT
//
// rteval's summary.xml: what its cyclictest or timerlat measured on each core, as histogram and statistics. Read by
// expat, from front to back. Its sum over all cores ("system") is left out, and its median, which is wrong for every
// other number of samples.
//
// rteval leaves the statistics out where the maximum was beyond its histogram: then there is nothing to import, and
// that is said. Its timerlat adds the latencies of interrupt, thread and user space into one histogram, which is said,
// too.
#include <expat.h>
#include <fmt/format.h>

#include <map>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <maxlat/import/import_definition.hpp>
#include <memory>
#include <set>

#include "reading/foreign_histogram.hpp"
#include "reading/imported_run.hpp"
#include "reading/words.hpp"

namespace maxlat::importing {
namespace {

constexpr size_t kLongestValue = 4096;

std::string attribute(const char** attributes, std::string_view name) {
  for (; *attributes != nullptr; attributes += 2)
    if (name == attributes[0]) return attributes[1];
  return {};
}

struct RtevalMeter {
  std::string name, command;  // "cyclictest"
  std::vector<ForeignHistogram> cores;
};

// What expat calls. Nothing may be thrown through it, so the first mistake is kept, and the parser stopped.
class RtevalReader {
 public:
  explicit RtevalReader(XML_Parser parser) : parser_(parser) {
    XML_SetUserData(parser, this);
    XML_SetElementHandler(
        parser, [](void* self, const char* name, const char** attributes) { of(self).begin(name, attributes); },
        [](void* self, const char* name) { of(self).end(name); });
    XML_SetCharacterDataHandler(parser, [](void* self, const char* text, int length) {
      std::string& value = of(self).value_;
      if (value.size() < kLongestValue) value.append(text, static_cast<size_t>(length));
    });
    // An entity may grow without bounds where it is used; rteval declares none.
    XML_SetEntityDeclHandler(parser, [](void* self, auto...) { of(self).stop("it declares entities"); });
  }

  const std::string& mistake() const { return mistake_; }
  core::Result<core::RunResult> run();

 private:
  static RtevalReader& of(void* self) { return *static_cast<RtevalReader*>(self); }

  void stop(std::string why) {
    if (!mistake_.empty()) return;
    mistake_ = std::move(why);
    XML_StopParser(parser_, XML_FALSE);
  }

  void begin(std::string_view name, const char** attributes);
  void end(std::string_view name);
  void begin_core(const std::string& id);
  void take_bucket(const std::string& index, const std::string& value);
  void take_figure(std::string_view name);

  XML_Parser parser_;
  std::string mistake_, value_, unit_;
  bool in_core_ = false;
  std::string version_, kernel_;
  double duration_s_ = 0;
  std::vector<RtevalMeter> meters_;
};

void RtevalReader::begin(std::string_view name, const char** attributes) {
  value_.clear();
  unit_ = attribute(attributes, "unit");
  if (version_.empty()) {
    if (name != "rteval") return stop(fmt::format("it is of {}, not of rteval", in_quotes(name)));
    version_ = attribute(attributes, "version").empty() ? "unknown" : core::printable(attribute(attributes, "version"));
  } else if (name == "run_info") {
    const std::pair<const char*, double> parts[] = {{"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};
    for (const auto& [part, seconds] : parts)
      duration_s_ += decimal_number(attribute(attributes, part)).value_or(0) * seconds;
  } else if (name == "cyclictest" || name == "timerlat") {
    if (in_core_) return stop("a meter begins within a core");
    meters_.push_back({std::string(name), attribute(attributes, "command_line"), {}});
  } else if (name == "core" && !meters_.empty()) {
    if (in_core_) return stop("a core begins within a core");
    begin_core(attribute(attributes, "id"));
  } else if (name == "bucket" && in_core_) {
    take_bucket(attribute(attributes, "index"), attribute(attributes, "value"));
  }
}

void RtevalReader::begin_core(const std::string& id) {
  const auto cpu = core::whole_number<unsigned>(id);
  if (!cpu || *cpu > core::kLargestCpu) return stop(fmt::format("{} is no core", in_quotes(id)));
  in_core_ = true;
  meters_.back().cores.push_back({.who = "core " + id, .cpu = *cpu});
}

void RtevalReader::take_bucket(const std::string& index, const std::string& value) {
  const auto low = core::whole_number(index), count = core::whole_number(value);
  if (!low || !count) return stop(fmt::format("the bucket {} with {} is no count", in_quotes(index), in_quotes(value)));
  meters_.back().cores.back().rows.emplace_back(static_cast<double>(*low), *count);
}

void RtevalReader::take_figure(std::string_view name) {
  ForeignHistogram& core = meters_.back().cores.back();
  const std::string_view value = core::trimmed(value_);
  if (name == "samples") {
    core.samples = core::whole_number(value);
    if (!core.samples) stop(fmt::format("{}: {} samples is no count", core.who, in_quotes(value)));
    return;
  }
  const std::pair<std::string_view, std::optional<double>*> figures[] = {
      {"minimum", &core.min}, {"maximum", &core.max}, {"mean", &core.mean}, {"standard_deviation", &core.stddev}};
  for (const auto& [figure, number] : figures) {
    if (name != figure) continue;
    *number = decimal_number(value);
    if (!*number) return stop(fmt::format("{}: the {} {} is no number", core.who, figure, in_quotes(value)));
    if (unit_ != "us") return stop(fmt::format("{}: the {} is in {}, not in us", core.who, figure, in_quotes(unit_)));
  }
}

void RtevalReader::end(std::string_view name) {
  if (name == "core") in_core_ = false;
  if (in_core_) take_figure(name);
  if (name == "kernel" && kernel_.empty()) kernel_ = core::printable(core::trimmed(value_));
}

core::Result<core::RunResult> RtevalReader::run() {
  std::vector<core::Phase> phases;
  std::map<std::string, int> seen;
  for (const RtevalMeter& meter : meters_) {
    if (meter.cores.empty())
      return core::Error{
          fmt::format("rteval left out what its {} measured: the maximum was beyond its histogram", meter.name),
          "run rteval with more buckets"};
    const bool timerlat = meter.name == "timerlat";
    const int number = ++seen[meter.name];
    core::Phase phase = imported_phase(number == 1 ? meter.name : fmt::format("{} {}", meter.name, number),
                                       timerlat ? core::kImportedKind : core::kCyclictestKind, "rteval " + version_);
    phase.command = meter.command;
    phase.duration_s = duration_s_;
    if (!kernel_.empty()) phase.facts["kernel"] = kernel_;
    if (timerlat)
      phase.warnings.emplace_back("rteval adds the latencies of interrupt, thread and user space into one histogram");
    phase.warnings.emplace_back(kExposureUnknown);
    for (const ForeignHistogram& histogram : meter.cores) {
      core::Result<core::CpuResult> cpu = cpu_result_of(histogram);
      if (!cpu) return cpu.error();
      phase.per_cpu.push_back(*std::move(cpu));
    }
    phases.push_back(std::move(phase));
  }
  if (phases.empty()) return core::Error{"rteval's result is not readable: neither cyclictest nor timerlat is in it"};
  return imported_run("rteval", std::move(phases));
}

// Newer headers of expat deprecate the first of the two names, older ones do not have the second.
template <typename Parser>
unsigned long long line_of(Parser* parser) {
  if constexpr (requires { XML_GetCurrentLineNumber64(parser); }) {
    return XML_GetCurrentLineNumber64(parser);
  } else {
    return XML_GetCurrentLineNumber(parser);
  }
}

core::Result<core::RunResult> read_rteval(std::string_view text) {
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr), XML_ParserFree);
  if (parser == nullptr) return core::Error{"there is no memory for reading XML"};
  RtevalReader reader(parser.get());
  constexpr size_t kPiece = 1 << 20;  // expat counts in int
  bool sound = true;
  for (size_t at = 0; sound && at <= text.size(); at += kPiece) {
    const std::string_view piece = text.substr(at, kPiece);
    const bool last = at + kPiece > text.size();
    sound = XML_Parse(parser.get(), piece.data(), static_cast<int>(piece.size()), last) == XML_STATUS_OK;
  }
  if (sound) return reader.run();
  const auto line = line_of(parser.get());
  if (!reader.mistake().empty()) return core::Error{fmt::format("line {}: {}", line, reader.mistake())};
  return core::Error{
      fmt::format("line {}: not a complete XML text: {}", line, XML_ErrorString(XML_GetErrorCode(parser.get()))),
      "was the program that wrote it killed, or the disk full?"};
}

}  // namespace

extern const ImportDefinition kRteval{
    .name = "rteval",
    .made_by = "rteval's summary.xml",
    .recognises = [](std::string_view beginning) { return beginning.find("<rteval ") != beginning.npos; },
    .read = read_rteval};

}  // namespace maxlat::importing
