# SPDX-License-Identifier: MIT
"""What a page's script tells under the pointer, held against the results that the page was made of.

TOUCH, in the browser: moves the pointer to drawn points of every series of a plot and to cells of a heat map, and keeps what
the page tells there. The rest, in the test: what may stand there, by kind of plot. Three figures are shown, and a plot is
drawn to a hundredth of a pixel: values are compared to a hundredth.
"""
import itertools
import math
import re

NEAR = 0.01
UNITS = {"": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "%": 1}
PERIODS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
HEAT_COLUMNS = 96

# Of each series the first, the middle, the last and the highest point: {series, readout}. The pointer tells no point that
# lies on the x axis.
TOUCH = """
  const pairs = g => [...g.querySelectorAll('path, polygon, polyline, use')].flatMap(e => ['d', 'points', 'transform'].flatMap(
    name => [...(e.getAttribute(name) || '').matchAll(/(-?[\\d.]+),(-?[\\d.]+)/g)].map(m => [+m[1], +m[2]])));
  const told = (svg, x, y) => {
    const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
    svg.dispatchEvent(new PointerEvent('pointermove', {clientX: at.x, clientY: at.y}));
    return svg.nextElementSibling.textContent;
  };
  const bottom = svg => Math.max(...[...svg.querySelectorAll('path')].map(
    e => /^M([\\d.]+),([\\d.]+) L\\1,([\\d.]+) L([\\d.]+),\\3/.exec(e.getAttribute('d') || '')).filter(m => m).map(m => +m[3]));
  const touch = svg => [...svg.querySelectorAll('g.series')].flatMap(g => {
    const floor = bottom(svg), points = pairs(g).filter(p => p[1] < floor - 0.5);
    if (!points.length) return [];
    const highest = points.reduce((a, b) => b[1] < a[1] ? b : a);
    return [points[0], points[points.length >> 1], points[points.length - 1], highest].map(
      p => ({series: g.dataset.series, highest: p === highest, readout: told(svg, p[0], p[1])}));
  });
  const touchHeat = svg => {
    const [, , columns, rows] = svg.getAttribute('viewBox').split(' ').map(Number), cells = [];
    for (let row = 0; row < rows; ++row)
      for (const column of [0, columns >> 1, columns - 1])
        cells.push({row, column, readout: told(svg, column + 0.5, row + 0.5)});
    return cells;
  };
"""


def near(told, known, at_least=0):
    return abs(told - known) <= max(NEAR * abs(known), at_least)


def number_of(text, units):
    found = re.fullmatch(r"(-?[\d.]+(?:e[+-]?\d+)?) ?(\S*)", text)
    return float(found[1]) * units[found[2]] if found and found[2] in units else math.nan


def value_of(text):
    """A latency in ns; a count or a percentage as it is."""
    return number_of(text, {**UNITS, "s": 1e9})


def seconds_of(text):
    return number_of(text, PERIODS)


def parts_of(readout):
    """"CPU 0: 12.3 s, 4.1 ms" as its three parts."""
    found = re.fullmatch(r"(.*): ([^,]*), ([^,]*)", readout)
    return found.groups() if found else None


def cpus_of(phase, series):
    found = re.match(r"CPU (\d+)", series)
    return [cpu for cpu in phase["per_cpu"] if not found or cpu["cpu"] == int(found[1])]


def steps_of(cpu):
    line = cpu.get("timeline", {})
    return line.get("step_s", 1), line.get("max_ns", [])


def merged_steps(cpus):
    return [max(step) for step in itertools.zip_longest(*(steps_of(cpu)[1] for cpu in cpus), fillvalue=0)]


def timeline_has(phase, series, x, y):
    cpus = cpus_of(phase, series)
    steps, step_s = merged_steps(cpus), steps_of(cpus[0])[0]
    each = max(1, len(steps) // 360 + 1)  # a column of the plot is the largest of so many steps
    at = seconds_of(x) / step_s
    beside = steps[max(0, math.floor(at) - each - 1):math.ceil(at) + each + 1]
    return any(near(value_of(y), ns) for ns in beside)


def outliers_have(phase, series, x, y):
    return any(near(seconds_of(x), one["t_ns"] / 1e9, phase["duration_s"] / 500) and near(value_of(y), one["latency_ns"])
               for cpu in cpus_of(phase, series) for one in cpu.get("outliers", []))


def cpus_have(phase, series, x, y):
    cpu = phase["per_cpu"][round(seconds_of(x.strip() + " s"))]
    if series == "maximum":
        return near(value_of(y), cpu["max_ns"])
    return cpu["min_ns"] * (1 - NEAR) <= value_of(y) <= cpu["max_ns"] * (1 + NEAR)


def histogram_has(phase, series, x, y):
    cpus = cpus_of(phase, series)
    bins = [bin for cpu in cpus for bin in cpu["histogram"]["bins"]]
    high = max(high for _, high, _ in bins) * 10 ** (1 / 25)  # a bin is a column wide at least
    low = min(low for low, _, _ in bins)
    return low * (1 - NEAR) / 2 <= value_of(x) <= high * (1 + NEAR) and 1 <= value_of(y) <= sum(cpu["samples"] for cpu in cpus)


def nines_have(phase, series, x, y):
    cpus = cpus_of(phase, series)
    high = max(cpu["max_ns"] for cpu in cpus)
    return 0 <= value_of(x) <= 100 and value_of(y) <= high * (1 + NEAR)


def tail_has(phase, series, x, y):
    return series != "seen" or any(near(value_of(y), ns) for ns in merged_steps(phase["per_cpu"]))


HAS = {"timeline": timeline_has, "outliers": outliers_have, "cpus": cpus_have, "histogram": histogram_has, "nines": nines_have,
       "tail": tail_has}


def highest_of(kind, phase, series):
    """What the highest point of a series must be."""
    cpus = cpus_of(phase, series)
    if kind == "timeline":
        return max(merged_steps(cpus))
    if kind == "nines" or (kind == "cpus" and series == "maximum"):
        return max(cpu["max_ns"] for cpu in cpus)
    return None


def wrong_values(plot, phase, touches):
    """`phase`: of the result; None where nothing is known of the plot's values but their form."""
    where = f"the value under the pointer of a plot ({plot['title']})"
    if not touches:
        yield f"{where}: no point could be touched"
    for touched in touches:
        told = parts_of(touched["readout"])
        if not told:
            yield f"{where} is \"{touched['readout']}\""
        elif phase and plot["kind"] in HAS:
            if not HAS[plot["kind"]](phase, *told):
                yield f"{where} is \"{touched['readout']}\": the result has no such value"
            known = highest_of(plot["kind"], phase, touched["series"])
            if touched["highest"] and known and not near(value_of(told[2]), known):
                yield f"{where} is \"{touched['readout']}\", and the largest is {known:.4g} ns"


def wrong_heat(phase, touches):
    each = -(-len(merged_steps(phase["per_cpu"])) // HEAT_COLUMNS)
    for cell in touches:
        cpu = phase["per_cpu"][cell["row"]]
        step_s, maxima = steps_of(cpu)
        first, end = cell["column"] * each, (cell["column"] + 1) * each
        rising = cpu["timeline"].get("kind") == "running_max"
        so_far = max(maxima[:first], default=0) if rising else 0
        known = max((ns for ns in maxima[first:end] if ns > so_far), default=0)
        told = re.fullmatch(r"CPU (\d+), ([\d.]+) s to ([\d.]+) s: (.*)", cell["readout"])
        right = told and int(told[1]) == cpu["cpu"] and near(float(told[2]), first * step_s) and near(
            float(told[3]), end * step_s) and (told[4] == "no sample" if known == 0 else near(value_of(told[4]), known))
        if not right:
            yield (f"the value under the pointer of a heat map is \"{cell['readout']}\", and it is {known:.4g} ns "
                   f"of CPU {cpu['cpu']}")
