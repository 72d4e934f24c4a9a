/* SPDX-License-Identifier: MIT */
/*
 * The tracer for C, and for whatever can call C. Start here when your program is not C++20; C++20 has trace/trace.hpp,
 * whose probes cost less. One trace can hold events of both, and neither reader nor recorder can distinguish them.
 *
 *   #include <maxlat/trace.h>
 *
 *   MAXLAT_C_EVENT(motor, step, scalar(uint32_t, axis), scalar(double, position_mm), text(state, 32))
 *   MAXLAT_C_EVENT(motor, samples, array(float, three, 3), sequence(int16_t, values, 64), hex(uint32_t, flags))
 *   MAXLAT_C_EVENT_LEVEL(motor, stalled, MAXLAT_TRACE_ERROR, scalar(uint32_t, axis))
 *
 *   MAXLAT_C_TRACE(motor, step, axis, position, "homing");
 *   MAXLAT_C_TRACE(motor, samples, three, values, count, flags);    a sequence is given as pointer and count
 *   if (MAXLAT_C_TRACE_ENABLED(motor, samples)) ...            before work that only the event needs
 *
 * An event is declared at file scope, in a source file or in a header that many include; at most 32 fields. Fields:
 * scalar, an integer, float or double; hex, an integer that is shown in base 16; text, up to that many bytes of a
 * string (null: empty); array, exactly that many elements; sequence, at most that many. Longer values are cut silently.
 * An enum is traced as an integer; only C++20 has labels. The compiler refuses what no record can hold (__int128, a
 * text of 0 bytes). What it cannot check (a name that is not a plain identifier) leaves the event disabled, and so do
 * two declarations that differ; one line on stderr says so when the program starts.
 *
 * C11 or later (or C++17) with the GNU extensions that gcc and clang have in every mode. Link with maxlat-trace, the
 * shared library, or with the static libraries of the C++ interface.
 *
 * COST. Disabled: a load, a compare, a branch. Enabled, the fields are gathered on the stack and one call copies them
 * into the ring, which is more than a C++ probe does: docs/tracer-peers.md has both, counted.
 * THREADS: events may be traced from any thread, signal handler, constructor or destructor; errno is left alone. All
 * other calls: any thread, not from handlers, but for maxlat_trace_flush and maxlat_trace_request_snapshot.
 * ERRORS: calls that return int return 0, or -1; then maxlat_trace_error() says in one line why.
 */
#ifndef MAXLAT_TRACE_H
#define MAXLAT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As syslog has them; a session may ask for events up to a level. */
enum maxlat_trace_level {
  MAXLAT_TRACE_EMERGENCY,
  MAXLAT_TRACE_ALERT,
  MAXLAT_TRACE_CRITICAL,
  MAXLAT_TRACE_ERROR,
  MAXLAT_TRACE_WARNING,
  MAXLAT_TRACE_NOTICE,
  MAXLAT_TRACE_INFO,
  MAXLAT_TRACE_DEBUG
};

/* ---- The recording that goes on around the program ---- */

/* Lets `maxlat trace` in: trace/control.hpp. */
int maxlat_trace_open_control(void);
void maxlat_trace_close_control(void);
/* Before the real-time part of a thread: trace/thread.hpp. RETURNS: whether nothing was missing. */
bool maxlat_trace_prepare_thread(void);
/* Hands over what the calling thread has begun. Signal handlers, too. */
void maxlat_trace_flush(void);
/* Of this thread's last call that returned -1. Valid until its next. */
const char* maxlat_trace_error(void);

/* ---- Sessions: recording from inside the program, trace/session.hpp ---- */

struct maxlat_trace_session; /* a handle */

enum maxlat_trace_ownership { MAXLAT_TRACE_PER_THREAD, MAXLAT_TRACE_PER_CPU };
enum maxlat_trace_when_full { MAXLAT_TRACE_DISCARD, MAXLAT_TRACE_OVERWRITE };
enum maxlat_trace_delivery { MAXLAT_TRACE_TIMER, MAXLAT_TRACE_WAKEUP };
enum maxlat_trace_context { MAXLAT_TRACE_NO_CONTEXT, MAXLAT_TRACE_CPU }; /* each event with its CPU */

/* Zero stands for the value that C++'s ChannelOptions has, in every member. */
struct maxlat_trace_channel {
  const char* name; /* null: channel0 */
  enum maxlat_trace_when_full when_full;
  enum maxlat_trace_ownership ownership;
  enum maxlat_trace_delivery delivery;
  enum maxlat_trace_context context;
  uint64_t sub_buffer_size; /* bytes, a power of two */
  uint32_t sub_buffers;     /* a power of two, 2 at least */
  uint32_t slots;           /* rings of threads at one time */
};

/* Of all channels. produced = recorded + the four kinds of lost; exact while the session is stopped. */
struct maxlat_trace_books {
  uint64_t recorded;
  uint64_t lost_full;
  uint64_t lost_wrap;
  uint64_t lost_big;
  uint64_t lost_no_ring;
};

/* RETURNS: null: maxlat_trace_error(). The caller's, to give back with maxlat_trace_session_close. */
struct maxlat_trace_session* maxlat_trace_session_create(const char* name);
/* Gives the handle back. The session lives until it is destroyed or the process ends. Null: nothing. */
void maxlat_trace_session_close(struct maxlat_trace_session* session);
int maxlat_trace_session_add_channel(struct maxlat_trace_session* session, const struct maxlat_trace_channel* channel);
int maxlat_trace_session_enable(struct maxlat_trace_session* session, const char* channel, const char* pattern,
                                enum maxlat_trace_level up_to);
int maxlat_trace_session_disable(struct maxlat_trace_session* session, const char* channel, const char* pattern);
int maxlat_trace_session_start(struct maxlat_trace_session* session);
int maxlat_trace_session_stop(struct maxlat_trace_session* session);
int maxlat_trace_session_destroy(struct maxlat_trace_session* session);
void maxlat_trace_session_books(struct maxlat_trace_session* session, struct maxlat_trace_books* books);
/* Asks the recorder of an overwriting session for a snapshot of now. Signal handlers, too. */
void maxlat_trace_request_snapshot(struct maxlat_trace_session* session);

/* ---- What the macros are made of ---- */

enum maxlat_trace_kind {
  MAXLAT_TRACE_KIND_SCALAR,
  MAXLAT_TRACE_KIND_TEXT,
  MAXLAT_TRACE_KIND_ARRAY,
  MAXLAT_TRACE_KIND_SEQUENCE,
  MAXLAT_TRACE_KIND_HEX /* a scalar; to a library that does not know it, too */
};

/* A field as it was declared: trace/description.hpp in C. */
struct maxlat_trace_field {
  const char* name;
  uint8_t kind;  /* maxlat_trace_kind */
  uint8_t bytes; /* of one element */
  bool is_signed;
  bool is_float;
  uint16_t count; /* elements of an array; at most, of a sequence or text */
};

struct maxlat_trace_declaration {
  const char* provider;
  const char* name;
  uint32_t level;
  uint32_t fields;
  const struct maxlat_trace_field* field;
};

/* A field of one event, where it lies at the caller's. */
struct maxlat_trace_value {
  const void* from;
  size_t count; /* elements of a sequence; else not looked at */
};

/* An event of one module. Begins as the C++ Event does, whose place it keeps. Zero before it is registered. */
struct maxlat_trace_event {
  uint32_t wanted;
  uint32_t opaque[31];
} __attribute__((aligned(64)));

/* Enters it, and takes it out when its module goes; each source file that declares it calls both. */
void maxlat_trace_register(struct maxlat_trace_event* event, const struct maxlat_trace_declaration* declaration);
void maxlat_trace_unregister(struct maxlat_trace_event* event);
/* `values`: one for each field of the declaration. */
void maxlat_trace_record(struct maxlat_trace_event* event, const struct maxlat_trace_value* values);

#ifdef __cplusplus
}
#endif

/* IS_FLOAT. In C a comparison of floating numbers is no integer constant expression, which clang's _Static_assert
 * insists on; C++ has no _Generic: there one half stays one by a floating type alone, integers make it 0, bool 1. */
#ifdef __cplusplus
#define MAXLAT_C_ASSERT(...) static_assert(__VA_ARGS__)
#define MAXLAT_C_IS_FLOAT(type) ((type)0.5 != (type)0 && (type)0.5 != (type)1)
#else
#define MAXLAT_C_ASSERT(...) _Static_assert(__VA_ARGS__)
#define MAXLAT_C_IS_FLOAT(type) _Generic((type)0, float : true, double : true, long double : true, default : false)
#endif

#define MAXLAT_C_EACH(what, ...) __VA_OPT__(MAXLAT_C_AGAIN(MAXLAT_C_EACH_ONE(what, __VA_ARGS__)))
#define MAXLAT_C_EACH_ONE(what, first, ...) \
  what##first __VA_OPT__(MAXLAT_C_EACH_NEXT MAXLAT_C_PARENTHESES(what, __VA_ARGS__))
#define MAXLAT_C_EACH_NEXT() MAXLAT_C_EACH_ONE
#define MAXLAT_C_PARENTHESES ()
#define MAXLAT_C_AGAIN(...) MAXLAT_C_AGAIN_1(MAXLAT_C_AGAIN_1(MAXLAT_C_AGAIN_1(__VA_ARGS__)))
#define MAXLAT_C_AGAIN_1(...) MAXLAT_C_AGAIN_2(MAXLAT_C_AGAIN_2(MAXLAT_C_AGAIN_2(__VA_ARGS__)))
#define MAXLAT_C_AGAIN_2(...) MAXLAT_C_AGAIN_3(MAXLAT_C_AGAIN_3(MAXLAT_C_AGAIN_3(__VA_ARGS__)))
#define MAXLAT_C_AGAIN_3(...) __VA_ARGS__

/* Each kind of field, as the parameters of the function that traces, as its value there, and as its description. */
#define MAXLAT_C_PARAMETER_scalar(type, name) , type name
#define MAXLAT_C_PARAMETER_hex(type, name) , type name
#define MAXLAT_C_PARAMETER_text(name, cap) , const char* name
#define MAXLAT_C_PARAMETER_array(type, name, elements) , const type name[elements]
#define MAXLAT_C_PARAMETER_sequence(type, name, cap) , const type *name, size_t name##_count

#define MAXLAT_C_VALUE_scalar(type, name) {&name, 0},
#define MAXLAT_C_VALUE_hex(type, name) {&name, 0},
#define MAXLAT_C_VALUE_text(name, cap) {name, 0},
#define MAXLAT_C_VALUE_array(type, name, elements) {name, 0},
#define MAXLAT_C_VALUE_sequence(type, name, cap) {name, name##_count},

#define MAXLAT_C_DESCRIBE_scalar(type, name) MAXLAT_C_DESCRIBED(type, name, MAXLAT_TRACE_KIND_SCALAR, 0)
#define MAXLAT_C_DESCRIBE_hex(type, name) MAXLAT_C_DESCRIBED(type, name, MAXLAT_TRACE_KIND_HEX, 0)
#define MAXLAT_C_DESCRIBE_text(name, cap) {#name, MAXLAT_TRACE_KIND_TEXT, 1, false, false, cap},
#define MAXLAT_C_DESCRIBE_array(type, name, elements) MAXLAT_C_DESCRIBED(type, name, MAXLAT_TRACE_KIND_ARRAY, elements)
#define MAXLAT_C_DESCRIBE_sequence(type, name, cap) MAXLAT_C_DESCRIBED(type, name, MAXLAT_TRACE_KIND_SEQUENCE, cap)
#define MAXLAT_C_IS_SIGNED(type) (!MAXLAT_C_IS_FLOAT(type) && (type)-1 < (type)1 && (type)-1 != (type)1)
#define MAXLAT_C_DESCRIBED(type, name, kind, count) \
  {#name, kind, sizeof(type), MAXLAT_C_IS_SIGNED(type), MAXLAT_C_IS_FLOAT(type), count},

/* What the compiler sees that no record can hold. */
#define MAXLAT_C_CHECK_scalar(type, name) MAXLAT_C_CHECK_SIZE(type, name)
#define MAXLAT_C_CHECK_hex(type, name) \
  MAXLAT_C_CHECK_SIZE(type, name)      \
  MAXLAT_C_ASSERT(!MAXLAT_C_IS_FLOAT(type), "field " #name ": hex is of an integer");
#define MAXLAT_C_CHECK_text(name, cap) MAXLAT_C_CHECK_COUNT(name, cap)
#define MAXLAT_C_CHECK_array(type, name, elements) MAXLAT_C_CHECK_SIZE(type, name) MAXLAT_C_CHECK_COUNT(name, elements)
#define MAXLAT_C_CHECK_sequence(type, name, cap) MAXLAT_C_CHECK_SIZE(type, name) MAXLAT_C_CHECK_COUNT(name, cap)
#define MAXLAT_C_CHECK_SIZE(type, name)                                                             \
  MAXLAT_C_ASSERT(sizeof(type) == 1 || sizeof(type) == 2 || sizeof(type) == 4 || sizeof(type) == 8, \
                  "field " #name ": an integer, float or double of 1, 2, 4 or 8 bytes");
#define MAXLAT_C_CHECK_COUNT(name, count) \
  MAXLAT_C_ASSERT((count) >= 1 && (count) <= UINT16_MAX, "field " #name ": 1 to 65535 elements or bytes");

/* Empty; of more than 32 fields, the 33rd. */
#define MAXLAT_C_BEYOND(...) \
  MAXLAT_C_33RD(__VA_ARGS__, , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , )
#define MAXLAT_C_33RD(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, \
                      G, ...)                                                                                         \
  G
/* The macro that declares an event: which of the two, the 33rd field says. */
#define MAXLAT_C_DECLARE(...) MAXLAT_C_DECLARE_BY(MAXLAT_C_BEYOND(__VA_ARGS__))
#define MAXLAT_C_DECLARE_BY(beyond) MAXLAT_C_DECLARE_AS(beyond)
#define MAXLAT_C_DECLARE_AS(beyond) MAXLAT_C_SECOND(MAXLAT_C_BEYOND_##beyond, MAXLAT_C_DECLARE_FEW, )
#define MAXLAT_C_SECOND(...) MAXLAT_C_SECOND_OF(__VA_ARGS__)
#define MAXLAT_C_SECOND_OF(first, second, ...) second
#define MAXLAT_C_BEYOND_scalar(...) , MAXLAT_C_DECLARE_MANY
#define MAXLAT_C_BEYOND_hex(...) , MAXLAT_C_DECLARE_MANY
#define MAXLAT_C_BEYOND_text(...) , MAXLAT_C_DECLARE_MANY
#define MAXLAT_C_BEYOND_array(...) , MAXLAT_C_DECLARE_MANY
#define MAXLAT_C_BEYOND_sequence(...) , MAXLAT_C_DECLARE_MANY
#define MAXLAT_C_DECLARE_MANY(provider, name, ...) \
  MAXLAT_C_ASSERT(0, "event " #provider ":" #name ": at most 32 fields");

#define MAXLAT_C_EVENT(provider, name, ...) \
  MAXLAT_C_EVENT_LEVEL(provider, name, MAXLAT_TRACE_INFO __VA_OPT__(, ) __VA_ARGS__)

#define MAXLAT_C_EVENT_LEVEL(provider, name, level, ...) \
  MAXLAT_C_DECLARE(__VA_ARGS__)(provider, name, level __VA_OPT__(, ) __VA_ARGS__)

/* Weak and hidden: the source files of one module that declare an event share it. */
#define MAXLAT_C_DECLARE_FEW(provider_, name_, level_, ...)                                                          \
  __attribute__((weak, visibility("hidden"))) struct maxlat_trace_event maxlat_trace_event_##provider_##_##name_ = { \
      0, {0}};                                                                                                       \
  __attribute__((constructor, unused)) static void maxlat_trace_enter_##provider_##_##name_(void) {                  \
    MAXLAT_C_ASSERT((unsigned long long)(level_) <= MAXLAT_TRACE_DEBUG, #name_ ": a level is 0 to 7");               \
    MAXLAT_C_EACH(MAXLAT_C_CHECK_, __VA_ARGS__)                                                                      \
    static const struct maxlat_trace_field fields[] = {                                                              \
        MAXLAT_C_EACH(MAXLAT_C_DESCRIBE_, __VA_ARGS__){0, 0, 0, false, false, 0}};                                   \
    static const struct maxlat_trace_declaration declaration = {#provider_, #name_, level_,                          \
                                                                sizeof(fields) / sizeof(fields[0]) - 1, fields};     \
    maxlat_trace_register(&maxlat_trace_event_##provider_##_##name_, &declaration);                                  \
  }                                                                                                                  \
  __attribute__((destructor, unused)) static void maxlat_trace_leave_##provider_##_##name_(void) {                   \
    maxlat_trace_unregister(&maxlat_trace_event_##provider_##_##name_);                                              \
  }                                                                                                                  \
  __attribute__((noinline, unused)) static void maxlat_trace_##provider_##_##name_(                                  \
      int maxlat_no_field MAXLAT_C_EACH(MAXLAT_C_PARAMETER_, __VA_ARGS__)) {                                         \
    const struct maxlat_trace_value maxlat_values[] = {MAXLAT_C_EACH(MAXLAT_C_VALUE_, __VA_ARGS__){0, 0}};           \
    (void)maxlat_no_field;                                                                                           \
    maxlat_trace_record(&maxlat_trace_event_##provider_##_##name_, maxlat_values);                                   \
  }

/* relaxed: a look; who sees that somebody wants it looks again, inside. */
#define MAXLAT_C_TRACE_ENABLED(provider, name) \
  (__builtin_expect(__atomic_load_n(&maxlat_trace_event_##provider##_##name.wanted, __ATOMIC_RELAXED) != 0, 0))

#define MAXLAT_C_TRACE(provider, name, ...)                                                                     \
  do {                                                                                                          \
    if (MAXLAT_C_TRACE_ENABLED(provider, name)) maxlat_trace_##provider##_##name(0 __VA_OPT__(, ) __VA_ARGS__); \
  } while (0)

#endif
