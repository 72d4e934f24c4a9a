#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tracer_peers.py PROGRAM [SCALE]: runs the comparison, with a session daemon of LTTng of its own if the program has its
events and LTTng is installed. The daemon lives in a mount namespace with an empty /run (as root), its home in a temporary
folder; both end with the run. Not a test: prints tables in Markdown."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


class LttngDaemon:
    """A session daemon with one session of two channels: `writer`, whose writers wake the consumer, and `timer`."""

    def __init__(self, folder):
        self.home = folder / "lttng"
        (self.home / ".lttng").mkdir(parents=True)
        self.environment = dict(os.environ, LTTNG_HOME=str(self.home), LTTNG_UST_REGISTER_TIMEOUT="-1")
        daemon = ["lttng-sessiond", "--no-kernel", f"--apps-sock={self.home}/.lttng/lttng-ust-sock-8"]
        if os.geteuid() == 0:
            daemon = ["unshare", "--mount", "--propagation", "private", "--", "sh", "-c",
                      'mount -t tmpfs tmpfs /run && exec "$@"', "sh", *daemon]
        self.process = subprocess.Popen(daemon, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def client(self, *words):
        enter = ["nsenter", "--mount", "--target", str(self.process.pid), "--"] if os.geteuid() == 0 else []
        return subprocess.run([*enter, "lttng", "--no-sessiond", *words], env=self.environment, capture_output=True, text=True)

    def __enter__(self):
        for _ in range(100):
            if self.client("create", "peers", f"--output={self.home}/trace").returncode == 0:
                break
            time.sleep(0.1)
        else:
            raise SystemExit("tracer_peers: LTTng's session daemon did not answer")
        for channel, timer in (("writer", "0"), ("timer", "1000")):
            self.client("enable-channel", "--userspace", "--session=peers", "--subbuf-size=1M", "--num-subbuf=4",
                        f"--read-timer={timer}", channel)
            self.client("enable-event", "--userspace", "--session=peers", f"--channel={channel}", f"peers:{channel}_*")
        self.client("start", "peers")
        return self

    def __exit__(self, *_):
        self.client("stop", "peers")
        for line in self.client("list", "peers").stdout.splitlines():
            if "Discarded events" in line:
                print("# LTTng:", line.strip())
        self.client("destroy", "peers")
        self.process.terminate()
        self.process.wait()


def main():
    program, scale = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "10"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        folder = pathlib.Path(folder)
        command = [program, str(folder / "maxlat"), scale]
        (folder / "maxlat").mkdir()
        if shutil.which("lttng-sessiond") is None:
            return subprocess.run(command).returncode
        with LttngDaemon(folder) as daemon:
            return subprocess.run(command, env=daemon.environment).returncode


if __name__ == "__main__":
    sys.exit(main())
