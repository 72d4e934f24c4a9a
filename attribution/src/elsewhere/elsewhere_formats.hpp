// SPDX-License-Identifier: MIT
//
// Which events tell what other CPUs do to the watched ones, how the kernel picks out those that do, and what a record
// of one says. Beside event_meaning.hpp, which is of what a CPU does itself.
//
//   sched_waking, sched_wakeup(_new)   a thread is woken where it ran last, or where it is to run
//   sched_migrate_task                 it goes from one CPU to another
//   ipi_send_cpu, ipi_send_cpumask     an interrupt is sent, from Linux 6.4 on
//   reschedule, call_one, call_many    the same on older ones, by probes of our own (sender_probes.hpp)
#pragma once

#include <cstddef>
#include <cstdint>
#include <maxlat/attribution/event_format.hpp>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace maxlat::attribution {

class ElsewhereFormats {
 public:
  // `events` is the folder events/ of a trace instance, `probes` the group of the probes in it; "": there are none. An
  // event that this kernel lacks is left out. ERRORS: a format that is not as the table has it.
  static core::Result<ElsewhereFormats> read(const std::string& events, const std::string& probes = "");
  // Whether this kernel has an event of its own of interrupts that are sent.
  static bool has_senders(const std::string& events);

  struct Event {
    std::string name;    // "sched/sched_waking"
    std::string filter;  // of the kernel: what is done to these CPUs, by others
    enum class Sender : uint8_t { none, to_one, to_several } sender = Sender::none;  // of an interrupt: it tells that
    bool is_of_all = true;  // false: only of those watched CPUs that a probe's word has a bit of
  };
  std::vector<Event> aimed_at(const core::CpuList& watched) const;

  struct Done {
    KernelEvent event;                  // without the name of its thread
    uint64_t targets[2] = {};           // CPUs, of an event that names them so
    std::span<const std::byte> mask{};  // of an event that does not: a bit each
    size_t target_count = 0;
    bool is_done_to(unsigned cpu) const;
  };
  // Of a record that the CPU `by` made. The mask is the record's. Nothing: it is of no event of the table, or shorter
  // than its format.
  std::optional<Done> decode(uint64_t tick, std::span<const std::byte> record, unsigned by) const;

 private:
  struct Meaning;
  static const std::vector<Meaning>& meanings();
  struct Layout {
    const Meaning* meaning = nullptr;  // null: no event of the table
    FormatField flags{}, thread{};
    std::optional<FormatField> number{}, value{}, call{}, mask{};
    std::vector<FormatField> targets{};
  };
  core::Status add(const std::string& events, const Meaning& meaning);
  std::string name_of(const Meaning& meaning) const;

  std::string probes_;
  std::vector<Layout> by_number_;
  std::vector<const Meaning*> found_;
};

}  // namespace maxlat::attribution
