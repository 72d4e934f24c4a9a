# SPDX-License-Identifier: MIT
"""A recorded run as many: results a day apart, each with its latencies a little longer or shorter (tests of series)."""
import copy
import datetime
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOINED = 60  # bins that become one, for the time that a test has
FIRST = datetime.datetime(2020, 1, 1, 2, tzinfo=datetime.timezone.utc)


def recorded():
    run = json.loads((ROOT / "docs/examples/gate/good/result.json").read_text())
    for phase in run["phases"]:
        for cpu in phase.get("per_cpu", []):
            bins = cpu["histogram"]["bins"]
            joined = [bins[i:i + JOINED] for i in range(0, len(bins), JOINED)]
            cpu["histogram"]["bins"] = [[some[0][0], some[-1][1], sum(one[2] for one in some)] for some in joined]
    return run


RECORDED = recorded()


def stretch(phase, times):
    for cpu in phase.get("per_cpu", []):
        for key in ("min_ns", "max_ns", "mean_ns", "stddev_ns"):
            cpu[key] *= times
        cpu["quantiles_ns"] = {level: ns * times for level, ns in cpu["quantiles_ns"].items()}
        cpu["histogram"]["bins"] = [[low * times, high * times, count] for low, high, count in cpu["histogram"]["bins"]]
        cpu["timeline"]["max_ns"] = [ns * times for ns in cpu["timeline"]["max_ns"]]
        for outlier in cpu["outliers"]:
            outlier["latency_ns"] *= times


def nightly(number, times, kernel, box):
    """The run of that night."""
    run = copy.deepcopy(RECORDED)
    started = (FIRST + datetime.timedelta(days=number)).strftime("%Y-%m-%dT%H:%M:%SZ")
    run["run"] |= {"id": f"nightly-{number}", "started": started, "ended": started, "annotations": {"box": box}}
    for phase in run["phases"]:
        stretch(phase, times * (1 + 0.01 * (number * 7 % 5)))
    run["machine"]["kernel"]["values"]["release"] = kernel
    run["machine"]["kernel"]["hash"] = kernel
    return run


def write_nights(folder, count, bad_from, times=1.5, box="box 17"):
    """DIR/0007/result.json and so on; from the night `bad_from` on longer, and another kernel."""
    for number in range(count):
        bad = number >= bad_from
        place = pathlib.Path(folder) / f"{number:04}"
        place.mkdir(parents=True)
        text = json.dumps(nightly(number, times if bad else 1, "6.12.2" if bad else "6.12.1", box))
        (place / "result.json").write_text(text)
