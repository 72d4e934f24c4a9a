# SPDX-License-Identifier: MIT
"""The Python interface against a program with sensors: python3 -m unittest, with SENSOR_PROGRAM (of tests/tracer, which is in
PYTHONPATH), MAXLAT and MAXLAT_SENSORS_LIBRARY in the environment."""
import json
import os
import subprocess
import tempfile
import threading
import unittest
import unittest.mock

import maxlat_sensors as ms
from sensor_process import SensorProcess

PROGRAM = os.environ["SENSOR_PROGRAM"]
NAME = os.path.basename(PROGRAM)[:15]


class Library(unittest.TestCase):
    def test_another_library_is_named(self):
        """Not by an AttributeError of ctypes: one of an older version may lie in the way."""
        with unittest.mock.patch.dict(os.environ, MAXLAT_SENSORS_LIBRARY="libc.so.6"):
            with self.assertRaisesRegex(OSError, r"libc\.so\.6 has no maxlat_monitor_error, so .*MAXLAT_SENSORS_LIBRARY may name"):
                ms._library.load()
        with unittest.mock.patch.dict(os.environ, MAXLAT_SENSORS_LIBRARY="/gone.so"):
            with self.assertRaisesRegex(OSError, r"/gone\.so: cannot open"):
                ms._library.load()

    def test_what_is_no_pattern_is_refused(self):
        with self.assertRaisesRegex(TypeError, "a pattern is a str, not int: 5"):
            ms.Monitor(5)
        with self.assertRaisesRegex(ValueError, r"a zero byte in its name: 'robot\\x00/moves'"):
            ms.Monitor("robot\0/moves")  # C would see another one


class Sensors(unittest.TestCase):
    def setUp(self):
        self.program = SensorProcess(PROGRAM)
        self.addCleanup(self.program.__exit__)

    def monitor(self, rest=""):
        return ms.Monitor(f"{self.program.pid}{rest}")

    def test_what_there_is(self):
        monitor = self.monitor()
        self.assertEqual(len(monitor), 11)
        latency = monitor["latency"]
        self.assertEqual((latency.kind, latency.unit, latency.about, latency.shared),
                         ("histogram", "ns", "from request to answer", False))
        self.assertEqual(str(latency), f"{NAME}#{self.program.pid}/server/latency")
        self.assertTrue(monitor["other/requests"].shared)
        self.assertEqual([one.id for one in self.monitor("/server/*")], list(range(6)))
        self.assertEqual([one.name for one in self.monitor("/server/#5")], ["latency"])
        self.assertEqual(len(ms.Monitor("no/such")), 0)
        with self.assertRaisesRegex(KeyError, "no sensor of this monitor is called gone"):
            monitor["gone"]
        with self.assertRaisesRegex(KeyError, "requests may be .*/server/requests or .*/other/requests|"
                                              "requests may be .*/other/requests or .*/server/requests"):
            monitor["requests"]

    def test_values(self):
        monitor = self.monitor("/server/*")
        self.assertEqual(monitor["temperature"].read(), ms.Stat(0, None, None, None, None, True))
        self.assertEqual(monitor["latency"].read().quantile(0.5), 0)
        self.program.tell("post")
        self.assertEqual(monitor["requests"].read(), ms.Counter(3))
        queue = monitor["queue"].read()
        self.assertEqual((queue, queue.within), (ms.Gauge(2, 0, 3), True))
        self.assertEqual(monitor["temperature"].read(), ms.Stat(3, 7, -5, 10, 12, True))
        self.assertEqual(monitor["temperature"].read().mean, 4)
        self.assertEqual(monitor["answers"].read(), ms.Counters({"yes": 1, "no": 0, 'a "third"?[1m': 4}, 1))
        self.assertEqual(self.monitor("/other/requests")[0].read(), ms.Counter(1 << 63))

    def test_histogram(self):
        self.program.tell("post")
        latency = self.monitor("/server/latency")[0].read()
        self.assertEqual((latency.count, latency.overflows, latency.min, latency.max), (1001, 1, 1000, 1 << 40))
        self.assertEqual(latency.sum, 1000 * 1000 * 1001 // 2 + (1 << 40))
        self.assertEqual(sum(latency.counts), 1000)
        self.assertEqual(latency.outliers, [(1 << 40, 0)])
        self.assertAlmostEqual(latency.deviation / 3.473e10, 1, places=2)
        self.assertRegex(repr(latency), r"^Histogram\(count=1001, min=1000, p50=5\d\d\d\d\d, ")
        with self.assertRaisesRegex(ValueError, "from 0 to 1"):
            latency.quantile(2)
        self.assertTrue(all(low <= high for low, high in zip(latency.low, latency.high)))
        self.assertEqual(latency.low[0], 0)
        self.assertGreaterEqual(latency.quantile(0.5), 501_000)
        self.assertLess(latency.quantile(0.5), 560_000)
        self.assertEqual(latency.quantile(1), 1 << 40)
        (printed,) = json.loads(subprocess.run(
            [os.environ["MAXLAT"], "sensors", "get", "--json", f"{self.program.pid}/server/latency"],
            capture_output=True, text=True, check=True, timeout=60).stdout)
        bins = [[low, high, count] for low, high, count in zip(latency.low, latency.high, latency.counts) if count]
        self.assertEqual(bins, printed["value"]["bins"])
        self.assertEqual((latency.counts.format, latency.counts.itemsize), ("Q", 8))

    def test_histogram_of_cells_that_are_alike(self):
        self.assertEqual(self.monitor("/other/voltage")[0].read().quantile(0.5), 0)
        self.program.tell("post")
        voltage = self.monitor("/other/voltage")[0].read()  # 18 to 60, in cells of 5 from 20 to 59
        self.assertEqual((voltage.count, voltage.below, voltage.overflows, voltage.max), (43, 2, 1, 60))
        self.assertEqual((list(voltage.low), list(voltage.counts)), (list(range(20, 60, 5)), [5] * 8))
        self.assertEqual([voltage.quantile(part) for part in (0, 2 / 43, 0.06, 0.5, 1)], [19, 19, 24, 39, 60])

    def test_the_largest_of_all_values(self):
        self.program.tell("most")
        latency = self.monitor("/server/latency")[0].read()
        self.assertEqual((latency.min, latency.max, latency.sum, latency.overflows), ((1 << 64) - 1, (1 << 64) - 1, (1 << 64) - 1, 1))

    def test_map(self):
        self.program.tell("post")
        copies = self.monitor("/other/copies")[0]
        self.assertEqual((copies.kind, copies.unit, copies.ended), ("map", "ns", False))
        cells = copies.read()
        self.assertEqual((cells.x, cells.y), (ms.Axis("width", "px", 0, 16, 3), ms.Axis("height", "px", 100, 10, 2)))
        self.assertEqual((list(cells.counts), list(cells.sums), cells.outside), ([0, 2, 0, 0, 0, 1], [0, 400, 0, 0, 0, 1000], 1))
        self.assertEqual((cells.mean(1, 0), cells.mean(2, 1), cells.mean(0, 0)), (200, 1000, None))
        with self.assertRaisesRegex(IndexError, r"3 x 2 cells, and no \(0, 2\)"):
            cells.mean(0, 2)

    def test_of_a_program_that_was_killed(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, XDG_RUNTIME_DIR=folder):
            directory = subprocess.Popen([os.environ["MAXLAT"], "sensors", "directory"], stdout=subprocess.PIPE, text=True)
            try:
                directory.stdout.readline()  # it has what runs
                self.program.tell("post")
                self.program.process.kill()
                self.program.process.wait()
                while not (kept := ms.Monitor(f"{self.program.pid}/server/latency", ended=True)) or not kept[0].ended:
                    pass
                self.assertEqual(kept[0].read().max, 1 << 40)
                self.assertEqual(len(self.monitor()), 0)
            finally:
                directory.terminate()
                directory.communicate()

    def test_events(self):
        moves = self.monitor("/robot/moves")[0]
        reader = moves.events()
        self.assertEqual(list(reader), [])
        self.program.tell("move")
        events = list(reader)
        self.assertEqual([event.position for event in events], list(range(13)))
        self.assertEqual((events[0].provider, events[0].name), ("robot", "mode"))
        self.assertEqual(events[0].fields, {"mode": (1, "automatic"), "why": 'a "start"\x1b[1m'})
        self.assertEqual(events[12].fields, {"axis": 12, "position_mm": 6.0})
        self.assertFalse(any(event.late for event in events))
        self.assertEqual([event.ticks for event in events], sorted(event.ticks for event in events))
        self.assertEqual(moves.read(), ms.Events(13, 16, 0, 0))
        for _ in range(2):
            self.program.tell("move")
        self.assertEqual(len(list(reader)), 16)
        books = reader.books()
        self.assertEqual((books.posts, books.delivered, books.overwritten), (39, 29, 10))

    def test_events_are_followed(self):
        live = self.monitor("/robot/moves")[0].follow(poll_s=0.001)
        posting = threading.Thread(target=self.program.tell, args=("move",))
        posting.start()
        axes = [next(live).fields.get("axis", 0) for _ in range(13)]
        posting.join()
        self.assertEqual(axes, list(range(13)))

    def test_events_of_several_programs_are_one_sequence(self):
        with SensorProcess(PROGRAM) as other:
            own = {self.program.pid, other.pid}
            merged = ms.Monitor(f"{NAME}#*/robot/*").merged(patience_ns=0)
            for program, word in ((self.program, "move"), (other, "say"), (self.program, "say"), (other, "move")):
                program.tell(word)
            merged.finish()
            found = [(sensor.pid, sensor.name, event) for sensor, event in merged if sensor.pid in own]
        self.assertEqual(len(list(merged)), 0)
        self.assertEqual([event.ticks for _, _, event in found], sorted(event.ticks for _, _, event in found))
        turns = [found[0][:2]] + [now[:2] for last, now in zip(found, found[1:]) if now[:2] != last[:2]]
        self.assertEqual(turns, [(self.program.pid, "moves"), (other.pid, "log"), (self.program.pid, "log"),
                                 (other.pid, "moves")])
        self.assertEqual(found[12][2].fields, {"axis": 12, "position_mm": 6.0})

    def test_the_books_of_a_merge(self):
        monitor = self.monitor()
        merged = monitor.merged(patience_ns=0)
        self.program.tell("move")
        merged.finish()
        self.assertEqual(len(list(merged)), 13)
        books = merged.books(monitor["moves"])
        self.assertEqual((books.posts, books.delivered, books.late, books.pending), (13, 13, 0, 0))
        with self.assertRaisesRegex(ms.Error, "is not a list of events of this merge"):
            merged.books(monitor["server/queue"])
        self.program.tell("say")
        self.assertEqual(list(merged), [], "it is finished")
        outlives = monitor.merged(patience_ns=0)
        monitor.close()
        outlives.finish()
        self.assertIn("said", {event.name for _, event in outlives})

    def test_events_of_a_monitor_are_followed(self):
        live = self.monitor("/robot/*").follow(poll_s=0.001, patience_ns=1000)
        posting = threading.Thread(target=self.program.tell, args=("move",))
        posting.start()
        self.assertEqual([next(live)[1].fields.get("axis", 0) for _ in range(13)], list(range(13)))
        posting.join()

    def test_of_a_killed_program_the_last(self):
        monitor = self.monitor("/server/requests")
        self.program.tell("post")
        self.program.process.kill()
        self.program.process.wait()
        self.assertEqual(monitor[0].read(), ms.Counter(3))
        self.assertEqual(len(self.monitor()), 0)

    def test_mistakes(self):
        monitor = self.monitor()
        with self.assertRaisesRegex(ms.Error, "requests is not a list of events"):
            monitor["server/requests"].events()
        sensor = monitor["server/requests"]
        reader = monitor["moves"].events()
        monitor.close()
        with self.assertRaisesRegex(ms.Error, "it is closed"):
            sensor.read()
        self.assertEqual(list(reader), [], "a reader outlives its monitor")
        reader.close()
        with self.assertRaisesRegex(ms.Error, "it is closed"):
            reader.next()

    def test_recorded_events(self):
        with tempfile.TemporaryDirectory() as parent:
            self.program.tell("move")
            recorded = subprocess.run([os.environ["MAXLAT"], "sensors", "record", "-q", "-D", "1ms", "-o", f"{parent}/of",
                                       f"{self.program.pid}/robot/moves"], timeout=60)
            if recorded.returncode == 77:
                self.skipTest("no trace can be made here")
            self.assertEqual(recorded.returncode, 0)
            events = list(ms.recorded_events(f"{parent}/of", os.environ["MAXLAT"]))
        self.assertEqual(len(events), 13)
        self.assertEqual(events[12]["fields"], {"axis": 12, "position_mm": 6.0})

    def test_recorded_events_where_some_were_lost(self):
        with tempfile.TemporaryDirectory() as parent:
            printer = os.path.join(parent, "maxlat")  # says what `trace print --json` says of them
            with open(printer, "w") as script:
                script.write('#!/bin/sh\necho \'{"fields": {"axis": 1}}\'\necho \'{"lost": 4}\'\nexit 3\n')
            os.chmod(printer, 0o755)
            self.assertEqual(list(ms.recorded_events("anywhere", printer)), [{"fields": {"axis": 1}}])


class Arrays(unittest.TestCase):
    def test_numpy_takes_them_as_they_are(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not there")
        with SensorProcess(PROGRAM) as program:
            program.tell("post")
            latency = ms.Monitor(f"{program.pid}/server/latency")[0].read()
            self.assertEqual(numpy.asarray(latency.counts).sum(), 1000)


if __name__ == "__main__":
    unittest.main()
