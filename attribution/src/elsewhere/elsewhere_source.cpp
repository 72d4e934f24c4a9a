// SPDX-License-Identifier: MIT
#include "elsewhere_source.hpp"

#include <algorithm>
#include <utility>

namespace maxlat::attribution {
namespace {

constexpr const char* kInstancePrefix = "maxlat-elsewhere-";
constexpr size_t kBufferKb = 128;  // of each CPU: two thousand events
constexpr size_t kMostPages = 64;  // of one CPU in one read(): twice what a buffer holds

core::Result<SenderProbes> make_probes() {
  const core::Result<std::string> tracefs = core::open_tracefs("/");
  if (!tracefs) return tracefs.error();
  return SenderProbes::make("/", *tracefs);
}

}  // namespace

core::Result<ElsewhereSource> ElsewhereSource::open(const core::CpuList& watched) {
  // One that is offline may come online, and then it wakes and sends as others do.
  auto all = core::present_cpus();
  if (!all) return all.error();
  auto buffers = KernelBuffers::open("/", kInstancePrefix);
  if (!buffers) return buffers.error();
  std::optional<SenderProbes> probes;
  std::string why_no_probes;
  if (!ElsewhereFormats::has_senders(buffers->events())) {
    auto made = make_probes();  // behind the instances of the dead, which may have theirs on
    if (made) probes.emplace(*std::move(made));
    if (!made) why_no_probes = made.error().text;
  }
  auto formats = ElsewhereFormats::read(buffers->events(), probes ? probes->group() : "");
  if (!formats) return formats.error();
  ElsewhereSource source(std::move(probes), *std::move(buffers), *std::move(formats));
  source.why_no_probes_ = std::move(why_no_probes);
  using Sender = ElsewhereFormats::Event::Sender;
  std::vector<std::string> names;
  for (const ElsewhereFormats::Event& event : source.formats_.aimed_at(watched)) {
    const core::Status filtered = source.buffers_.filter(event.name, event.filter);
    // Linux 6.4 and 6.5 cannot look into a mask. Without its filter everything would be recorded. Without another event
    // the wrong one would be named.
    if (!filtered && event.sender == Sender::none) return filtered.error();
    if (!filtered) continue;
    names.push_back(event.name);
    source.senders_to_one_ = source.senders_to_one_ || event.sender == Sender::to_one;
    source.senders_to_several_ = source.senders_to_several_ || (event.sender == Sender::to_several && event.is_of_all);
  }
  if (core::Status recording = source.buffers_.record(*all, names, kBufferKb); !recording) return recording.error();
  source.watched_ = watched;
  source.all_ = *std::move(all);
  return source;
}

core::Result<bool> ElsewhereSource::read(std::vector<std::vector<KernelEvent>>& done) {
  names_.clear();
  bool is_whole = true;
  for (size_t cpu = 0; cpu < all_.size(); ++cpu) {
    bool is_empty = false;
    for (size_t pages = 0; pages < kMostPages && !is_empty; ++pages) {
      const core::Result<bool> any = buffers_.read(cpu, page_);
      if (!any) return any.error();
      is_empty = !*any;
      if (is_empty) break;
      is_whole = is_whole && !page_.lost_before;
      for (const RingRecord& record : page_.records) is_whole = add(record, all_[cpu], done) && is_whole;
    }
    is_whole = is_whole && is_empty;
  }
  for (std::vector<KernelEvent>& of_cpu : done)
    std::stable_sort(of_cpu.begin(), of_cpu.end(),
                     [](const KernelEvent& a, const KernelEvent& b) { return a.tick < b.tick; });
  return is_whole;
}

bool ElsewhereSource::add(const RingRecord& record, unsigned by, std::vector<std::vector<KernelEvent>>& done) {
  std::optional<ElsewhereFormats::Done> one = formats_.decode(record.tick, record.bytes, by);
  if (!one) return false;
  const bool is_moved = one->event.kind == EventKind::moved_elsewhere;
  for (size_t i = 0; i < watched_.size(); ++i) {
    if ((watched_[i] == by && !is_moved) || !one->is_done_to(watched_[i])) continue;
    if (one->event.running > 0 && !is_moved) {
      const auto [known, is_new] = names_.try_emplace(one->event.running);
      if (is_new) known->second = thread_of_proc(one->event.running).name;
      one->event.name = known->second;
    }
    done[i].push_back(one->event);
  }
  return true;
}

}  // namespace maxlat::attribution
