// SPDX-License-Identifier: MIT
//
// Declaring an event: its name, its fields, and the word that says whether anybody wants it. Start here when adding
// events to a program; tracing them is probe.hpp.
//
//   MAXLAT_TRACE_EVENT(motor, step, (std::uint32_t, axis), (double, position_mm), (maxlat::trace::String<32>, state))
//   MAXLAT_TRACE_EVENT_LEVEL(motor, stalled, error, (std::uint32_t, axis))
//
// at namespace scope, in a source file or in a header that many include. At most 32 fields; types: field.hpp.
//
// LIFE. The event is a constant-initialised object: tracing it is safe from the first instruction of the program to its
// last. A dynamic initialiser of the same file registers it; until then nothing can enable it, so what is traced before
// is neither recorded nor counted as lost. It stays registered until the program's static destructors have run, or its
// module is unloaded with dlclose(). Declared in two source files of a module, and differently, it stays disabled, and
// a line on stderr says so: the linker keeps one of the two, and the other's probes would write what no reader expects.
// Each shared object has its own copy of a header's event (hidden visibility: a probe needs no indirection, and
// dlclose() works); they have the same name and are enabled together.
#pragma once

#include <maxlat/ring/port.h>

#include <atomic>
#include <cstdint>
#include <maxlat/trace/description.hpp>
#include <maxlat/trace/field.hpp>

namespace maxlat::trace {

namespace detail {
union CpuRings;  // other_channel.hpp

// Of the functions that write an event, the one to call: for a channel of the fast kind, for one of that kind whose
// events have their CPU with them, for one with rings per CPU and timer delivery, each being the only one that wants
// the event, and for all else.
enum class ProbeKind { in_thread_ring, in_thread_ring_with_cpu, in_cpu_ring, anywhere };
}  // namespace detail

// One event of one module. What a probe in the fast case looks at is one cache line.
struct alignas(64) Event {
  // The live channels that want it, a bit each; 0: disabled. This is all that a disabled probe looks at.
  std::atomic<std::uint32_t> wanted{0};
  // Where in ThreadState::ring (thread.hpp) the ring of the one channel is that wants it; 0, where there never is one,
  // unless it is one alone, of the fast kind, and the event's id fits a short record. The words change one after the
  // other; a probe in between acts on what each says.
  std::atomic<std::uint32_t> place{0};
  // The function of the event's probe that writes it; null until somebody wants it for the first time. Chosen by
  // choose_probe, which knows its type.
  std::atomic<void (*)()> probe{nullptr};
  // The rings, where it is one channel alone with rings per CPU and timer delivery; null as long as `probe` is.
  std::atomic<const detail::CpuRings*> cpu_rings{nullptr};
  // The record word's constant part: id, and the length where all fields are fixed. Written before the event has a
  // place.
  std::uint64_t kind = 0;
  // From 1, process-wide; 0: not registered. An event that comes back with its module has the id that it had.
  std::uint32_t id = 0;
  // As `place`, for a channel whose events have their CPU with them. A word of its own: the probe that writes no CPU
  // must never find a ring in which readers expect one.
  std::atomic<std::uint32_t> place_with_cpu{0};
  std::uint32_t fixed_size = 0;  // of the payload; 0 when it depends on the values
  std::uint64_t declared = 0;    // detail::fingerprint() of the declaration that the linker kept
  void (*choose_probe)(detail::ProbeKind);
  const EventDescription* description;
  // The registry's list; its lock protects these.
  Event* next = nullptr;
  Event* previous = nullptr;
  bool contradicted = false;  // its declaration, or that of another source file, cannot be: never registered again
};

// Enters an event into the registry; takes it out again when its module goes away. Both may be called more than once:
// every source file that includes a header's event has its own call. `declared`: the fingerprint of this file's
// declaration; `name`: its PROVIDER:NAME, null for the event's own. Another one shares the event where both make one
// identifier (a_b:c, a:b_c).
struct Registration {
  Registration(Event& event, std::uint64_t declared, const char* name = nullptr);
};
void unregister(Event& event);

// Closes the list of arguments, so that one too few is an error as one too many is.
struct EndOfFields {
  explicit constexpr EndOfFields(int) {}
};

namespace detail {

// Of an event's fields, to hand them over (give()); a void comes first.
template <class... Types>
struct FieldTypes {};

// Of a payload whose fields are all fixed; else 0.
constexpr std::uint32_t fixed_size(std::span<const Field> fields) {
  std::uint32_t size = 0;
  for (const Field& field : fields) {
    if (field.kind == FieldKind::sequence || field.kind == FieldKind::string) return 0;
    size += field.bytes * (field.kind == FieldKind::array ? field.count : 1u);
  }
  return size;
}

// Of all that a probe and a reader must agree on: FNV-1a.
constexpr std::uint64_t fingerprint(const EventDescription& event) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  const auto add_text = [&](std::string_view text) {
    for (const char byte : text) add(static_cast<unsigned char>(byte));
    add(text.size());
  };
  add_text(event.provider);
  add_text(event.name);
  add(static_cast<std::uint64_t>(event.level));
  for (const Field& field : event.fields) {
    add_text(field.name);
    for (const std::uint64_t value :
         {std::uint64_t(field.kind), std::uint64_t(field.bytes), std::uint64_t(field.is_signed),
          std::uint64_t(field.is_float), std::uint64_t(field.count), std::uint64_t(field.is_hex),
          std::uint64_t(field.labels.size())}) {
      add(value);
    }
    for (const Label& label : field.labels) {
      add_text(label.name);
      add(label.value);
    }
  }
  return hash;
}

// What TSDL can name. Compilers also take letters beyond ASCII, and $.
constexpr bool is_identifier(std::string_view name) {
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (c < '0' || c > '9')) return false;
  }
  return !name.empty() && (name[0] < '0' || name[0] > '9');
}
constexpr bool have_identifiers(std::span<const Field> fields) {
  for (const Field& field : fields) {
    if (!is_identifier(field.name)) return false;
  }
  return true;
}

// Compare with memory, branch: two instructions, one access. The compiler's atomics take three.
// acquire [K3]: whoever sees a bit finds the function that the event was given before it (Event::probe, null until
// then), and there looks again, inside (probe.hpp). On x86 every load is one.
[[gnu::always_inline]] inline bool is_wanted(const std::atomic<std::uint32_t>& wanted) {
#if defined(__x86_64__) && !defined(MAXLAT_RING_THREAD_BUILTINS)
  static_assert(sizeof(wanted) == sizeof(std::uint32_t));
  asm goto("cmpl $0, %0\n\tjne %l[yes]" : : "m"(wanted) : "cc" : yes);
  return false;
yes:
  return true;
#else
  return wanted.load(std::memory_order_acquire) != 0;
#endif
}

}  // namespace detail
}  // namespace maxlat::trace

// One macro's worth of machinery: a field is (type, name), and a type may have commas of its own.
#define MAXLAT_TRACE_TYPE(...) MAXLAT_TRACE_ALL_BUT_LAST(__VA_ARGS__, 5, 4, 3, 2, )(__VA_ARGS__)
#define MAXLAT_TRACE_ALL_BUT_LAST(a, b, c, d, e, count, ...) MAXLAT_TRACE_TYPE_##count
#define MAXLAT_TRACE_TYPE_2(a, name) a
#define MAXLAT_TRACE_TYPE_3(a, b, name) a, b
#define MAXLAT_TRACE_TYPE_4(a, b, c, name) a, b, c
#define MAXLAT_TRACE_TYPE_5(a, b, c, d, name) a, b, c, d
#define MAXLAT_TRACE_NAME(...) MAXLAT_TRACE_LAST(__VA_ARGS__, 5, 4, 3, 2, )(__VA_ARGS__)
#define MAXLAT_TRACE_LAST(a, b, c, d, e, count, ...) MAXLAT_TRACE_NAME_##count
#define MAXLAT_TRACE_NAME_2(a, name) name
#define MAXLAT_TRACE_NAME_3(a, b, name) name
#define MAXLAT_TRACE_NAME_4(a, b, c, name) name
#define MAXLAT_TRACE_NAME_5(a, b, c, d, name) name
#define MAXLAT_TRACE_STRING(name) MAXLAT_TRACE_STRING_OF(name)
#define MAXLAT_TRACE_STRING_OF(name) #name

#define MAXLAT_TRACE_EACH(what, ...) __VA_OPT__(MAXLAT_TRACE_AGAIN(MAXLAT_TRACE_EACH_ONE(what, __VA_ARGS__)))
#define MAXLAT_TRACE_EACH_ONE(what, first, ...) \
  what first __VA_OPT__(MAXLAT_TRACE_EACH_NEXT MAXLAT_TRACE_PARENTHESES(what, __VA_ARGS__))
#define MAXLAT_TRACE_EACH_NEXT() MAXLAT_TRACE_EACH_ONE
#define MAXLAT_TRACE_PARENTHESES ()
#define MAXLAT_TRACE_AGAIN(...) MAXLAT_TRACE_AGAIN_1(MAXLAT_TRACE_AGAIN_1(MAXLAT_TRACE_AGAIN_1(__VA_ARGS__)))
#define MAXLAT_TRACE_AGAIN_1(...) MAXLAT_TRACE_AGAIN_2(MAXLAT_TRACE_AGAIN_2(MAXLAT_TRACE_AGAIN_2(__VA_ARGS__)))
#define MAXLAT_TRACE_AGAIN_2(...) MAXLAT_TRACE_AGAIN_3(MAXLAT_TRACE_AGAIN_3(MAXLAT_TRACE_AGAIN_3(__VA_ARGS__)))
#define MAXLAT_TRACE_AGAIN_3(...) __VA_ARGS__

// What is made of each field.
#define MAXLAT_TRACE_MEMBER(...) \
  ::maxlat::trace::detail::Given<MAXLAT_TRACE_TYPE(__VA_ARGS__)> MAXLAT_TRACE_NAME(__VA_ARGS__);
#define MAXLAT_TRACE_DESCRIBE(...)                                              \
  ::maxlat::trace::detail::FieldType<MAXLAT_TRACE_TYPE(__VA_ARGS__)>::describe( \
      MAXLAT_TRACE_STRING(MAXLAT_TRACE_NAME(__VA_ARGS__))),
#define MAXLAT_TRACE_TYPE_OF(...) , MAXLAT_TRACE_TYPE(__VA_ARGS__)
#define MAXLAT_TRACE_VALUE(...) , values.MAXLAT_TRACE_NAME(__VA_ARGS__)

// Empty; of more than 32 fields, the 33rd.
#define MAXLAT_TRACE_BEYOND(...) \
  MAXLAT_TRACE_33RD(__VA_ARGS__, , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , )
#define MAXLAT_TRACE_33RD(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, \
                          F, G, ...)                                                                                   \
  G
// The macro that declares an event: which of the two, the 33rd field says.
#define MAXLAT_TRACE_DECLARE(...) MAXLAT_TRACE_DECLARE_BY(MAXLAT_TRACE_BEYOND(__VA_ARGS__))
#define MAXLAT_TRACE_DECLARE_BY(beyond) MAXLAT_TRACE_SECOND(MAXLAT_TRACE_IS_MANY beyond, MAXLAT_TRACE_DECLARE_FEW, )
#define MAXLAT_TRACE_IS_MANY(...) , MAXLAT_TRACE_DECLARE_MANY
#define MAXLAT_TRACE_SECOND(...) MAXLAT_TRACE_SECOND_OF(__VA_ARGS__)
#define MAXLAT_TRACE_SECOND_OF(first, second, ...) second
#define MAXLAT_TRACE_DECLARE_MANY(provider, name, ...) \
  static_assert(false, "event " #provider ":" #name ": at most 32 fields");

#define MAXLAT_TRACE_EVENT(provider, name, ...) \
  MAXLAT_TRACE_EVENT_LEVEL(provider, name, info __VA_OPT__(, ) __VA_ARGS__)

#define MAXLAT_TRACE_EVENT_LEVEL(provider, name, level, ...) \
  MAXLAT_TRACE_DECLARE(__VA_ARGS__)(provider, name, level __VA_OPT__(, ) __VA_ARGS__)

// The fields end with an empty one, so that an event without fields needs no case of its own. The event's second name
// is for types that are made of it: they would be hidden as it is, and so would what they are members of.
#define MAXLAT_TRACE_DECLARE_FEW(provider_, name_, level_, ...)                                                    \
  struct [[gnu::visibility("hidden")]] MaxlatTraceEvent_##provider_##_##name_ {                                    \
    struct Values {                                                                                                \
      MAXLAT_TRACE_EACH(MAXLAT_TRACE_MEMBER, __VA_ARGS__)                                                          \
      ::maxlat::trace::EndOfFields end_of_fields;                                                                  \
    };                                                                                                             \
    static constexpr ::maxlat::trace::Field kFields[] = {MAXLAT_TRACE_EACH(MAXLAT_TRACE_DESCRIBE, __VA_ARGS__){}}; \
    static constexpr ::maxlat::trace::EventDescription kDescription{                                               \
        #provider_, #name_, ::maxlat::trace::Level::level_, {kFields, sizeof(kFields) / sizeof(kFields[0]) - 1}};  \
    static_assert(::maxlat::trace::detail::have_identifiers(kDescription.fields),                                  \
                  #name_ ": names of fields are of A to Z, a to z, 0 to 9 and _");                                 \
    static void choose_probe(::maxlat::trace::detail::ProbeKind kind) {                                            \
      ::maxlat::trace::detail::Probe<MaxlatTraceEvent_##provider_##_##name_ MAXLAT_TRACE_EACH(                     \
          MAXLAT_TRACE_TYPE_OF, __VA_ARGS__)>::choose(kind);                                                       \
    }                                                                                                              \
    static inline constinit ::maxlat::trace::Event event{                                                          \
        .fixed_size = ::maxlat::trace::detail::fixed_size(kDescription.fields),                                    \
        .declared = ::maxlat::trace::detail::fingerprint(kDescription),                                            \
        .choose_probe = &choose_probe,                                                                             \
        .description = &kDescription};                                                                             \
    [[gnu::destructor, gnu::used]] static void module_goes_away() {                                                \
      ::maxlat::trace::unregister(event);                                                                          \
    }                                                                                                              \
    [[gnu::always_inline]] static void trace([[maybe_unused]] const Values& values) {                              \
      ::maxlat::trace::detail::Probe<MaxlatTraceEvent_##provider_##_##name_ MAXLAT_TRACE_EACH(                     \
          MAXLAT_TRACE_TYPE_OF, __VA_ARGS__)>::trace(event MAXLAT_TRACE_EACH(MAXLAT_TRACE_VALUE, __VA_ARGS__));    \
    }                                                                                                              \
    template <class Take>                                                                                          \
    [[gnu::always_inline]] static void give([[maybe_unused]] const Values& values, Take take) {                    \
      take(::maxlat::trace::detail::FieldTypes<void MAXLAT_TRACE_EACH(MAXLAT_TRACE_TYPE_OF, __VA_ARGS__)>{}        \
               MAXLAT_TRACE_EACH(MAXLAT_TRACE_VALUE, __VA_ARGS__));                                                \
    }                                                                                                              \
  };                                                                                                               \
  struct MaxlatNamedEvent_##provider_##_##name_ {                                                                  \
    using Event = MaxlatTraceEvent_##provider_##_##name_;                                                          \
  };                                                                                                               \
  static const ::maxlat::trace::Registration maxlat_trace_registration_##provider_##_##name_(                      \
      MaxlatTraceEvent_##provider_##_##name_::event,                                                               \
      ::std::integral_constant<::std::uint64_t, ::maxlat::trace::detail::fingerprint(                              \
                                                    MaxlatTraceEvent_##provider_##_##name_::kDescription)>::value, \
      #provider_ ":" #name_);
