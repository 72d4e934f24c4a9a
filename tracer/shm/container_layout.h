/* SPDX-License-Identifier: MIT */
/*
 * The container: the form of every memory that a traced program shares. It says what program this is, by which clock it
 * tells time, and which objects the memory holds. What an object is, is said by its kind and laid out elsewhere
 * (session_layout.h has the kinds of a session). This header is the specification of header and table.
 *
 *   0         +------------------------------+
 *             | header              256      |   never changes once its magic number is there
 *   256       +------------------------------+
 *             | entry 0             128      |   the table: `table_capacity` entries of `entry_size` bytes.
 *             | entry 1             128      |   An entry says where one object lies.
 *             | ...                          |
 *             +------------------------------+
 *             | object 0      (64-aligned)   |   what an entry points to. An object's own form is its kind's.
 *             | object 1      (64-aligned)   |
 *             | ...                          |
 *   head_size +------------------------------+   whole pages up to here: THE HEAD. Each side maps it for good
 *             | what objects refer to:       |
 *             | text, rings, ...             |   each side maps pieces, when it needs them
 *   total_size+------------------------------+
 *
 *   header:   0 magic   4 major   6 minor   8 needed_features   12 other_features   16 header_size   20 entry_size
 *             24 table_offset   28 table_capacity   32 head_size   40 total_size   48 uuid   64 pid   72 pid_start_time
 *             80 clock   120 name   184 process   248 reserved
 *   entry:    0 word (state, generation)   8 kind   12 layout_version   16 id   20 group   24 offset   32 size
 *             40 name   104 reserved
 *
 * VERSIONS. Who may read what:
 *
 *   major             Header or entry mean something else. A reader of another major refuses the memory. Magic and
 *                     major stay where they are for ever: the memory of any version can be refused for the right
 *                     reason.
 *   minor             Something was added: a kind, a state, bytes at the end of header or entry, a bit of
 *                     `other_features`. A reader takes every minor of its major. `header_size` and `entry_size` tell it
 *                     where things are, and it leaves alone what it does not know.
 *   needed_features   One bit for each addition without which the rest is misread. A reader that does not know one of
 *                     them refuses the memory.
 *   other_features    One bit for each addition that may be ignored.
 *   layout_version    Of one kind's objects. A reader that knows the kind and not this layout does not touch the
 *                     object. Whoever cannot do without it refuses the memory; a recorder cannot do without its
 *                     channels.
 *   kind              One that a reader does not know is listed and otherwise left alone.
 *
 * WHO WRITES WHAT, WHEN. The producer alone writes header and entries. Readers may have the head mapped read-only; what
 * else a consumer may write is its kinds' matter.
 *
 *   1. The producer makes the memfd, of its final size, seals it and writes header, objects and entries.
 *   2. It stores the magic number, release [S5]. From here on the header is constant.
 *   3. It hands the memfd over. A reader loads the magic, acquire [S5], copies the header once, and checks the copy.
 *   4. An entry may also come later, or be used again for another object: one writer at a time (publish_object).
 *
 *       EMPTY, LIVE -> CHANGING    the producer; generation + 1, and a release fence [S8] before the first field
 *       CHANGING -> LIVE           the producer, release [S6]: entry and object are whole
 *       LIVE -> EMPTY              the producer: the object is gone. Its memory is not used for another one as long as
 *                                  anybody may be in there; no kind of ours goes yet
 *
 *      A reader loads the word, acquire [S6], copies the fields if it says LIVE, and after an acquire fence [S8] loads
 *      the word again. If it is another one, the copy may be torn and is thrown away; the entry counts as CHANGING, and
 *      who attaches later finds it. One attempt an entry: the reader's steps are bounded, whatever the producer does.
 *      Without [S6] an object could be used before it is whole. Without [S8] fields of two objects could pass for one.
 *
 * TRUST. A reader believes nothing (container.hpp). It refuses a memory that is not sealed against shrinking, for a
 * file that is cut short under a mapping would kill it (SIGBUS). It copies each number, checks the copy and uses that.
 * RULES: fixed-width little-endian words, no pointers. All-zero and all-ones are no valid header; reserved bytes are 0.
 * FAILURE: a producer that dies leaves an entry CHANGING at the worst. A hostile one can make a reader refuse, or read
 * nonsense of the right size. It cannot make it read outside of the memory.
 *
 * TO ADD A KIND: a number below, its layout, and one row and its check on the reading side (session_kinds.cpp).
 * WATCHED BY container_test.cpp, session_memory_test.cpp (every field through every interesting value),
 * fuzz_session.cpp.
 */
#ifndef MAXLAT_SHM_CONTAINER_LAYOUT_H
#define MAXLAT_SHM_CONTAINER_LAYOUT_H

#include <maxlat/base/platform.h>

#define MAXLAT_SHM_MAGIC 0x53544c4du /* "MLTS" */
#define MAXLAT_SHM_MAJOR 4u          /* before 4: a session's memory with a fixed number of channels and no table */
#define MAXLAT_SHM_MINOR 0u
/* needed_features: several processes write to the memory, which is not sealed against that. It is of no process: its
   pid is 0. Of sessions there is none. */
#define MAXLAT_SHM_COMMON 1u
#define MAXLAT_SHM_KNOWN_FEATURES MAXLAT_SHM_COMMON
#define MAXLAT_SHM_PAGE 4096u
#define MAXLAT_SHM_NAME 64u             /* bytes of a name, its zero included */
#define MAXLAT_SHM_OBJECT_ALIGNMENT 64u /* a cache line */
#define MAXLAT_SHM_MAX_OBJECTS 4096u    /* bounds a reader's steps */

/* Numbers are never used again. 0 is none. */
enum maxlat_shm_kind {
  MAXLAT_SHM_SESSION = 1, /* these three: session_layout.h */
  MAXLAT_SHM_METADATA = 2,
  MAXLAT_SHM_CHANNEL = 3
};

enum maxlat_shm_entry_state { MAXLAT_SHM_EMPTY = 0, MAXLAT_SHM_ENTRY_CHANGING = 1, MAXLAT_SHM_ENTRY_LIVE = 2 };
#define MAXLAT_SHM_STATE_MASK 0x7fu /* of an entry's word, and of a slot's */
#define MAXLAT_SHM_GENERATION_SHIFT 8

/* How ticks of the counter become time: what the metadata says, for readers that do not read text. */
struct maxlat_shm_clock {
  uint64_t ticks_per_second;
  int64_t realtime_offset_ns;  /* CLOCK_REALTIME at counter value 0 */
  int64_t monotonic_offset_ns; /* CLOCK_MONOTONIC at counter value 0 */
  uint8_t uuid[16];            /* memories of one clock have one; all zero: a clock of this memory alone */
};

struct maxlat_shm_header {
  uint32_t magic; /* release [S5], last */
  uint16_t major;
  uint16_t minor;
  uint32_t needed_features;
  uint32_t other_features;
  uint32_t header_size;
  uint32_t entry_size;
  uint32_t table_offset;
  uint32_t table_capacity;
  uint64_t head_size;
  uint64_t total_size; /* not above the file's */
  uint8_t uuid[16];    /* of this memory */
  uint32_t pid;
  uint32_t reserved_0;
  uint64_t pid_start_time; /* field 22 of /proc/PID/stat: another one means that the number is another process's now */
  struct maxlat_shm_clock clock;
  char name[MAXLAT_SHM_NAME]; /* of a session: the session's */
  char process[MAXLAT_SHM_NAME];
  uint64_t reserved_1;
};

struct maxlat_shm_entry {
  uint64_t word; /* state | generation << 8 */
  uint32_t kind;
  uint32_t layout_version;
  uint32_t id;     /* among the objects of its kind */
  uint32_t group;  /* objects that belong together have one; 0: of none */
  uint64_t offset; /* of the object, in the head; a multiple of MAXLAT_SHM_OBJECT_ALIGNMENT */
  uint64_t size;
  char name[MAXLAT_SHM_NAME];
  uint64_t reserved[3];
};

MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_shm_clock) == 40, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_shm_header) == 256, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_header, magic) == 0, "of all versions");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_header, major) == 4, "of all versions");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_header, needed_features) == 8, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_header, header_size) == 16, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_header, head_size) == 32, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_header, uuid) == 48, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_header, pid) == 64, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_header, clock) == 80, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_header, name) == 120, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_header, process) == 184, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_shm_header) <= MAXLAT_SHM_PAGE, "readers map one page first");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_shm_entry) == 128, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_entry, kind) == 8, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_entry, id) == 16, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_entry, offset) == 24, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_entry, name) == 40, "layout");

#endif
