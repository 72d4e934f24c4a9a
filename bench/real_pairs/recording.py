# SPDX-License-Identifier: MIT
"""Pairs of builds in a file: what `maxlat compare` and its peers read of each run, and no more, compressed.

Of a result of npt are kept how long it watched, its figures, its time line and its histogram, the bins of which are joined to a
grid of equal ratios: one after another by 1/128. That leaves 250 bins of a run of a second, and 146 kB of 640 such runs. Not kept
are the machine, the outliers and the words. Live pairs are judged by what is kept, too, so there is one way to a verdict.

The file is xz of JSON: {"format", "about", "pairs": [{"kind", "load", "load_average", "good": [run, ...], "new": [run, ...]},
...]}, and a run's bins are [steps of the grid since the bin before it, samples, ...].
"""
import json
import lzma
import math

FORMAT = "maxlat-real-pairs/1"
STEP = 1 + 1 / 128
FIGURES = ("samples", "exposure_s", "min_ns", "max_ns", "mean_ns", "stddev_ns")


def edge_ns(at):
    return STEP ** at


def joined(bins):
    """[grid's bin, samples] of bins [low, high, samples], in ascending order. By its lower edge, which no sample is below."""
    counts = {}
    for low, _, samples in bins:
        at = max(0, math.floor(math.log(max(low, 1)) / math.log(STEP) + 1e-9))
        counts[at] = counts.get(at, 0) + samples
    return sorted(counts.items())


def kept_of(result):
    """What is kept of a result of npt on one CPU."""
    phase = result["phases"][0]
    cpu = phase["per_cpu"][0]
    if len(result["phases"]) != 1 or len(phase["per_cpu"]) != 1 or cpu["histogram"]["overflow_count"]:
        raise ValueError("not a run of npt on one CPU with every sample in its histogram")
    kept = {name: cpu[name] for name in FIGURES} | {"duration_s": phase["duration_s"], "steps": cpu["timeline"], "bins": []}
    before = 0
    for at, samples in joined(cpu["histogram"]["bins"]):
        kept["bins"] += [at - before, samples]
        before = at
    return kept


def result_of(kept, name):
    """A result that maxlat reads, as far as it was kept. Valid: what stalled it was planted."""
    bins, at = [], 0
    for delta, samples in zip(kept["bins"][::2], kept["bins"][1::2]):
        at += delta
        bins.append([round(edge_ns(at), 3), round(edge_ns(at + 1), 3), samples])
    bins[-1][1] = max(bins[-1][1], kept["max_ns"])  # a wide bin of npt's may end behind the grid's
    cpu = {figure: kept[figure] for figure in FIGURES} | {"cpu": 0, "timeline": kept["steps"],
                                                          "histogram": {"unit": "ns", "bins": bins, "overflow_count": 0}}
    phase = {"name": "npt", "kind": "npt", "status": "ok", "duration_s": kept["duration_s"], "exposure_s": kept["exposure_s"],
             "per_cpu": [cpu]}
    return {"schema": "maxlat-result/1", "run": {"id": name, "seed": 0, "status": "complete"}, "phases": [phase],
            "verdict": {"result": "not-gated"}}


def write(path, about, pairs):
    text = json.dumps({"format": FORMAT, "about": about, "pairs": pairs}, separators=(",", ":"))
    with lzma.open(path, "wt", preset=9 | lzma.PRESET_EXTREME) as file:
        file.write(text)


def read(path):
    """ERRORS: OSError, ValueError with a sentence."""
    try:
        with lzma.open(path, "rt") as file:
            recording = json.load(file)
    except (lzma.LZMAError, EOFError, UnicodeDecodeError, json.JSONDecodeError) as wrong:
        raise ValueError(f"{path} is no recording of pairs: {wrong}") from wrong
    if not isinstance(recording, dict) or recording.get("format") != FORMAT:
        raise ValueError(f"{path} is no recording of pairs: its format is not {FORMAT}")
    return recording["about"], recording["pairs"]
