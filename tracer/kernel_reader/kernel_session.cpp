// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <maxlat/base/owned.hpp>
#include <maxlat/trace/kernel/kernel_session.hpp>
#include <string>

#include "kernel_reader/kernel_ring.hpp"

namespace maxlat::trace {

struct KernelSession::State {
  // What a type of kernel_event_types() has in the program itself.
  struct RawType {
    KernelRawEvent event;
    std::vector<KernelField> fields;
    KernelEventType type;
  };
  base::Descriptor device;
  std::deque<RawType> raw_types;
  std::array<const KernelEventType*, MAXLAT_TRACE_RAW_EVENTS> raw_by_id{};
  KernelCapabilities capabilities;
  std::chrono::milliseconds period{0};
  std::uint32_t packets_of_ring = 0;
  std::vector<base::Mapping> mappings;
  std::vector<detail::KernelRing> rings;  // rings[i] lies in mappings[i]
  bool unfinished = false;                // somebody was writing where the last read() ended

  // What is in rings[place]. RETURNS: false: somebody was writing there.
  base::Result<bool> read(std::size_t place, const detail::UseKernelRecord& use);
};

namespace {

constexpr const char* kDevice = MAXLAT_TRACE_DEVICE;

base::Error not_opened(int why) {
  if (why == ENOENT || why == ENODEV)
    return base::cannot_run("the kernel tracer's module is not loaded: no " + std::string(kDevice),
                            "modprobe maxlat_trace (kernel/README.md)");
  if (why == EMFILE)
    return base::cannot_run(std::to_string(MAXLAT_TRACE_SESSIONS) + " sessions use " + kDevice + " already");
  base::Error error = base::system_error(std::string("cannot open ") + kDevice, why, "run as root");
  error.exit_status = base::Exit::cannot_run;
  return error;
}

base::Error not_started(int why) {
  if (why == EINVAL) return {"the kernel tracer does not take these sizes, CPUs or period"};
  if (why == ENOMEM) return {"not enough memory for the kernel tracer's rings", "smaller ones, or fewer CPUs"};
  return base::system_error("cannot start the kernel tracer", why);
}

base::Error not_added(const KernelRawEvent& event, int why) {
  const bool is_function = event.kind == KernelRawEvent::Kind::function;
  const char* const what = is_function ? "function" : "tracepoint";
  if (why == ENOENT) return {"this kernel has no " + std::string(what) + " \"" + event.name + "\""};
  if (why == EINVAL && is_function)
    return {"the kernel allows no probe at the function \"" + event.name + "\"",
            "/sys/kernel/debug/kprobes/blacklist lists where it does not"};
  if (why == EOPNOTSUPP && !is_function)
    return base::cannot_run("this kernel checks the types of what it calls (CONFIG_CFI_CLANG): the module records no " +
                            std::string("tracepoint that it does not know"));
  if (why == ENOSPC)
    return {"more than " + std::to_string(MAXLAT_TRACE_RAW_EVENTS) + " events that the module does not know"};
  return base::system_error("cannot probe the " + std::string(what) + " \"" + event.name + "\"", why);
}

// Each in 8 bytes, the lower ones first.
std::vector<KernelField> fields_of(const KernelRawEvent& event) {
  std::vector<KernelField> fields;
  if (event.kind == KernelRawEvent::Kind::function) fields.push_back({"caller", KernelFieldKind::address, 0, 8});
  for (const KernelRawEvent::Argument& argument : event.arguments)
    fields.push_back({argument.name, argument.kind, static_cast<std::uint16_t>(8 * fields.size()), argument.bytes});
  return fields;
}

std::vector<std::uint8_t> mask_of(const std::vector<std::uint32_t>& cpus) {
  std::vector<std::uint8_t> mask;
  for (const std::uint32_t cpu : cpus) {
    mask.resize(std::max<std::size_t>(mask.size(), cpu / 8 + 1));
    mask[cpu / 8] = static_cast<std::uint8_t>(mask[cpu / 8] | 1u << cpu % 8);
  }
  return mask;
}

// RETURNS: an empty one: this CPU is not traced.
base::Result<base::Mapping> map_ring(int device, std::uint32_t cpu, std::uint64_t bytes) {
  void* const where = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, device, static_cast<off_t>(cpu * bytes));
  if (where != MAP_FAILED) return base::Mapping(where, bytes);
  if (errno == EINVAL) return base::Mapping();
  return base::system_error("cannot map the kernel's ring of CPU " + std::to_string(cpu), errno);
}

}  // namespace

KernelSession::KernelSession(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelSession::KernelSession(KernelSession&&) noexcept = default;
KernelSession& KernelSession::operator=(KernelSession&&) noexcept = default;
KernelSession::~KernelSession() = default;

base::Result<KernelSession> KernelSession::open() {
  auto state = std::make_unique<State>();
  state->device = base::Descriptor(::open(kDevice, O_RDWR | O_CLOEXEC));
  if (!state->device) return not_opened(errno);
  maxlat_trace_info info{};
  if (ioctl(state->device.number(), MAXLAT_TRACE_INFO, &info) != 0 || info.size != sizeof info ||
      info.abi_version != MAXLAT_TRACE_ABI_VERSION)
    return base::cannot_run("the kernel tracer's module is of another version than this maxlat",
                            "build and load the module that came with it (kernel/README.md)");
  state->capabilities = {.counter_khz = info.counter_khz,
                         .counter_constant = (info.features & MAXLAT_TRACE_COUNTER_CONSTANT) != 0,
                         .events = info.events,
                         .cpu_limit = info.cpu_limit};
  return KernelSession(std::move(state));
}

const KernelCapabilities& KernelSession::capabilities() const {
  return state_->capabilities;
}

base::Result<const KernelEventType*> KernelSession::add(const KernelRawEvent& event) {
  maxlat_trace_add request = {.size = sizeof request,
                              .kind = static_cast<std::uint32_t>(event.kind),
                              .arguments = static_cast<std::uint32_t>(event.arguments.size()),
                              .id = 0,
                              .name = {}};
  if (event.name.size() >= sizeof request.name) return not_added(event, ENOENT);
  event.name.copy(request.name, sizeof request.name);
  if (ioctl(state_->device.number(), MAXLAT_TRACE_ADD, &request) != 0) return not_added(event, errno);
  if (const KernelEventType* known = state_->raw_by_id[request.id - MAXLAT_TRACE_FIRST_RAW]) return known;
  State::RawType& added = state_->raw_types.emplace_back(State::RawType{event, {}, {}});
  added.fields = fields_of(added.event);
  added.type = {.id = request.id,
                .group = added.event.group,
                .name = added.event.name,
                .bytes = static_cast<std::uint16_t>(8 * added.fields.size()),
                .fields = added.fields};
  state_->raw_by_id[request.id - MAXLAT_TRACE_FIRST_RAW] = &added.type;
  return &added.type;
}

base::Status KernelSession::start(const KernelSessionOptions& options) {
  const int device = state_->device.number();
  const std::uint64_t events = options.events & state_->capabilities.events;
  if (events == 0 && state_->raw_types.empty())
    return base::cannot_run("this kernel has none of the events that were asked for");
  if (!state_->capabilities.counter_constant && !options.trust_counter)
    return base::cannot_run("the processor's counter may change its rate, so ticks are no time");
  for (const std::uint32_t cpu : options.cpus)
    if (cpu >= state_->capabilities.cpu_limit) return base::Error{"there is no CPU " + std::to_string(cpu)};
  const std::vector<std::uint8_t> mask = mask_of(options.cpus);
  maxlat_trace_start request = {.size = sizeof request,
                                .sub_buffer_bits = options.sub_buffer_bits,
                                .ring_bits = options.ring_bits,
                                .overwrite = options.overwrite ? 1u : 0u,
                                .events = events,
                                .cpu_mask = reinterpret_cast<std::uintptr_t>(mask.data()),
                                .cpu_mask_bytes = static_cast<std::uint32_t>(mask.size()),
                                .period_ms = static_cast<std::uint32_t>(options.period.count()),
                                .ring_bytes = 0};
  if (ioctl(device, MAXLAT_TRACE_START, &request) != 0) return not_started(errno);
  state_->period = options.period;
  state_->packets_of_ring = std::uint32_t{1} << options.ring_bits;
  for (std::uint32_t cpu = 0; cpu < state_->capabilities.cpu_limit; ++cpu) {
    base::Result<base::Mapping> mapping = map_ring(device, cpu, request.ring_bytes);
    if (!mapping) return mapping.error();
    if (mapping->where() == nullptr) continue;
    base::Result<detail::KernelRing> ring =
        detail::KernelRing::attach(cpu, mapping->where(), request.ring_bytes, state_->raw_by_id);
    if (!ring) return ring.error();
    state_->mappings.push_back(*std::move(mapping));
    state_->rings.push_back(*std::move(ring));
  }
  return {};
}

base::Result<bool> KernelSession::wait(std::chrono::milliseconds at_most) {
  // Who was writing then is not told of again.
  const bool unfinished = state_->unfinished;
  if (unfinished) at_most = std::min(at_most, state_->period);
  pollfd descriptor = {state_->device.number(), POLLIN, 0};
  const int ready = poll(&descriptor, 1, static_cast<int>(at_most.count()));
  if (ready < 0 && errno != EINTR) return base::system_error("cannot wait for the kernel's events", errno);
  std::uint64_t periods = 0;
  if (ready > 0 && (descriptor.revents & POLLIN) != 0 && ::read(descriptor.fd, &periods, sizeof periods) < 0 &&
      errno != EINTR)
    return base::system_error("cannot wait for the kernel's events", errno);
  return periods > 0 || unfinished;
}

// No more than a ring holds: a CPU that writes as fast as it is read does not keep the reader from the others.
base::Result<bool> KernelSession::State::read(std::size_t place, const detail::UseKernelRecord& use) {
  detail::KernelRing& ring = rings[place];
  for (std::uint32_t packets = 0; packets < packets_of_ring; ++packets) {
    maxlat_trace_packet packet = {
        .size = sizeof packet, .cpu = ring.cpu(), .offset = 0, .content_size = 0, .sequence = 0};
    if (ioctl(device.number(), MAXLAT_TRACE_GET, &packet) != 0) {
      if (errno == EAGAIN) break;
      return base::system_error("cannot get a packet of the kernel's events", errno);
    }
    const auto* const bytes = static_cast<const std::uint8_t*>(mappings[place].where()) + packet.offset;
    const base::Status done = ring.read(bytes, packet.content_size, packet.sequence, use);
    const maxlat_trace_put put = {.size = sizeof put, .cpu = ring.cpu()};
    if (ioctl(device.number(), MAXLAT_TRACE_PUT, &put) != 0)
      return base::system_error("cannot give a packet of the kernel's events back", errno);
    if (!done) return done.error();
  }
  return ring.read_open(use);
}

base::Status KernelSession::read(const std::function<void(const KernelRecord&)>& use) {
  state_->unfinished = false;
  for (std::size_t place = 0; place < state_->rings.size(); ++place) {
    const base::Result<bool> whole = state_->read(place, use);
    if (!whole) return whole.error();
    state_->unfinished |= !*whole;
  }
  return {};
}

base::Result<bool> KernelSession::read_cpu(std::uint32_t cpu, const std::function<void(const KernelRecord&)>& use) {
  for (std::size_t place = 0; place < state_->rings.size(); ++place)
    if (state_->rings[place].cpu() == cpu) return state_->read(place, use);
  return base::Error{"CPU " + std::to_string(cpu) + " is not traced"};
}

std::uint64_t KernelSession::lost_ahead(std::uint32_t cpu) const {
  for (const detail::KernelRing& ring : state_->rings) {
    if (ring.cpu() != cpu) continue;
    const maxlat_ring_header& header = ring.header();
    // relaxed: counters
    const std::uint64_t lost = maxlat_ring_load(&header.lost_full) + maxlat_ring_load(&header.lost_wrap) +
                               maxlat_ring_load(&header.lost_big);
    return lost - std::min(lost, ring.lost_told());
  }
  return 0;
}

base::Status KernelSession::stop() {
  if (ioctl(state_->device.number(), MAXLAT_TRACE_STOP) != 0)
    return base::system_error("cannot stop the kernel tracer", errno);
  return {};
}

KernelBooks KernelSession::books() const {
  KernelBooks books;
  for (const detail::KernelRing& ring : state_->rings) {
    const maxlat_ring_header& header = ring.header();
    // relaxed: counters
    books.delivered += maxlat_ring_load(&header.records_delivered);
    books.lost_full += maxlat_ring_load(&header.lost_full);
    books.lost_wrap += maxlat_ring_load(&header.lost_wrap);
    books.lost_big += maxlat_ring_load(&header.lost_big);
    books.read += ring.records_read();
  }
  return books;
}

int KernelSession::descriptor() const {
  return state_->device.number();
}

}  // namespace maxlat::trace
