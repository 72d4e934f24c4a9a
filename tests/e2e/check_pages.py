#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens the pages of `maxlat compare` and of `maxlat report --series` in headless Chromium, made of known runs with $MAXLAT.

  check_pages.py compare|series

Checked, at the width of a desk and of a phone: what check_report.py checks on any page; that the script tells the values of
the runs under the pointer; that the page allows its script. Exit status 77 where there is no Chromium.
"""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from check_report import cannot_run, look, wrong_hash, wrong_page
from pointer import near, parts_of, value_of, wrong_values
from series_of_runs import FIRST, nightly, write_nights

NIGHTS, BAD_FROM = 40, 25
MINUTES = 60 * 24 * NIGHTS / 200  # a date is as exact as a pixel of the plot


def maxlat(*arguments):
    subprocess.run([os.environ["MAXLAT"], *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def npt_of(run):
    return next(phase for phase in run["phases"] if phase["name"] == "npt")


def compared(folder):
    """Three repeats against one run: the page, the plots' kinds, and who says what is wrong with a plot."""
    groups = {"good (3 runs)": [nightly(number, 1, "6.12.1", "box 17") for number in range(3)],
              "slow": [nightly(3, 1.5, "6.12.1", "box 17")]}
    (folder / "good").mkdir()
    for number, run in enumerate(groups["good (3 runs)"]):
        (folder / "good" / f"{number}.json").write_text(json.dumps(run))
    (folder / "slow").write_text(json.dumps(groups["slow"][0]))
    maxlat("compare", folder / "good", folder / "slow", "-o", folder / "page.html")
    phases = {name: {"per_cpu": [cpu for run in runs for cpu in npt_of(run)["per_cpu"]]} for name, runs in groups.items()}

    def wrong_told(plot, touches):
        if not touches:
            yield f"{plot['title']}: no point could be touched"
        for touched in touches:
            told = parts_of(touched["readout"])
            name = told[0] if told else touched["series"]
            of_run = {**plot, "kind": plot["kind"].removeprefix("runs-")}
            yield from wrong_values(of_run, phases[name], [touched | {"highest": touched["highest"] and name == touched["series"]}])

    return folder / "page.html", ["runs-nines", "runs-histogram"], wrong_told


def series(folder):
    """Forty nights of which the last fifteen are bad."""
    nights = folder / "nights"
    write_nights(nights, NIGHTS, BAD_FROM)
    maxlat("report", "--series", nights, "-o", folder / "page.html")
    cpus = [npt_of(json.loads((nights / f"{number:04}" / "result.json").read_text()))["per_cpu"][0] for number in range(NIGHTS)]

    def wrong_told(plot, touches):
        if not touches:
            yield f"{plot['title']}: no point could be touched"
        for touched in touches:
            told = parts_of(touched["readout"])
            if not told:
                yield f"the value under the pointer of a trend is \"{touched['readout']}\""
                continue
            figure, date, value = told
            at = datetime.datetime.strptime(date + "+0000", "%Y-%m-%d %H:%M%z")
            number = min(range(NIGHTS), key=lambda night: abs(FIRST + datetime.timedelta(days=night) - at))
            known = cpus[number]["max_ns"] if figure == "max" else cpus[number]["quantiles_ns"][figure]
            away = abs(FIRST + datetime.timedelta(days=number) - at)
            if away > datetime.timedelta(minutes=MINUTES) or not near(value_of(value), known):
                yield f"the value under the pointer of a trend is \"{touched['readout']}\", and that night has {known:.4g} ns"

    return folder / "page.html", ["trend"], wrong_told


def check(page, kinds, wrong_told, folder):
    text = page.read_text()
    yield from wrong_hash(text)
    for name in ("desk", "phone"):
        seen = look(text, name, folder)
        if [plot["kind"] for plot in seen["plots"]] != kinds:
            yield f"{name}: the plots are {[plot['kind'] for plot in seen['plots']]}"
        for plot in seen["plots"]:
            if {touched["series"] for touched in plot["touched"]} != {one["name"] for one in plot["series"]}:
                yield f"{name}: not every series of {plot['title']} was touched: {plot['touched']}"
        for wrong in wrong_page(seen, name, wrong_told):
            yield f"{name}: {wrong}"
        print(f"{name}: {sum(len(plot['touched']) for plot in seen['plots'])} points touched")


def self_test(page, wrong_told, folder):
    """A script that tells another value is found."""
    text = page.read_text()
    for spoilt in (text.replace("Math.exp(s)", "1.1 * Math.exp(s)"),
                   text.replace("y.high * (box.bottom - at)", "2 * y.high * (box.bottom - at)")):
        assert spoilt != text
        if not any("value under the pointer" in wrong for wrong in wrong_page(look(spoilt, "desk", folder), "desk", wrong_told)):
            yield "a script that tells another value is not found"


def main():
    if cannot_run():
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        page, kinds, wrong_told = {"compare": compared, "series": series}[sys.argv[1]](folder)
        wrongs = [*check(page, kinds, wrong_told, folder), *self_test(page, wrong_told, folder)]
    for wrong in wrongs:
        print("wrong:", wrong)
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
