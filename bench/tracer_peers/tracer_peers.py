#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tracer_peers.py PROGRAM [SCALE | rates]: runs the comparison (rates: only the highest rates), with a session daemon of
LTTng of its own if the program has its events and LTTng is installed. The daemon lives in a mount namespace with an empty
/run (as root), its home in a temporary folder; both end with the run. Not a test: prints tables in Markdown."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time


class LttngDaemon:
    """A session daemon with one session of two channels: `writer`, whose writers wake the consumer, and `timer`."""

    def __init__(self, folder, sub_buffers=4, clock_plugin=None):
        self.sub_buffers = sub_buffers
        self.home = folder / "lttng"
        (self.home / ".lttng").mkdir(parents=True)
        self.environment = dict(os.environ, LTTNG_HOME=str(self.home), LTTNG_UST_REGISTER_TIMEOUT="-1")
        if clock_plugin:
            self.environment["LTTNG_UST_CLOCK_PLUGIN"] = str(clock_plugin)
        daemon = ["lttng-sessiond", "--no-kernel", f"--apps-sock={self.home}/.lttng/lttng-ust-sock-8"]
        if os.geteuid() == 0:
            daemon = ["unshare", "--mount", "--propagation", "private", "--", "sh", "-c",
                      'mount -t tmpfs tmpfs /run && exec "$@"', "sh", *daemon]
        # Where the measurement is not: its own timer, a thousand times a second, would be in everybody's tail.
        elsewhere = {max(os.sched_getaffinity(0))}
        self.process = subprocess.Popen(daemon, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=lambda: os.sched_setaffinity(0, elsewhere))

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
            self.client("enable-channel", "--userspace", "--session=peers", "--subbuf-size=1M", f"--num-subbuf={self.sub_buffers}",
                        f"--read-timer={timer}", channel)
            self.client("enable-event", "--userspace", "--session=peers", f"--channel={channel}", f"peers:{channel}_*")
        self.client("start", "peers")
        return self

    def discarded(self):
        """Stops tracing. Events that the session lost so far."""
        self.client("stop", "peers")
        listed = self.client("list", "peers").stdout
        return sum(int(line.split()[-1]) for line in listed.splitlines() if "Discarded events" in line)

    def __exit__(self, *_):
        print("# LTTng discarded", self.discarded(), "events", flush=True)
        self.client("destroy", "peers")
        self.process.terminate()
        self.process.wait()


RATES = [round(4 * 1.15**step, 1) for step in range(23)]  # 4 to 87 events a microsecond
TRIES = 3  # a machine of others' makes any tracer lose events now and then: the best of so many, for all alike
TRIAL_S = 1  # at_rate()'s
EVENT_BYTES = 32


def supply_memory(folder, size):
    """Memory that nobody used yet comes from a virtual machine's host at some hundred MB/s, whoever writes there. So that
    the tracers are compared, and not who came first, it is used once before."""
    with open(folder / "memory", "wb", buffering=0) as file:
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))
    (folder / "memory").unlink()


def lost_at_rate(program, folder, who, rate):
    """RETURNS: events tried, lost; tracing with 32 sub-buffers of 1 MiB."""
    def run(environment):
        (folder / "rate").mkdir()
        done = subprocess.run([program, str(folder / "rate"), "rate", who, str(rate)], env=environment, capture_output=True, text=True)
        shutil.rmtree(folder / "rate")
        return [int(word) for word in done.stdout.split()]
    supply_memory(folder, int(rate * 1e6 * TRIAL_S * EVENT_BYTES * 1.2))
    if who == "maxlat":
        return run(os.environ)
    with tempfile.TemporaryDirectory(dir=folder) as home, LttngDaemon(pathlib.Path(home), sub_buffers=32) as daemon:
        tried, _ = run(daemon.environment)
        return tried, daemon.discarded()


def rates(program, folder):
    """The highest rate of RATES up to which each sustained all for a second without a loss, all in turns."""
    alive, best = ["maxlat", "writer", "timer"] if shutil.which("lttng-sessiond") else ["maxlat"], {}
    for rate in RATES:
        for who in list(alive):
            for _ in range(TRIES):
                tried, lost = lost_at_rate(program, folder, who, rate)
                reached = tried / 1e6 / TRIAL_S
                if lost == 0 and reached > 0.95 * rate:
                    best[who] = reached
                    break
                print(f"# {who}: {lost} of {tried} lost, {reached:.1f} events a microsecond reached of {rate}", flush=True)
            else:
                alive.remove(who)
    print("\n## Highest rate without a loss, 32 sub-buffers of 1 MiB: events a microsecond\n\n| tracer | rate | maxlat's to this |"
          "\n|---|---|---|")
    for who, rate in best.items():
        print(f"| {'maxlat' if who == 'maxlat' else 'LTTng-UST, ' + who} | {rate:.1f} | {best.get('maxlat', 0) / rate:.1f} |")
    peer = max((rate for who, rate in best.items() if who != "maxlat"), default=None)
    if peer:
        times = best.get("maxlat", 0) / peer
        print(f"\nGoal: at least 2 x the better of LTTng-UST's: {times:.1f} x, {'reached' if times >= 2 else 'NOT REACHED'}")


def compared(program, folder, scale):
    """The run with both daemons: LTTng-UST as installed, and one that has our clock, for the second process."""
    clock_plugin = pathlib.Path(program).resolve().parent / "tsc_clock.so"
    (folder / "tsc").mkdir()
    with LttngDaemon(folder) as daemon, LttngDaemon(folder / "tsc", clock_plugin=clock_plugin) as with_tsc:
        command = [program, str(folder / "maxlat"), scale, str(with_tsc.home), str(clock_plugin)]
        return subprocess.run(command, env=daemon.environment).returncode


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a time limit ends the daemons, too
    program, scale = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "10"
    only_rates = scale == "rates"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        folder = pathlib.Path(folder)
        (folder / "maxlat").mkdir()
        if shutil.which("lttng-sessiond") is None and not only_rates:
            return subprocess.run([program, str(folder / "maxlat"), scale]).returncode
        status = 0 if only_rates else compared(program, folder, scale)
        rates(program, folder)
        return status


if __name__ == "__main__":
    sys.exit(main())
