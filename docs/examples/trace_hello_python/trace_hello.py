#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_hello.py [EVENTS]: the tracer from another language, here Python, through the C interface (maxlat/trace.h) of
libmaxlat-trace.so. Record it as any program: maxlat trace record -o DIR -- python3 trace_hello.py. With maxlat in a folder
of its own, first: export PATH=~/maxlat/bin:$PATH

Loading the library is what connects the program. An event is 128 bytes that stay where they are, a description, and two
calls; everything that the library is given must live as long as the event is registered.
"""
import ctypes
import os
import pathlib
import shutil
import sys

NAME = "libmaxlat-trace.so.0"
SCALAR, TEXT, INFO = 0, 1, 6  # maxlat_trace_kind, maxlat_trace_level


class Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_uint8), ("bytes", ctypes.c_uint8), ("is_signed", ctypes.c_bool),
                ("is_float", ctypes.c_bool), ("count", ctypes.c_uint16)]


class Declaration(ctypes.Structure):
    _fields_ = [("provider", ctypes.c_char_p), ("name", ctypes.c_char_p), ("level", ctypes.c_uint32),
                ("fields", ctypes.c_uint32), ("field", ctypes.POINTER(Field))]


class Value(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("count", ctypes.c_size_t)]


class Step:
    """The event hello:step (uint64_t n, text what of at most 32 bytes)."""

    def __init__(self, library):
        self.library = library
        self.fields = (Field * 2)(Field(b"n", SCALAR, 8, False, False, 0), Field(b"what", TEXT, 1, False, False, 32))
        self.declaration = Declaration(b"hello", b"step", INFO, 2, self.fields)
        self.memory = ctypes.create_string_buffer(192)
        self.event = ctypes.c_void_p(ctypes.addressof(self.memory) + 63 & ~63)
        library.maxlat_trace_register(self.event, ctypes.byref(self.declaration))
        self.wanted = ctypes.c_uint32.from_address(self.event.value)

    def trace(self, n, what):
        if self.wanted.value == 0:
            return
        number, text = ctypes.c_uint64(n), ctypes.create_string_buffer(what.encode())
        values = (Value * 2)(Value(ctypes.addressof(number), 0), Value(ctypes.addressof(text), 0))
        self.library.maxlat_trace_record(self.event, values)

    def close(self):
        self.library.maxlat_trace_unregister(self.event)


def library():
    """What MAXLAT_TRACE_LIBRARY names, else the one of the installation whose command is in PATH, else the system's."""
    named = os.environ.get("MAXLAT_TRACE_LIBRARY")
    command = shutil.which("maxlat")
    folder = pathlib.Path(command).resolve().parents[1] / "lib" if command else None
    beside = [*folder.glob(NAME), *folder.glob(f"*/{NAME}")] if folder else []
    return ctypes.CDLL(named or (str(beside[0]) if beside else NAME))


def main():
    step = Step(library())
    for n in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
        step.trace(n, "from Python")
    step.close()


main()
