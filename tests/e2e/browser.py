# SPDX-License-Identifier: MIT
"""A page in headless Chromium, asked over its DevTools protocol: for what --dump-dom does not tell, because it needs real
frames or a browser without scripts.

  with Browser(folder) as browser:
      browser.open(page.as_uri())
      browser.value("document.title")

The protocol comes over two pipes, messages of JSON that end with a zero byte; no port is open.
"""
import json
import os
import pathlib
import signal
import subprocess
import tempfile

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]
SECONDS_TO_ANSWER = 120


def too_late(*_):
    raise TimeoutError(f"chromium does not answer for {SECONDS_TO_ANSWER} s")


class Browser:
    def __init__(self, folder, width=1280, height=1000):
        self.profile = tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True)
        self.last = 0
        self.rest = b""
        command_out, self.commands = os.pipe()
        self.answers, answer_in = os.pipe()
        # Chromium reads its commands from descriptor 3 and answers on 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec 3<&{command_out} 4>&{answer_in} && exec "$@"', "sh", "chromium", *FLAGS,
             "--remote-debugging-pipe", f"--window-size={width},{height}", f"--user-data-dir={self.profile.name}"],
            pass_fds=(command_out, answer_in), stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(command_out)
        os.close(answer_in)

    def __enter__(self):
        try:
            return self.attached()
        except BaseException:
            self.__exit__()
            raise

    def attached(self):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)  # the browser and its processes: it leads their group
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.profile.cleanup()

    def read(self):
        """The next message."""
        while b"\0" not in self.rest:
            signal.signal(signal.SIGALRM, too_late)
            signal.alarm(SECONDS_TO_ANSWER)
            piece = os.read(self.answers, 1 << 16)
            signal.alarm(0)
            if not piece:
                raise RuntimeError(f"chromium ended with status {self.process.wait()}")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, uri):
        self.ask("Page.navigate", url=uri)
        while self.read().get("method") != "Page.loadEventFired":
            pass

    def value(self, expression):
        """Of JavaScript, which may be a promise."""
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def cpu_seconds(self):
        """Of all processes of this browser, so far."""
        ticks = 0
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue  # it has ended
            if int(fields[3]) == self.process.pid:  # its session
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")
