#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sensors_export_cases.py PROGRAM: `maxlat sensors export` to a file and over HTTP, of a program with sensors
(sensor_program.cpp). The binary is $MAXLAT."""
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

from sensor_process import GoesWithTheBlock, SensorProcess, sensors

PROGRAM = os.path.abspath(sys.argv[1])
CONNECTIONS = 32  # at once (metrics_server.hpp)
OPEN_METRICS = "application/openmetrics-text; version=1.0.0"


class Server(GoesWithTheBlock):
    def __init__(self, *patterns):
        self.process = subprocess.Popen([os.environ["MAXLAT"], "sensors", "export", "--listen", "0", *patterns],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        told = self.process.stdout.readline()
        self.port = int(re.fullmatch(r"answers http://127\.0\.0\.1:(\d+)/metrics\n", told)[1])

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def get(self, path="/metrics", method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type"), answer.read().decode()

    def raw(self, text):
        """The first line of the answer to it; nothing: it was closed without one."""
        with self.connect() as connection:
            connection.sendall(text)
            return connection.makefile("rb").readline().decode().strip()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=60)
        assert (self.process.returncode, *said) == (0, "", ""), said


def requests_of(program, text):
    return int(re.search(rf'^server_requests_total{{[^}}]*pid="{program.pid}"[^}}]*}} (\d+)$', text, re.M)[1])


def test_file():
    with SensorProcess(PROGRAM) as program, tempfile.TemporaryDirectory() as folder:
        program.tell("post")
        path = os.path.join(folder, "sensors.prom")
        assert sensors("export", "-o", path, str(program.pid)) == ""
        with open(path, encoding="utf-8") as file:
            assert file.read() == sensors("export", str(program.pid))
        assert sensors("export", "--format", "prometheus", "-o", path, str(program.pid)) == ""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        assert "# TYPE server_requests_total counter\n" in text and "# EOF" not in text and "# UNIT" not in text, text
        assert os.listdir(folder) == ["sensors.prom"]
        # What is there stays when there is nothing to write.
        sensors("export", "-o", path, "no/such", status=1)
        with open(path, encoding="utf-8") as file:
            assert file.read() == text
        sensors("export", "-o", os.path.join(folder, "no/such"), str(program.pid), status=1)


def test_two_scrapes_have_the_counts_of_their_time():
    with SensorProcess(PROGRAM) as program, Server(str(program.pid)) as server:
        status, kind, text = server.get(Accept=OPEN_METRICS + ",*/*;q=0.1")
        assert (status, kind) == (200, OPEN_METRICS + "; charset=utf-8") and text.endswith("# EOF\n"), (status, kind)
        assert requests_of(program, text) == 0
        program.tell("post")
        status, kind, text = server.get()
        assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8"), (status, kind)
        assert requests_of(program, text) == 3 and "# TYPE server_requests_total counter\n" in text, text
        program.process.kill()
        program.process.wait()
        assert server.get() == (200, "text/plain; version=0.0.4; charset=utf-8", "")
        server.stop()


def test_what_is_no_scrape():
    with Server("no/such") as server:
        assert server.get("/metrics?from=here")[0] == 200
        assert server.get("/")[0] == 404 and server.get("/metrics/")[0] == 404
        for method in ("POST", "HEAD", "DELETE"):
            assert server.get(method=method)[0] == 405
        for garbage in (b"\x16\x03\x01\x02\x00\r\n", b"GET /metrics\r\n", b"get /metrics HTTP/1.1\r\n", b"GET  HTTP/1.1\r\n",
                        b"GET /metrics FTP/1.1\r\n", b"\r\n", b"GET /me trics HTTP/1.1\r\n"):
            assert server.raw(garbage) == "HTTP/1.1 400 Bad Request", garbage
        assert server.raw(b"GET /metrics HTTP/1.1\r\nX: " + b"y" * 8192) == "HTTP/1.1 431 Request Header Fields Too Large"
        assert server.raw(b"x" * 100_000) == "HTTP/1.1 431 Request Header Fields Too Large"
        assert server.get()[0] == 200
        server.stop()


def test_whoever_is_slow_is_cut_off():
    with Server("no/such") as server:
        with server.connect() as silent, server.connect() as slow:
            slow.sendall(b"GET /metrics HTTP/1.1\r\nHost: here\r\n")
            assert server.get()[0] == 200, "others are served meanwhile"
            assert silent.recv(1) == b"" and slow.recv(1) == b"", "each has a few seconds"
        server.stop()


def test_a_flood_of_connections():
    """More than the server takes, which say nothing: they go, and whoever asks has an answer. So do many who ask at once."""
    with SensorProcess(PROGRAM) as program, Server(str(program.pid)) as server:
        program.tell("post")
        idle = [server.connect() for _ in range(3 * CONNECTIONS)]
        memory = open(f"/proc/{server.process.pid}/statm", encoding="ascii").read().split()[1]
        assert len(os.listdir(f"/proc/{server.process.pid}/fd")) < CONNECTIONS + 16
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(server.get())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == 8 and all(requests_of(program, text) == 3 for _, _, text in answers), answers
        for connection in idle:
            connection.close()
        assert requests_of(program, server.get()[2]) == 3
        assert int(memory) < 1 << 14
        server.stop()


def test_mistakes():
    for where in ("", "here:80", "127.0.0.1", "1:2:3", "127.0.0.1:65536", "-1", ":9100"):
        text = sensors("export", "--listen", where, status=1)
        assert re.match(r"maxlat sensors: .*\n", text), text
    assert "--listen goes with neither" in sensors("export", "--listen", "0", "-o", "file", status=1)
    assert '"csv" is none' in sensors("export", "--format", "csv", status=1)
    with Server("no/such") as server:
        assert "cannot listen on" in sensors("export", "--listen", str(server.port), status=1)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
