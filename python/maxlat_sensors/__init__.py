# SPDX-License-Identifier: MIT
"""Sensors of running programs, read while they run: values, histograms, events. The programs do not notice.

    import maxlat_sensors

    with maxlat_sensors.Monitor("robot/server") as monitor:
        for sensor in monitor:
            print(sensor, sensor.read())
        latency = monitor["latency"].read()
        print(latency.quantile(0.99), sum(latency.counts))

    for event in maxlat_sensors.Monitor("robot/moves")[0].follow():      # as they come
        print(event.time_ns, event.name, event.fields)
    for sensor, event in maxlat_sensors.Monitor("robot").follow():       # of several lists, by time
        print(sensor, event.time_ns, event.name)

A histogram's arrays have the buffer protocol: numpy.asarray(latency.counts) copies nothing.

Needs libmaxlat-sensors (maxlat/sensors/monitor.h), and nothing else. A monitor and what comes from it belong to one thread
at a time. It holds the sensors that there were when it was made; whoever waits for other programs makes another.
"""
from __future__ import annotations

import ctypes
import dataclasses
import json
import subprocess
import time
from typing import Any, Callable, Iterator, Optional, Union, overload

from . import _library

__all__ = ["Axis", "Books", "Counter", "Counters", "Error", "Event", "EventReader", "Events", "Gauge", "Histogram", "Map",
           "MergedEvents", "Monitor", "Sensor", "Stat", "Value", "recorded_events"]

_loaded: Optional[ctypes.CDLL] = None


def _calls() -> ctypes.CDLL:
    global _loaded
    if _loaded is None:
        _loaded = _library.load()
    return _loaded


class Error(Exception):
    """What the library says went wrong."""


def _checked(result: int) -> int:
    if result < 0:
        raise Error(_calls().maxlat_monitor_error().decode())
    return result


class _Handle:
    """What the library has opened, until it is closed."""

    def __init__(self, handle: Optional[int], give_back: Callable[[int], None]):
        self._handle, self._give_back = handle, give_back
        if not handle:
            raise Error(_calls().maxlat_monitor_error().decode())

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """It cannot be read any more."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            self._give_back(handle)

    @property
    def handle(self) -> int:
        if not self._handle:
            raise Error("it is closed")
        return self._handle


def _unsigned(number: int) -> int:
    return ctypes.c_uint64(number).value


def _text(text: Optional[bytes]) -> str:
    return (text or b"").decode(errors="replace")


# ---- Values ----


@dataclasses.dataclass(frozen=True)
class Counter:
    count: int


@dataclasses.dataclass(frozen=True)
class Gauge:
    value: int
    lowest: int
    highest: int

    @property
    def within(self) -> bool:
        return self.lowest <= self.value <= self.highest


@dataclasses.dataclass(frozen=True)
class Stat:
    """Of a stat without posts all but the count is None. Not settled: a post was under way, and the words are each right
    by themselves."""
    count: int
    value: Optional[int]
    min: Optional[int]
    max: Optional[int]
    sum: Optional[int]
    settled: bool

    @property
    def mean(self) -> Optional[float]:
        return None if self.sum is None else self.sum / self.count


@dataclasses.dataclass(frozen=True)
class Counters:
    counts: dict[str, int]
    outside: int


@dataclasses.dataclass(frozen=True)
class Histogram:
    """Bucket i holds counts[i] values from low[i] to high[i], both included. Below the first are `below` values, beyond the
    last `overflows`; of a log-linear histogram `outliers` has the first 16 of them, each with the time that was posted with
    it (0: none). min, max, sum and the standard deviation are None where only buckets are posted."""
    count: int
    low: memoryview
    high: memoryview
    counts: memoryview
    overflows: int
    below: int
    min: Optional[int]
    max: Optional[int]
    sum: Optional[int]
    deviation: Optional[float] = None
    outliers: list[tuple[int, int]] = dataclasses.field(default_factory=list)

    @property
    def mean(self) -> Optional[float]:
        return None if self.sum is None or self.count == 0 else self.sum / self.count

    def __repr__(self) -> str:
        return (f"Histogram(count={self.count}, min={self.min}, p50={self.quantile(0.5)}, p99={self.quantile(0.99)}, "
                f"max={self.max}, below={self.below}, overflows={self.overflows})")

    def quantile(self, part: float) -> int:
        """Never understated: the upper edge of its bucket, and the maximum at most. Of a value below the range, the last
        one below it. 0 when the histogram is empty."""
        if not 0 <= part <= 1:
            raise ValueError(f"a part is from 0 to 1, and {part} is not")
        rank, seen = max(1, -int(-part * self.count // 1)), self.below
        if self.count and seen >= rank:
            return self.low[0] - 1 if self.max is None else min(self.low[0] - 1, self.max)
        for high, count in zip(self.high, self.counts):
            seen += count
            if count and seen >= rank:
                return high if self.max is None else min(high, self.max)
        if self.count == 0:
            return 0
        return self.high[-1] if self.max is None else self.max


@dataclasses.dataclass(frozen=True)
class Events:
    """The last `slots` posts are there, or as many as have `bytes` bytes together (0: whatever they have). Those that were
    too large were `refused`."""
    posts: int
    slots: int
    bytes: int = 0
    refused: int = 0


@dataclasses.dataclass(frozen=True)
class Axis:
    """Cell i has values from low + i * width on."""
    name: str
    unit: str
    low: int
    width: int
    cells: int


@dataclasses.dataclass(frozen=True)
class Map:
    """Of each cell how many values it had, and their sum: row by row, x.cells in each of y.cells rows, so that
    numpy.asarray(m.counts).reshape(m.y.cells, m.x.cells) is the map. `outside` are posts that have no cell."""
    x: Axis
    y: Axis
    counts: memoryview
    sums: memoryview
    outside: int

    def mean(self, x: int, y: int) -> Optional[float]:
        """Of the cell. None: it had no value."""
        if not (0 <= x < self.x.cells and 0 <= y < self.y.cells):
            raise IndexError(f"the map has {self.x.cells} x {self.y.cells} cells, and no ({x}, {y})")
        cell = y * self.x.cells + x
        return self.sums[cell] / self.counts[cell] if self.counts[cell] else None


Value = Union[Counter, Gauge, Stat, Counters, Histogram, Events, Map, None]


# ---- Events ----


@dataclasses.dataclass(frozen=True)
class Event:
    """A field is an int, a float, a str, a list of numbers, or, of an enumeration with a label, (value, label)."""
    time_ns: int
    provider: str
    name: str
    fields: dict[str, Any]
    cpu: Optional[int]
    position: int
    ticks: int
    late: bool


@dataclasses.dataclass(frozen=True)
class Books:
    posts: int
    delivered: int
    late: int
    overwritten: int
    dropped: int
    unfinished: int
    open: int
    pending: int


_NUMBERS = {(_library.UNSIGNED, 1): ctypes.c_uint8, (_library.UNSIGNED, 2): ctypes.c_uint16,
            (_library.UNSIGNED, 4): ctypes.c_uint32, (_library.UNSIGNED, 8): ctypes.c_uint64,
            (_library.SIGNED, 1): ctypes.c_int8, (_library.SIGNED, 2): ctypes.c_int16,
            (_library.SIGNED, 4): ctypes.c_int32, (_library.SIGNED, 8): ctypes.c_int64,
            (_library.FLOATING, 4): ctypes.c_float, (_library.FLOATING, 8): ctypes.c_double}


def _field_value(field: _library.Field) -> Any:
    content = ctypes.string_at(field.bytes, field.count * field.bytes_each) if field.count else b""
    if field.kind == _library.TEXT:
        return content.decode(errors="replace")
    number = _NUMBERS[field.kind, field.bytes_each]
    numbers = list((number * field.count).from_buffer_copy(content)) if field.count else []
    if field.is_array:
        return numbers
    return (numbers[0], field.label.decode()) if field.label is not None else numbers[0]


def _event(read: _library.Event, field_of: Callable[[int, Any], int]) -> Event:
    fields: dict[str, Any] = {}
    field = _library.Field()
    for number in range(read.fields):
        _checked(field_of(number, ctypes.byref(field)))
        fields[_text(field.name)] = _field_value(field)
    return Event(read.time_ns, _text(read.provider), _text(read.name), fields, None if read.cpu < 0 else read.cpu,
                 read.position, read.ticks, read.late)


def _books(books_of: Callable[[Any], int]) -> Books:
    books = _library.Books()
    _checked(books_of(ctypes.byref(books)))
    return Books(*(getattr(books, name) for name, _ in _library.Books._fields_))


class EventReader(_Handle):
    """The events of one list, from the oldest that is still there on. Iterating hands out what there is and ends; iterate
    again for what came since."""

    def __init__(self, monitor: "Monitor", number: int, patience_ns: int):
        super().__init__(_calls().maxlat_monitor_events_open(monitor.handle, number, patience_ns),
                         _calls().maxlat_monitor_events_close)

    def __iter__(self) -> Iterator[Event]:
        # A program that posts faster than this reads would keep it busy for ever.
        for _ in range(self.books().pending + self.books().open + 1):
            event = self.next()
            if event is None:
                return
            yield event

    def next(self) -> Optional[Event]:
        """None: there is nothing now."""
        read = _library.Event()
        result = _library.AGAIN
        while result == _library.AGAIN:
            result = _checked(_calls().maxlat_monitor_events_next(self.handle, ctypes.byref(read)))
        if result == _library.NONE:
            return None
        return _event(read, lambda number, field: _calls().maxlat_monitor_events_field(self.handle, number, field))

    def books(self) -> Books:
        return _books(lambda books: _calls().maxlat_monitor_events_books(self.handle, books))


class MergedEvents(_Handle):
    """The events of all lists of a monitor as one sequence: by time, then by CPU, list and position. Each comes with its
    sensor. Iterating hands out what there is and ends; iterate again for what came since."""

    def __init__(self, monitor: "Monitor", patience_ns: int):
        super().__init__(_calls().maxlat_monitor_merge_open(monitor.handle, patience_ns),
                         _calls().maxlat_monitor_merge_close)
        self._sensors = list(monitor)
        self._given = 0

    def __iter__(self) -> Iterator[tuple["Sensor", Event]]:
        # As of an EventReader. What is merged counts as delivered, though it was not given yet.
        books = [self.books(sensor) for sensor in self._sensors if sensor.kind == "events"]
        for _ in range(sum(of.pending + of.open + of.delivered + of.late for of in books) - self._given + 1):
            one = self.next()
            if one is None:
                return
            yield one

    def next(self) -> Optional[tuple["Sensor", Event]]:
        """None: there is nothing now."""
        read, number = _library.Event(), ctypes.c_size_t()
        result = _checked(_calls().maxlat_monitor_merge_next(self.handle, ctypes.byref(read), ctypes.byref(number)))
        if result == _library.NONE:
            return None
        self._given += 1
        return self._sensors[number.value], _event(
            read, lambda number, field: _calls().maxlat_monitor_merge_field(self.handle, number, field))

    def finish(self) -> None:
        """For the end: what there is now comes next, however young, and nothing that is posted later."""
        _checked(_calls().maxlat_monitor_merge_finish(self.handle))

    def books(self, sensor: "Sensor") -> Books:
        """Of one of its lists. What is merged and was not asked for yet counts as delivered."""
        number = self._sensors.index(sensor)
        return _books(lambda books: _calls().maxlat_monitor_merge_books(self.handle, number, books))


def _follow(reader: Union[EventReader, MergedEvents], poll_s: float) -> Iterator[Any]:
    while True:
        event = reader.next()
        if event is None:
            time.sleep(poll_s)
        else:
            yield event


# ---- Sensors ----


class Sensor:
    """One sensor of a monitor, which it keeps."""

    def __init__(self, monitor: "Monitor", number: int):
        about = _library.About()
        _checked(_calls().maxlat_monitor_about(monitor.handle, number, ctypes.byref(about)))
        self._monitor, self._number = monitor, number
        self.program, self.group, self.name = _text(about.program), _text(about.group), _text(about.name)
        self.unit, self.about, self.pid = _text(about.unit), _text(about.about), int(about.pid)
        self.kind, self.shared = _library.KINDS[about.kind], bool(about.shared)
        self.id = int(_calls().maxlat_monitor_id(monitor.handle, number))  # in its group
        self.ended = bool(_calls().maxlat_monitor_ended(monitor.handle, number))

    def __str__(self) -> str:
        whose = f"{self.program}#{self.pid}" if self.pid else self.program  # "common": of several processes
        return f"{whose}/{self.group}/{self.name}"

    def __repr__(self) -> str:
        return f"<{self.kind} {self}>"

    def read(self) -> Value:
        """Of this moment. None: of a kind that this version does not know."""
        value = _library.Value()
        _checked(_calls().maxlat_monitor_read(self._monitor.handle, self._number, ctypes.byref(value)))
        return getattr(self, "_as_" + self.kind)(value)

    def events(self, patience_ns: int = 0) -> EventReader:
        """An event whose post has not ended holds up those behind it for that long at the most."""
        return EventReader(self._monitor, self._number, patience_ns)

    def follow(self, poll_s: float = 0.05, patience_ns: int = 100_000_000) -> Iterator[Event]:
        """All events from those that are there now on, as they come; without an end, also when the program has ended."""
        return _follow(self.events(patience_ns), poll_s)

    def _items(self, items: int) -> tuple[memoryview, memoryview, memoryview]:
        arrays = tuple((ctypes.c_uint64 * items)() for _ in range(3))
        _checked(_calls().maxlat_monitor_items(self._monitor.handle, self._number, *arrays, items))
        low, high, counts = (memoryview(array).cast("B").cast("Q") for array in arrays)
        return low, high, counts

    def _as_unknown(self, value: _library.Value) -> None:
        return None

    def _as_counter(self, value: _library.Value) -> Counter:
        return Counter(value.count)

    def _as_gauge(self, value: _library.Value) -> Gauge:
        return Gauge(value.value, value.min, value.max)

    def _as_stat(self, value: _library.Value) -> Stat:
        if not value.has_extremes:
            return Stat(0, None, None, None, None, value.settled)
        return Stat(value.count, value.value, value.min, value.max, ctypes.c_int64(value.sum).value, value.settled)

    def _as_counters(self, value: _library.Value) -> Counters:
        _, _, counts = self._items(value.items)
        labels = (_calls().maxlat_monitor_label(self._monitor.handle, self._number, i) for i in range(value.items))
        return Counters({_text(label): count for label, count in zip(labels, counts)}, value.outside)

    def _as_histogram(self, value: _library.Value) -> Histogram:
        moments = (_unsigned(value.min), _unsigned(value.max), value.sum) if value.has_extremes else (None, None, None)
        values, times = ((ctypes.c_uint64 * 16)() for _ in range(2))
        kept = _checked(_calls().maxlat_monitor_outliers(self._monitor.handle, self._number, values, times, 16))
        return Histogram(value.count, *self._items(value.items), value.outside - value.below, value.below, *moments,
                         None if value.deviation < 0 else value.deviation, list(zip(values, times))[:kept])

    def _as_events(self, value: _library.Value) -> Events:
        return Events(value.count, value.items, value.bytes, value.refused)

    def _as_map(self, value: _library.Value) -> Map:
        counts, sums = ((ctypes.c_uint64 * value.items)() for _ in range(2))
        _checked(_calls().maxlat_monitor_cells(self._monitor.handle, self._number, counts, sums, value.items))
        read = [_library.Axis(), _library.Axis()]
        _checked(_calls().maxlat_monitor_axes(self._monitor.handle, self._number, *map(ctypes.byref, read)))
        x, y = (Axis(_text(axis.name), _text(axis.unit), axis.low, axis.width, axis.cells) for axis in read)
        return Map(x, y, *(memoryview(array).cast("B").cast("Q") for array in (counts, sums)), value.outside)


class Monitor(_Handle):
    """The sensors that a pattern names, as `maxlat sensors` takes it (PROGRAM#PID/GROUP/NAME with * ? [], or a part of it);
    without one all. A sequence, and a mapping by their names and whole names. `ended`: those too of programs that have
    ended, which a directory keeps (`maxlat sensors directory`)."""

    def __init__(self, pattern: Optional[str] = None, ended: bool = False):
        if not isinstance(pattern, (str, type(None))):
            raise TypeError(f"a pattern is a str, not {type(pattern).__name__}: {pattern}")
        if "\0" in (pattern or ""):
            raise ValueError(f"no sensor has a zero byte in its name: {pattern!r}")
        calls = _calls()
        make = calls.maxlat_monitor_open_ended if ended else calls.maxlat_monitor_open
        super().__init__(make(None if pattern is None else pattern.encode()), calls.maxlat_monitor_close)
        self._sensors = [Sensor(self, i) for i in range(_calls().maxlat_monitor_count(self.handle))]

    def __enter__(self) -> "Monitor":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._sensors)

    def __iter__(self) -> Iterator[Sensor]:
        return iter(self._sensors)

    @overload
    def __getitem__(self, which: int) -> Sensor: ...
    @overload
    def __getitem__(self, which: str) -> Sensor: ...
    def __getitem__(self, which: Union[int, str]) -> Sensor:
        if isinstance(which, int):
            return self._sensors[which]
        found = [sensor for sensor in self._sensors
                 if which in (sensor.name, f"{sensor.group}/{sensor.name}", str(sensor))]
        if len(found) > 1:
            raise KeyError(f"{which} may be {' or '.join(map(str, found))}")
        if not found:
            raise KeyError(f"no sensor of this monitor is called {which}")
        return found[0]

    def merged(self, patience_ns: int = 100_000_000) -> MergedEvents:
        """The events of all its lists. An event comes when it is that old, for until then an earlier one may appear."""
        return MergedEvents(self, patience_ns)

    def follow(self, poll_s: float = 0.05, patience_ns: int = 100_000_000) -> Iterator[tuple[Sensor, Event]]:
        """Those that are there now and all that come, without an end, also when the programs have ended."""
        return _follow(self.merged(patience_ns), poll_s)


def recorded_events(folder: str, maxlat: str = "maxlat") -> Iterator[dict[str, Any]]:
    """The events of a recording (`maxlat sensors record -o FOLDER`, or `maxlat trace record`), as `maxlat trace print --json`
    has them; where some were lost is left out. RAISES: subprocess.CalledProcessError: it cannot be read."""
    command = [maxlat, "trace", "print", "--json", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            event = json.loads(line)
            if "fields" in event:  # a line without them tells of events that were lost
                yield event
    if process.returncode not in (0, 3):  # 3: events were lost, and the rest is there
        raise subprocess.CalledProcessError(process.returncode, command)
