# SPDX-License-Identifier: MIT
"""Small CTF 1.8 traces made by hand, of what our own tracer never writes: what other tracers (barectf, LTTng's consumers)
leave. Each is a folder with metadata and stream files; fields are byte-aligned and little-endian."""
import pathlib
import struct

TYPES = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 32; align = 8; signed = true; } := i32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; signed = false; base = 16; } := hex;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;
"""
CLOCK = """clock { name = mono; freq = 1000000000; offset_s = 1700000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.mono.value; } := time;
"""
TRACE = "trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; u32 stream_id; }; };\n"
MAGIC = struct.pack("<I", 0xC1FC1FC1)
PAYLOADS = """event { name = "variants"; id = 0; stream_id = 0; fields := struct {
  enum kind : u8 { number = 0, text = 1 ... 3, pair = 9 } kind;
  variant <kind> { u32 number; string text; struct { u8 a; i32 b; } pair; } value; }; };
event { name = "sequences"; id = 1; stream_id = 0; fields := struct {
  u16 n; u16 words[n]; u8 m; struct { u8 x; f64 y; } points[m]; u8 fixed[3]; hex address; }; };
event { name = "app:text \\"quoted\\""; id = 2; stream_id = 0; context := struct { i32 level; };
  fields := struct { string s; enum : u8 { one = 1, uno = 1, two = 2 } e; }; };
event { name = "nothing"; id = 3; stream_id = 0; };
"""


def payloads():
    """(event id, bytes after the header)"""
    yield 0, b"\0" + struct.pack("<I", 4000000000)
    yield 0, b"\2" + b"a \"text\"\0"
    yield 0, b"\x09" + struct.pack("<Bi", 7, -5)
    yield 1, struct.pack("<HHHB", 2, 1, 65535, 0) + b"\1\2\3" + struct.pack("<Q", 0xdeadbeef)
    yield 1, struct.pack("<HB", 0, 2) + struct.pack("<BdBd", 1, 0.5, 2, -1e100) + b"\0\0\0" + struct.pack("<Q", 0)
    yield 2, struct.pack("<i", -3) + b"\xc3\xa9\0" + b"\1"
    yield 2, struct.pack("<i", 3) + b"x\0" + b"\5"  # babeltrace2 2.0.4 shows an earlier string for an empty one
    yield 3, b""


def write(folder, metadata, **streams):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    (folder / "metadata").write_text(metadata)
    for name, data in streams.items():
        (folder / name).write_bytes(data)
    return folder


def events(first_time=None, step=1000, repeat=1):
    data = b""
    for number, (event, payload) in enumerate(list(payloads()) * repeat):
        data += struct.pack("<H", event)
        if first_time is not None:
            data += struct.pack("<Q", first_time + number * step)
        data += payload
    return data


def packet(sequence, discarded, begin, content, cpu, end=None):
    """With a whole context."""
    size = 8 * (8 + 7 * 8 + 4 + len(content))
    end = begin + 100_000 if end is None else end
    return MAGIC + struct.pack("<IQQQQQQQI", 0, begin, end, size, size + 64, sequence, discarded, 99, cpu) + content + bytes(8)


PACKETS = """stream { id = 0; packet.context := struct { time timestamp_begin; time timestamp_end; u64 content_size; u64 packet_size;
  u64 packet_seq_num; u64 events_discarded; u64 own; u32 cpu_id; };
  event.header := struct { u16 id; time timestamp; }; event.context := struct { i32 vtid; }; };
"""


def threads(data, first):
    """The event.context between header and payload."""
    out = b""
    for number, (event, payload) in enumerate(payloads()):
        out += struct.pack("<HQi", event, first + 1000 * number, 100 + number % 2) + payload
    return out


def whole(folder):
    """Two streams that interleave, packets with gaps and losses."""
    def stream(cpu):
        return b"".join(packet(s, d, b + cpu, threads(b"", b + cpu), cpu)
                        for s, d, b in ((0, 0, 1_000), (1, 5, 500_000), (4, 5, 1_000_000)))
    return write(folder, TYPES + CLOCK + TRACE + PACKETS + PAYLOADS, cpu0=stream(0), cpu1=stream(1))


def sound(folder, absolute=False):
    """The same without anything lost. An absolute clock goes together with those of other traces."""
    clock = CLOCK.replace("offset_s", "absolute = TRUE; offset_s") if absolute else CLOCK
    def stream(cpu):
        return b"".join(packet(s, 0, b + cpu, threads(b"", b + cpu), cpu) for s, b in ((0, 1_000), (1, 500_000)))
    return write(folder, TYPES + clock + TRACE + PACKETS + PAYLOADS, cpu0=stream(0), cpu1=stream(1))


def no_clock(folder):
    """No clock, no packet context: one packet is the file."""
    metadata = TYPES + TRACE + "stream { id = 0; event.header := struct { u16 id; }; };\n" + PAYLOADS
    return write(folder, metadata, stream=MAGIC + struct.pack("<I", 0) + events())


def no_context(folder):
    """A clock and no packet context."""
    metadata = TYPES + CLOCK + TRACE + "stream { id = 0; event.header := struct { u16 id; time timestamp; }; };\n" + PAYLOADS
    return write(folder, metadata, stream=MAGIC + struct.pack("<I", 0) + events(5_000_000))


def no_header(folder):
    """Neither packet header nor ids: one stream of one event."""
    metadata = (TYPES + CLOCK + "trace { major = 1; minor = 8; byte_order = le; };\n"
                "stream { event.header := struct { time timestamp; }; };\n"
                'event { name = "only"; fields := struct { u32 n; }; };\n')
    return write(folder, metadata, stream=b"".join(struct.pack("<QI", t, n) for n, t in enumerate(range(0, 5000, 100))))


def several_streams(folder):
    """Streams of two kinds in one trace."""
    metadata = (TYPES + CLOCK + TRACE + "stream { id = 0; event.header := struct { u16 id; time timestamp; }; };\n" + PAYLOADS +
                "stream { id = 7; event.header := struct { u8 id; time timestamp; }; };\n"
                'event { name = "other"; id = 1; stream_id = 7; fields := struct { i32 n; }; };\n')
    other = b"".join(struct.pack("<BQi", 1, 5_000_500 + 1000 * n, -n) for n in range(10))
    return write(folder, metadata, a=MAGIC + struct.pack("<I", 0) + events(5_000_000), b=MAGIC + struct.pack("<I", 7) + other)


def rotated(folder):
    """Chunks of one trace, each with all of the metadata, as after `lttng rotate`."""
    uuid = 'uuid = "aabbccdd-0011-2233-4455-66778899aabb"; '
    metadata = TYPES + CLOCK + TRACE.replace("trace { ", "trace { " + uuid).replace("u32 magic;", "u32 magic; u8 uuid[16];") + PACKETS + PAYLOADS
    raw = bytes.fromhex("aabbccdd00112233445566778899aabb")
    for chunk in range(3):
        begin = 1_000 + 500_000 * chunk
        data = packet(chunk, 0, begin, threads(b"", begin), 0)
        size = struct.unpack_from("<QQ", data, 24)
        head = MAGIC + raw + data[4:24] + struct.pack("<QQ", size[0] + 128, size[1] + 128) + data[40:]
        write(pathlib.Path(folder) / f"2026-{chunk}" / "ust" / "uid", metadata, channel0_0=head)
    return folder


ALL = {"sound": sound, "whole": whole, "no_clock": no_clock, "no_context": no_context, "no_header": no_header,
       "several_streams": several_streams, "rotated": rotated}
