#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A fleet's results in PostgreSQL, by the statements that SQLite takes: two boxes write, the store tells of both.

The server is Debian's, started here as an unprivileged user, with its data and its socket in a folder of this test. Exit
status 77 where it is not installed.
"""
import contextlib
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile

from series_of_runs import write_nights

failures = []


def expect(found, what, said=""):
    print(f"{'ok' if found else 'not ok'} - {what}")
    if not found:
        failures.append(f"{what}\n{said[:3000]}")


def server_programs():
    """The folder of the newest initdb and pg_ctl, or None."""
    folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[4]))
    return folders[-1].parent if folders else None


def unprivileged():
    """A user for the server, which refuses to be root; None: the one that we are."""
    if os.geteuid() != 0:
        return None
    names = [user.pw_name for user in pwd.getpwall()]
    return "postgres" if "postgres" in names else "nobody"


@contextlib.contextmanager
def server(programs, folder):
    """Runs it, and gives the URL of an empty data base."""
    user, data = unprivileged(), folder / "data"
    data.mkdir()
    folder.chmod(0o755)
    if user:
        shutil.chown(data, user)

    def as_user(*command):
        subprocess.run([str(word) for word in command], user=user, check=True, cwd="/", stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, timeout=120)

    as_user(programs / "initdb", "-D", data / "base", "-A", "trust", "-U", "maxlat", "-E", "UTF8", "--no-sync")
    as_user(programs / "pg_ctl", "-D", data / "base", "-w", "-l", data / "log", "-o",
            f"-k {data} -c listen_addresses='' -c fsync=off", "start")
    try:
        data.chmod(0o755)
        yield f"postgresql:///postgres?host={data}&user=maxlat"
    finally:
        as_user(programs / "pg_ctl", "-D", data / "base", "-w", "-m", "immediate", "stop")


def report(*arguments, status=0):
    ended = subprocess.run([os.environ["MAXLAT"], "report", "--series", "--text", "--width", "160", *map(str, arguments)],
                           capture_output=True, text=True, timeout=120)
    expect(ended.returncode == status, f"exit status {status}: {' '.join(map(str, arguments))}",
           f"{ended.returncode}: {ended.stderr}")
    return ended.stdout + ended.stderr


def check(folder, url):
    write_nights(folder / "a", 40, 20, box="box a")
    write_nights(folder / "b", 40, 40, box="box b")
    one = report(folder / "a", "--store", url)
    expect("First bad run of npt on box a" in one and "box b" not in one, "what one box has sent", one)
    both = report(folder / "b", "--store", url)
    expect("npt on box a" in both and "npt on box b" in both, "what both have sent", both)
    alone = report("--store", url)
    expect(alone == both, "the store alone says the same", alone)
    for place in "a", "b":
        report(folder / place, "--store", folder / "fleet.sqlite")
    in_file = report("--store", folder / "fleet.sqlite")
    expect(in_file == both, "SQLite says the same", in_file)

    shutil.rmtree(folder / "a/0020")
    (folder / "a/0021/result.json").touch()
    changed = report(folder / "a", "--store", url)
    expect("80 runs" in changed, "a result that went is kept there", changed)

    writers = [subprocess.Popen([os.environ["MAXLAT"], "report", "--series", "--text", str(folder / place), "--store",
                                 url + "&dbname=template1"], stdout=subprocess.DEVNULL) for place in "ab"]
    expect([writer.wait(timeout=120) for writer in writers] == [0, 0], "two write into an empty data base at once")
    said = report(folder / "a", "--store", url + "&dbname=nothere", status=1)
    expect('PostgreSQL: ' in said and "nothere" in said and "hint: " in said, "a data base that is not there", said)


def main():
    programs = server_programs()
    if programs is None:
        print("cannot run here: no PostgreSQL server is installed (Debian's package postgresql)")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        with server(programs, folder) as url:
            check(folder, url)
        expect("PostgreSQL: " in report("--store", url, status=1), "a server that has gone")
    print("\n".join(f"# {failure}" for failure in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
