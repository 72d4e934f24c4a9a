# SPDX-License-Identifier: MIT
"""QEMU's monitor: QMP, one JSON object a line, over a pair of sockets that QEMU inherits."""

import json
import socket
import time

from . import Failed


class Monitor:
    """Give QEMU `arguments` and `descriptor` (pass_fds), start it, then connect()."""

    def __init__(self):
        self._ours, self._its = socket.socketpair()
        self.descriptor = self._its.fileno()
        self.arguments = ["-chardev", f"socket,id=qmp,fd={self.descriptor}", "-mon", "chardev=qmp,mode=control"]
        self._stream = self._ours.makefile("r")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stream.close()
        self._ours.close()
        self._its.close()

    def connect(self):
        self._its.close()  # so that the end of QEMU is the end of the stream
        self._read()       # its greeting
        self.command("qmp_capabilities")

    def command(self, name, **arguments):
        """What QEMU answers. Events in between are passed over."""
        try:
            self._ours.sendall((json.dumps({"execute": name, "arguments": arguments}) + "\n").encode())
        except OSError:
            raise Failed("QEMU ended") from None
        while True:
            said = self._read()
            if "error" in said:
                raise Failed(f"QEMU refuses {name}: {said['error'].get('desc')}")
            if "return" in said:
                return said["return"]

    def wait_until(self, command, status, limit_s):
        """Until the answer to `command` has this status."""
        end = time.monotonic() + limit_s
        while (answer := self.command(command)).get("status") != status:
            if answer.get("status") == "failed" or time.monotonic() > end:
                raise Failed(f"QEMU's {command} still says {answer}, and not {status}, after {limit_s} s")
            time.sleep(0.01)

    def _read(self):
        try:
            line = self._stream.readline()
        except OSError:
            line = ""
        if not line:
            raise Failed("QEMU ended")
        return json.loads(line)
