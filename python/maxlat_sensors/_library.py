# SPDX-License-Identifier: MIT
"""libmaxlat-sensors as ctypes sees it: the structs and calls of maxlat/sensors/monitor.h, and nothing else."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
import shutil
from typing import Iterator

NAME = "libmaxlat-sensors.so.0"
OK, NONE, AGAIN, NO_SUCH, NOT_THIS, FAILED = 0, 1, 2, -1, -2, -3
KINDS = ("unknown", "counter", "gauge", "stat", "counters", "histogram", "events", "map")
UNSIGNED, SIGNED, FLOATING, TEXT = 1, 2, 3, 4

_u32, _i32, _u64, _i64 = ctypes.c_uint32, ctypes.c_int32, ctypes.c_uint64, ctypes.c_int64
_text, _bool, _size, _handle = ctypes.c_char_p, ctypes.c_bool, ctypes.c_size_t, ctypes.c_void_p


class About(ctypes.Structure):
    _fields_ = [("program", _text), ("group", _text), ("name", _text), ("unit", _text), ("about", _text), ("pid", _i32),
                ("kind", _i32), ("shared", _bool)]


class Value(ctypes.Structure):
    _fields_ = [("kind", _i32), ("settled", _bool), ("has_extremes", _bool), ("count", _u64), ("value", _i64),
                ("min", _i64), ("max", _i64), ("sum", _u64), ("outside", _u64), ("items", _u64), ("below", _u64),
                ("bytes", _u64), ("refused", _u64), ("deviation", ctypes.c_double)]


class Event(ctypes.Structure):
    _fields_ = [("position", _u64), ("ticks", _u64), ("time_ns", _i64), ("provider", _text), ("name", _text),
                ("cpu", _i32), ("fields", _u32), ("late", _bool)]


class Field(ctypes.Structure):
    _fields_ = [("name", _text), ("label", _text), ("bytes", _handle), ("count", _u64), ("bytes_each", _u32),
                ("kind", _i32), ("is_array", _bool)]


class Axis(ctypes.Structure):
    _fields_ = [("name", _text), ("unit", _text), ("low", _u64), ("width", _u64), ("cells", _u64)]


class Books(ctypes.Structure):
    _fields_ = [(name, _u64) for name in ("posts", "delivered", "late", "overwritten", "dropped", "unfinished", "open",
                                          "pending")]


_array = ctypes.POINTER(_u64)
_CALLS = {
    "error": (_text, []),
    "open": (_handle, [_text]),
    "open_ended": (_handle, [_text]),
    "close": (None, [_handle]),
    "count": (_size, [_handle]),
    "about": (ctypes.c_int, [_handle, _size, ctypes.POINTER(About)]),
    "id": (_i64, [_handle, _size]),
    "ended": (_bool, [_handle, _size]),
    "read": (ctypes.c_int, [_handle, _size, ctypes.POINTER(Value)]),
    "items": (_i64, [_handle, _size, _array, _array, _array, _size]),
    "cells": (_i64, [_handle, _size, _array, _array, _size]),
    "axes": (ctypes.c_int, [_handle, _size, ctypes.POINTER(Axis), ctypes.POINTER(Axis)]),
    "outliers": (_i64, [_handle, _size, _array, _array, _size]),
    "label": (_text, [_handle, _size, _size]),
    "quantile": (ctypes.c_int, [_handle, _size, ctypes.c_double, _array]),
    "events_open": (_handle, [_handle, _size, _u64]),
    "events_close": (None, [_handle]),
    "events_next": (ctypes.c_int, [_handle, ctypes.POINTER(Event)]),
    "events_field": (ctypes.c_int, [_handle, _u32, ctypes.POINTER(Field)]),
    "events_books": (ctypes.c_int, [_handle, ctypes.POINTER(Books)]),
    "merge_open": (_handle, [_handle, _u64]),
    "merge_close": (None, [_handle]),
    "merge_next": (ctypes.c_int, [_handle, ctypes.POINTER(Event), ctypes.POINTER(_size)]),
    "merge_finish": (ctypes.c_int, [_handle]),
    "merge_field": (ctypes.c_int, [_handle, _u32, ctypes.POINTER(Field)]),
    "merge_books": (ctypes.c_int, [_handle, _size, ctypes.POINTER(Books)]),
}


def _places() -> Iterator[str]:
    """Where the library may be: named, beside `maxlat`, or where the system looks."""
    named = os.environ.get("MAXLAT_SENSORS_LIBRARY")
    if named:
        yield named
        return
    program = shutil.which("maxlat")
    if program:
        for folder in sorted(pathlib.Path(program).resolve().parents[1].glob("lib*")):
            yield from (str(found) for found in sorted(folder.rglob(NAME)))
    yield NAME


def _with_calls(library: ctypes.CDLL) -> ctypes.CDLL:
    """RAISES: OSError: it is another library, or another version."""
    for name, (returns, takes) in _CALLS.items():
        call = getattr(library, "maxlat_monitor_" + name, None)
        if call is None:
            raise OSError(f"{library._name} has no maxlat_monitor_{name}, so it is of another version, or another library")
        call.restype, call.argtypes = returns, takes
    return library


def load() -> ctypes.CDLL:
    """RAISES: OSError: it is nowhere."""
    errors = []
    for place in _places():
        try:
            return _with_calls(ctypes.CDLL(place))
        except OSError as error:
            errors.append(str(error))
    raise OSError(f"{NAME} is not to be found ({'; '.join(errors)}); MAXLAT_SENSORS_LIBRARY may name it")
