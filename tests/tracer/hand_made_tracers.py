# SPDX-License-Identifier: MIT
"""Small CTF 1.8 traces made by hand in the form that other tracers give theirs: LTTng's kernel tracer and barectf 2 and 3.
(foreign_traces.py says why; data/barectf-3 is barectf's own.) What tells these traces from those of hand_made_ctf.py:

  kernel     fields that begin at any bit, clocks of 27 and 32 bits that wrap, event headers with a variant (compact and
             large), texts as arrays and sequences of characters, syscalls with nested structures
  barectf_2  a header without stream id, packed integers of odd sizes, a clock that is not in nanoseconds and not absolute
  barectf_3  big-endian, natural alignments, several streams, packets that know their number, sequences of texts, a log level
"""
import pathlib
import struct

UUID = bytes.fromhex("00112233445566778899aabbccddeeff")
MAGIC = 0xC1FC1FC1


class Bits:
    """Fields one after the other, from the first bit of a byte to its last: that is the lowest in little-endian."""

    def __init__(self, big_endian=False):
        self.bits, self.big_endian = [], big_endian

    def align(self, to):
        self.bits += [0] * (-len(self.bits) % to)
        return self

    def put(self, value, size, align=1):
        self.align(align)
        bits = [value >> n & 1 for n in range(size)]
        self.bits += reversed(bits) if self.big_endian else bits
        return self

    def put_bytes(self, data, align=8):
        self.align(align)
        for byte in data:
            self.put(byte, 8)
        return self

    def real(self, value, align=1):
        return self.put(struct.unpack("<Q", struct.pack("<d", value))[0], 64, align)

    def bytes(self):
        self.align(8)
        weights = range(7, -1, -1) if self.big_endian else range(8)
        return bytes(sum(bit << weight for bit, weight in zip(self.bits[at:at + 8], weights)) for at in range(0, len(self.bits), 8))


def write(folder, metadata, **streams):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    (folder / "metadata").write_text("/* CTF 1.8 */\n" + metadata)
    for name, data in streams.items():
        (folder / name).write_bytes(data)
    return folder


KERNEL = f"""
typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 16; align = 8; signed = false; }} := uint16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := unsigned long;
typealias integer {{ size = 5; align = 1; signed = false; }} := uint5_t;
trace {{ major = 1; minor = 8; uuid = "00112233-4455-6677-8899-aabbccddeeff"; byte_order = le;
  packet.header := struct {{ uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id; }}; }};
env {{ hostname = "box"; domain = "kernel"; tracer_name = "lttng-modules"; tracer_major = 2; tracer_minor = 13; }};
clock {{ name = "monotonic"; uuid = "11112222-3333-4444-5555-666677778888"; description = "Monotonic Clock";
  freq = 1000000000; offset = 1700000000123456789; }};
typealias integer {{ size = 27; align = 1; signed = false; map = clock.monotonic.value; }} := uint27_clock_monotonic_t;
typealias integer {{ size = 32; align = 8; signed = false; map = clock.monotonic.value; }} := uint32_clock_monotonic_t;
typealias integer {{ size = 64; align = 8; signed = false; map = clock.monotonic.value; }} := uint64_clock_monotonic_t;
struct packet_context {{ uint64_clock_monotonic_t timestamp_begin; uint64_clock_monotonic_t timestamp_end;
  uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num; unsigned long events_discarded; uint32_t cpu_id; }};
struct event_header_compact {{ enum : uint5_t {{ compact = 0 ... 30, extended = 31 }} id;
  variant <id> {{ struct {{ uint27_clock_monotonic_t timestamp; }} compact;
                 struct {{ uint32_t id; uint64_clock_monotonic_t timestamp; }} extended; }} v; }} align(8);
struct event_header_large {{ enum : uint16_t {{ compact = 0 ... 65534, extended = 65535 }} id;
  variant <id> {{ struct {{ uint32_clock_monotonic_t timestamp; }} compact;
                 struct {{ uint32_t id; uint64_clock_monotonic_t timestamp; }} extended; }} v; }} align(8);
stream {{ id = 0; event.header := struct event_header_compact; packet.context := struct packet_context;
  event.context := struct {{ integer {{ size = 32; align = 8; signed = 1; base = 10; }} _tid; }}; }};
stream {{ id = 1; event.header := struct event_header_large; packet.context := struct packet_context; }};
event {{ name = "sched_switch"; id = 0; stream_id = 0; fields := struct {{
  integer {{ size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; }} _prev_comm[16];
  integer {{ size = 32; align = 8; signed = 1; base = 10; }} _prev_prio;
  enum : integer {{ size = 64; align = 8; signed = 1; base = 10; }} {{
    "TASK_RUNNING" = 0 ... 0, "TASK_INTERRUPTIBLE" = 1 ... 1, "TASK_UNINTERRUPTIBLE" = 2 ... 2 }} _prev_state; }}; }};
event {{ name = "irq_handler_entry"; id = 40; stream_id = 0; fields := struct {{
  integer {{ size = 32; align = 8; signed = 1; base = 10; }} _irq; string _name; }}; }};
event {{ name = "syscall_entry_openat"; id = 3; stream_id = 1; fields := struct {{
  integer {{ size = 64; align = 8; signed = 0; base = 16; }} _address; string _filename;
  struct {{ integer {{ size = 4; align = 1; signed = 0; base = 8; }} _access; integer {{ size = 20; align = 1; signed = 0; base = 16; }} _flags; }} _mode;
  uint8_t __data_length; integer {{ size = 8; align = 8; signed = 0; encoding = UTF8; base = 10; }} _data[ __data_length ]; }}; }};
event {{ name = "late"; id = 70000; stream_id = 1; fields := struct {{ uint16_t _ports[2]; }}; }};
"""


def kernel_packet(stream, sequence, begin, end, cpu, content):
    size = 8 * (4 + 16 + 4 + 8 + 6 * 8 + 4 + len(content))
    return (struct.pack("<I", MAGIC) + UUID + struct.pack("<IQQQQQQQI", stream, cpu, begin, end, size, size + 8 * 32, sequence, 0, cpu)
            + content + bytes(32))


def kernel(folder):
    """As LTTng's kernel tracer: a clock of 27 bits that wraps between two events, and an event that is later than its range."""
    wraps = 1 << 27

    def compact(first):
        data = b""
        for number, time in enumerate((first, first + wraps - 1, first + wraps + 5, first + 3 * wraps)):
            head = Bits().put(31, 5).put(0, 32, 8).put(time, 64, 8) if time - first > 2 * wraps else Bits().put(0, 5).put(time % wraps, 27)
            data += head.bytes() + struct.pack("<i16siq", 100 + number, b"kworker/0:1", 120 - number, number % 3)
        late = Bits().put(31, 5).put(40, 32, 8).put(first + 3 * wraps + 9, 64, 8)
        return data + late.bytes() + struct.pack("<ii", 0, 17) + b"eth0\0"

    def large(first):
        data = b""
        for number in range(4):
            time = first + number * 100
            head = Bits().put(3, 16).put(time % (1 << 32), 32, 8)
            data += (head.put(0xffff8000_00000000 + number, 64, 8).put_bytes(b"/etc/hosts\0").put(number + 4, 4).put(0x8241, 20)
                     .put(number, 8, 8).put_bytes(b"abcd"[:number]).bytes())
        return data + Bits().put(65535, 16).put(70000, 32, 8).put(first + 1000, 64, 8).put(80, 16, 8).put(443, 16, 8).bytes()

    first = 5 * (1 << 32) - 150  # the clock of 32 bits wraps, too
    last = first + 4 * wraps
    compact_of = lambda cpu: b"".join(kernel_packet(0, n, b, b + 4 * wraps, cpu, compact(b)) for n, b in ((0, first + cpu), (1, last + 50 + cpu)))
    return write(folder, KERNEL, channel0_0=compact_of(0), channel0_1=compact_of(1),
                 channel1_0=kernel_packet(1, 0, first, first + 2000, 0, large(first)))


KERNEL_OFFSET = 1700000000123456789
INT, NAME16 = "integer { size = 32; align = 8; signed = 1; base = 10; }", "integer { size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; }"
SWITCHES = KERNEL[:KERNEL.index('event { name = "sched_switch"')] + f"""
event {{ name = "sched_switch"; id = 1; stream_id = 0; fields := struct {{ {NAME16} _prev_comm[16]; {INT} _prev_tid; {INT} _prev_prio;
  integer {{ size = 64; align = 8; signed = 1; base = 10; }} _prev_state; {NAME16} _next_comm[16]; {INT} _next_tid; {INT} _next_prio; }}; }};
event {{ name = "irq_handler_entry"; id = 2; stream_id = 0; fields := struct {{ {INT} _irq; string _name; }}; }};
event {{ name = "irq_handler_exit"; id = 3; stream_id = 0; fields := struct {{ {INT} _irq; {INT} _ret; }}; }};
"""


def switches(folder):
    """As LTTng's kernel tracer: CPU 1 from 1000 ns on is sh's, interrupted from 1100 to 1160, cc1's from 1200 to 1500, then idle."""
    def event(number, time, thread, fields):
        return Bits().put(31, 5).put(number, 32, 8).put(time, 64, 8).bytes() + struct.pack("<i", thread) + fields
    def switch(time, thread, comm, to, prio):
        return event(1, time, thread, struct.pack("<16siiq16sii", b"before", thread, 120, 0, comm, to, prio))
    content = (switch(1000, 0, b"sh", 5, 120) + event(2, 1100, 5, struct.pack("<i", 17) + b"eth0\0") +
               event(3, 1160, 5, struct.pack("<ii", 17, 1)) + switch(1200, 5, b"cc1", 6, 30) + switch(1500, 6, b"swapper/1", 0, 120))
    return write(folder, SWITCHES, channel0_1=kernel_packet(0, 0, 1000, 1600, 1, content))


BARECTF_2 = """
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { integer { size = 32; align = 32; signed = false; } magic; } align(8); };
env { domain = "bare"; tracer_name = "barectf"; tracer_major = 2; tracer_minor = 3; tracer_patch = 1; };
clock { name = cycles; description = "8 MHz"; freq = 8000000; precision = 0; offset_s = 1000; offset = 4; absolute = false; };
stream {
  packet.context := struct {
    integer { size = 64; align = 8; signed = false; map = clock.cycles.value; } timestamp_begin;
    integer { size = 64; align = 8; signed = false; map = clock.cycles.value; } timestamp_end;
    integer { size = 32; align = 8; signed = false; } packet_size; integer { size = 32; align = 8; signed = false; } content_size;
    integer { size = 32; align = 8; signed = false; } events_discarded; integer { size = 3; align = 1; signed = false; } core; } align(8);
  event.header := struct { integer { size = 6; align = 1; signed = false; } id;
    integer { size = 42; align = 1; signed = false; map = clock.cycles.value; } timestamp; };
};
event { name = "packed"; id = 0; fields := struct {
  integer { size = 3; align = 1; signed = true; } a; integer { size = 11; align = 1; signed = false; base = 16; } b;
  enum : integer { size = 2; align = 1; signed = false; } { "off" = 0, "on" = 1 ... 2, "odd value" = 3 } state;
  floating_point { exp_dig = 11; mant_dig = 53; align = 1; } x; integer { size = 7; align = 1; signed = false; } few[3]; }; };
event { name = "text"; id = 1; fields := struct { string { encoding = ASCII; } s; }; };
"""


def barectf_2(folder):
    def packet(begin, content_size=0):
        """Made twice: its header says how many bits it has."""
        bits = Bits().put(MAGIC, 32, 32).put(begin, 64, 8).put(begin + 100, 64, 8)
        bits.put(1024 * 8, 32, 8).put(content_size, 32, 8).put(0, 32, 8).put(5, 3)
        for number in range(4):
            bits.put(0, 6).put(begin + 8 * number, 42).put(number - 2, 3).put(100 * number, 11).put(number, 2).real(number / 4)
            for few in range(3):
                bits.put(few + number, 7)
        bits.put(1, 6).put(begin + 80, 42).put_bytes(b"late\0")
        return bits.bytes().ljust(1024, b"\0") if content_size else packet(begin, len(bits.bits))
    return write(folder, BARECTF_2, stream=packet(1_000_000) + packet(2_000_000))


BARECTF_3 = """
trace { major = 1; minor = 8; byte_order = be; uuid = "00112233-4455-6677-8899-aabbccddeeff";
  packet.header := struct { integer { size = 32; align = 32; signed = false; base = 16; } magic;
    integer { size = 8; align = 8; signed = false; } uuid[16]; integer { size = 8; align = 8; signed = false; } stream_id; } align(8); };
env { domain = "bare"; tracer_name = "barectf"; tracer_major = 3; tracer_minor = 1; tracer_patch = 0; tracer_pre = ""; };
clock { name = default; uuid = "99112233-4455-6677-8899-aabbccddeeff"; freq = 1000000; precision = 0; offset_s = 1700000000;
  offset = 0; absolute = true; };
"""
BARECTF_3_STREAM = """
stream { id = %(stream)d;
  packet.context := struct { integer { size = 16; align = 16; signed = false; } packet_size; integer { size = 16; align = 16; signed = false; } content_size;
    integer { size = 64; align = 64; signed = false; map = clock.default.value; } timestamp_begin;
    integer { size = 64; align = 64; signed = false; map = clock.default.value; } timestamp_end;
    integer { size = 16; align = 16; signed = false; } events_discarded; integer { size = 16; align = 16; signed = false; } packet_seq_num; } align(8);
  event.header := struct { integer { size = 8; align = 8; signed = false; } id;
    integer { size = 32; align = 32; signed = false; map = clock.default.value; } timestamp; } align(8);
  event.context := struct { integer { size = 9; align = 1; signed = true; } depth; } align(1); };
event { stream_id = %(stream)d; id = 0; name = "samples_%(stream)d"; loglevel = 7; fields := struct {
  integer { size = 32; align = 32; signed = false; } __samples_len; integer { size = 12; align = 4; signed = true; } samples[__samples_len][2];
  integer { size = 8; align = 8; signed = false; } __names_len; string { encoding = UTF8; } names[__names_len];
  enum : integer { size = 16; align = 16; signed = true; } { "below" = -5 ... -1, "zero" = 0 } level;
  floating_point { exp_dig = 8; mant_dig = 24; align = 32; } y; } align(1); };
"""


def barectf_3(folder):
    def packet(stream, sequence, begin, content_size=0):
        bits = Bits(big_endian=True).put(MAGIC, 32, 32).put_bytes(UUID).put(stream, 8, 8)
        # A structure is aligned as that of its members which wants most.
        bits.put(256 * 8, 16, 64).put(content_size, 16, 16).put(begin, 64, 64).put(begin + 99, 64, 64).put(0, 16, 16).put(sequence, 16, 16)
        for number in range(3):
            bits.put(0, 8, 32).put(begin + 10 * number, 32, 32).put(-number, 9).put(number, 32, 32)
            for sample in range(2 * number):
                bits.put(sample - 2, 12, 4)
            bits.put(number, 8, 8)
            for name in range(number):
                bits.put_bytes(f"n{name}".encode() + b"\0")
            bits.put(-number, 16, 16).put(struct.unpack("<I", struct.pack("<f", number / 8))[0], 32, 32)
        return bits.bytes().ljust(256, b"\0") if content_size else packet(stream, sequence, begin, len(bits.bits))
    metadata = BARECTF_3 + "".join(BARECTF_3_STREAM % {"stream": stream} for stream in (0, 3))
    return write(folder, metadata, **{f"stream{stream}": b"".join(packet(stream, n, 1000 + 500 * n + stream) for n in range(2)) for stream in (0, 3)})


# Each with the number of its events.
ALL = {"kernel": (kernel, 25), "barectf_2": (barectf_2, 10), "barectf_3": (barectf_3, 12)}
