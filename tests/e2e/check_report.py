#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens the report in headless Chromium, at the width of a desk and of a phone, and looks at what is there.

  check_report.py --sample-run PROGRAM [--keep FOLDER]   makes the report of a known run with $MAXLAT, then checks it
  check_report.py --report RESULT.json REPORT.html [--keep FOLDER]   checks the report of any run
  check_report.py --sample-run PROGRAM --self-test       spoils the page in several ways and expects each to be found

Checked: without scripts the same sections can be read; the script tells under the pointer what the result holds there (pointer.py), and switches the scale to linear and back; the page allows that script
alone; in the dark the page is dark; it can be printed as PDF; every section is there; every phase with samples has its plots; every plot's every series has drawn elements
with an extent; no id is there twice; nothing sticks out of the page to the right; the page asks for nothing from a
network. Exit status 77 where there is no Chromium.
"""
import argparse
import base64
import hashlib
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from browser import Browser
from pointer import TOUCH, wrong_heat, wrong_values

WIDTHS = {"desk": 1280, "phone": 390, "dark": 1280}
SETTINGS = {"dark": ["--blink-settings=preferredColorScheme=0"]}
A4_WIDTH = 794  # of 210 mm, at 96 dots to the inch
PLOTS_OF_SAMPLES = {"histogram", "nines", "cpus"}

# A window of Chromium cannot be narrower than 500, so the page is shown in a frame of the wanted width.
FRAME = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">
<iframe src="{page}" style="border:0;width:{width}px;height:{height}px"></iframe>
<script>addEventListener('message', event => {{
  const out = document.createElement('pre');
  out.id = 'maxlat-look';
  out.textContent = event.data;
  document.body.append(out);
}});</script>"""

# Runs in the page and leaves what it saw in it as JSON. Extents are asked of the elements: what is drawn has one.
LOOK = """
<script>addEventListener('load', () => {""" + TOUCH + """
  const drawn = e => { const b = e.getBBox(); return isFinite(b.width + b.height) && (b.width > 0 || b.height > 0); };
  const inside = e => e.closest('.scroll, pre, .command, svg, title, style, script, head') !== null;
  // Every place in the first plot with a logarithmic axis: as drawn, linear, and as drawn again.
  const places = svg => [...svg.querySelectorAll('g.series *')].map(
    e => ['d', 'points', 'transform'].map(name => e.getAttribute(name)).join()).join();
  const use = svg => {
    const before = places(svg), button = svg.previousElementSibling;
    button.click();
    const linear = places(svg), texts = [...svg.querySelectorAll('text')].map(t => t.textContent), touched = touch(svg);
    button.click();
    return {id: svg.id, kind: svg.dataset.kind, moved: before !== linear, restored: places(svg) === before,
            zero: texts.includes('0'), touched};
  };
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  const seen = {
    width: innerWidth,
    scroll_width: document.documentElement.scrollWidth,
    sections: [...document.querySelectorAll('main > section')].map(s => s.id),
    verdict: (document.querySelector('.verdict .word') || {}).textContent,
    plots: [...document.querySelectorAll('svg.plot')].map(svg => ({
      id: svg.id, kind: svg.dataset.kind, phase: svg.closest('section').id, width: svg.getBoundingClientRect().width,
      font_px: Math.min(...[...svg.querySelectorAll('text')].map(t => t.getBoundingClientRect().height)),
      title: (svg.querySelector('title') || {}).textContent, touched: touch(svg),
      series: [...svg.querySelectorAll('g.series')].map(g => ({
        name: g.dataset.series, elements: [...g.querySelectorAll('path, polygon, use')].filter(drawn).length}))})),
    too_wide: [...document.querySelectorAll('body *')].filter(
      e => !inside(e) && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + e.className),
    used: [...document.querySelectorAll('svg.plot')].filter(svg => (svg.previousElementSibling || {}).tagName === 'BUTTON').map(use),
    heat: [...document.querySelectorAll('svg.heat')].map(svg => ({phase: svg.closest('section').id, touched: touchHeat(svg)})),
    background: getComputedStyle(document.body).backgroundColor,
    twice: ids.filter((id, i) => ids.indexOf(id) !== i),
    foreign: [...document.querySelectorAll('[src], link, object, iframe, [href]:not([href^="#"])')].map(e => e.outerHTML),
  };
  parent.postMessage(JSON.stringify(seen), '*');
});</script>
"""


def chromium(profile, *arguments):
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
               f"--user-data-dir={profile}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"chromium failed with status {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def framed(page, width, height, folder):
    frame = folder / f"frame-{width}.html"
    frame.write_text(FRAME.format(page=page.as_uri(), width=width, height=height))
    return frame.as_uri()


def look(page, name, folder):
    """What the page says of itself in a window of this width, or by night."""
    width = WIDTHS[name]
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)  # it forbids scripts, ours too
    copy = folder / "look.html"
    copy.write_text(text.replace("</body>", LOOK + "</body>"))
    with tempfile.TemporaryDirectory(dir=folder) as profile:
        dom = chromium(profile, *SETTINGS.get(name, []), "--window-size=1400,2000", "--virtual-time-budget=5000", "--dump-dom",
                       framed(copy, width, 2000, folder))
    found = re.search(r'<pre id="maxlat-look">(.*?)</pre>', dom, re.S)
    if not found:
        sys.exit("the page did not come to its end in the browser")
    return json.loads(html.unescape(found[1]))


def wrong_in(result, seen, name):
    """Yields what is wrong with what was seen."""
    if seen["width"] != WIDTHS[name]:
        yield f"the window is {seen['width']} wide, not {WIDTHS[name]}"
    if seen["verdict"] is None:
        yield "there is no verdict"
    wanted = ["verdict", "trust", "findings", "reading"] + (["preflight"] if result.get("preflight") else [])
    # An arm has no section: it is folded away in that of the tracers.
    wanted += ["phases"] if result["phases"] else []
    wanted += [f"phase-{i + 1}" for i, phase in enumerate(result["phases"]) if not phase.get("comparison")]
    wanted += ["machine"] if result.get("machine") else []
    for section in wanted:
        if section not in seen["sections"]:
            yield f"section {section} is missing"
    for i, phase in enumerate(result["phases"]):
        kinds = {plot["kind"] for plot in seen["plots"] if plot["phase"] == f"phase-{i + 1}"}
        cpus = phase.get("per_cpu", [])
        own = not phase.get("comparison") and any(cpu["samples"] for cpu in cpus)  # an arm's plots are beside the others'
        missing = (PLOTS_OF_SAMPLES if own else set()) - kinds
        if missing:
            yield f"phase \"{phase['name']}\" has no plot {', '.join(sorted(missing))}"
    if not any(section == "verdict" for section in seen["sections"][:1]):
        yield f"the page begins with {seen['sections'][:1]} and not with the verdict"
    if result.get("comparisons"):
        if "tracers" not in seen["sections"]:
            yield "section tracers is missing"
        figures = [plot["kind"] for plot in seen["plots"] if plot["phase"] == "tracers"]
        if figures.count("arms") < len(result["comparisons"]) or "arms-nines" not in figures:
            yield f"the tracers have only the plots {figures}"
    phases = {f"phase-{i + 1}": phase for i, phase in enumerate(result["phases"])}
    yield from wrong_page(seen, name, lambda plot, touches: wrong_values(plot, phases.get(plot["phase"]), touches))
    for heat in seen["heat"]:
        yield from wrong_heat(phases[heat["phase"]], heat["touched"])


def wrong_page(seen, name, wrong_told):
    """Of a page of any kind. `wrong_told`: what is wrong with what a plot told where it was touched."""
    for plot in seen["plots"]:
        if not plot["series"]:
            yield f"plot {plot['id']} ({plot['kind']}) has no series"
        for series in plot["series"]:
            if series["elements"] == 0:
                yield f"plot {plot['id']} ({plot['kind']}): nothing is drawn of \"{series['name']}\""
        if not plot["title"]:
            yield f"plot {plot['id']} has no title"
        if not 200 <= plot["width"] <= WIDTHS[name]:
            yield f"plot {plot['id']} is {plot['width']} wide"
        if plot["font_px"] < 8:
            yield f"the text of plot {plot['id']} is {plot['font_px']:.1f} px high"
        yield from wrong_told(plot, plot["touched"])
    if seen["scroll_width"] > seen["width"]:
        yield f"the page is {seen['scroll_width']} wide in a window of {seen['width']}: {seen['too_wide'][:5]}"
    yield from wrong_switch(seen, wrong_told)
    if seen["twice"]:
        yield f"ids are there twice: {sorted(set(seen['twice']))[:5]}"
    if seen["foreign"]:
        yield f"the page needs something else: {seen['foreign'][:5]}"


def wrong_switch(seen, wrong_told):
    """To the linear scale and back; and what the highest points tell there."""
    plots = {plot["id"]: plot for plot in seen["plots"]}
    if not seen["used"]:
        yield "no plot has a switch to a linear scale"
    for plot in seen["used"]:
        for key in ("moved", "restored", "zero"):
            if not plot[key]:
                yield f"the switch of a plot ({plot['kind']}): not {key}"
        for wrong in wrong_told(plots[plot["id"]], [one for one in plot["touched"] if one["highest"]]):
            yield f"on the linear scale, {wrong}"


def wrong_hash(page):
    """Of the script, in the page's policy: a browser runs no other."""
    script = re.search(r"<script>(.*?)</script>", page, re.S)[1]
    hash_now = "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    if f"script-src '{hash_now}'" not in html.unescape(page):
        yield f"the page does not allow its script: in reports/page/script.cpp it must be {hash_now}"
    if page.count("<script") != 1:
        yield f"there are {page.count('<script')} scripts"


def wrong_printed(result_file, folder):
    """The PDF of `maxlat report`: several pages of A4, not blank."""
    printed = folder / "report.pdf"
    subprocess.run([os.environ["MAXLAT"], "report", "--format", "pdf", "-o", printed, result_file], check=True,
                   stdout=subprocess.DEVNULL)
    content = printed.read_bytes()
    pages = len(re.findall(rb"/Type\s*/Page\b", content))
    if not content.startswith(b"%PDF-") or pages < 2 or len(content) < 50_000:
        yield f"the PDF has {pages} pages and {len(content)} bytes"
    sizes = {tuple(float(number) for number in box.split()[2:])
             for box in re.findall(rb"/MediaBox\s*\[([^\]]*)\]", content)}
    if not sizes or any(abs(width - 595.3) > 1 or abs(height - 841.9) > 1 for width, height in sizes):
        yield f"the PDF's pages are {sorted(sizes)} points, not A4 (595 x 842)"
    print(f"printed: {pages} pages, {len(content) // 1024} KiB")


def screenshot(report, name, width, height, folder):
    picture = folder / f"{report.stem}-{name}.png"
    with tempfile.TemporaryDirectory(dir=folder) as profile:
        chromium(profile, *SETTINGS.get(name, []), f"--window-size={max(500, width)},{height}", f"--screenshot={picture}",
                 framed(report, width, height, folder))
    size = picture.stat().st_size
    if size < 60000:  # a blank page of this size packs into some kilobytes
        yield f"the picture {picture} has only {size} bytes: the page is blank"


def check(result_file, result, report, folder):
    page = report.read_text()
    yield from wrong_hash(page)
    for name, width in WIDTHS.items():
        seen = look(page, name, folder)
        for wrong in wrong_in(result, seen, name):
            yield f"{name}: {wrong}"
        dark = sum(int(part) for part in re.findall(r"\d+", seen["background"])[:3]) < 200
        if dark != (name == "dark"):
            yield f"{name}: the page is {seen['background']}"
        yield from screenshot(report, name, width, 5200, folder)
        print(f"{name}: {len(seen['sections'])} sections, {len(seen['plots'])} plots, "
              f"{sum(s['elements'] for p in seen['plots'] for s in p['series'])} drawn elements")
        sections = seen["sections"]
    yield from wrong_without_script(report, sections, folder)
    yield from wrong_printed(result_file, folder)
    # As on paper, for who looks at the pictures.
    on_paper = folder / f"{report.stem}-paper.html"
    on_paper.write_text(page.replace("@media print", "@media screen").replace("@media screen and", "@media print and"))
    yield from screenshot(on_paper, "A4", A4_WIDTH, 5200, folder)


# What a reader has of each section, where no script runs.
READABLE = """({
  script_ran: [...document.querySelectorAll('button')].length > 0,
  sections: [...document.querySelectorAll('main > section')].map(s => [s.id, s.innerText.trim().length, s.offsetHeight]),
  plots: [...document.querySelectorAll('main > section > :not(details) svg.plot')].filter(
    svg => svg.getBoundingClientRect().height > 50).length})"""


def wrong_without_script(report, sections, folder):
    """The same sections, each with words in it, and plots, in a browser that runs no script."""
    with Browser(folder) as browser:
        browser.ask("Emulation.setScriptExecutionDisabled", value=True)
        browser.open(report.as_uri())
        seen = browser.value(READABLE)
    if seen["script_ran"]:
        yield "without scripts: one ran"
    if [section for section, _, _ in seen["sections"]] != sections:
        yield f"without scripts: the sections are {seen['sections']}, with them {sections}"
    for section, letters, height in seen["sections"]:
        if letters < 20 or height < 20:
            yield f"without scripts: section {section} has {letters} letters and is {height} px high"
    if seen["plots"] == 0:
        yield "without scripts: no plot is drawn"


def spoiled(page):
    """Pairs of a page with a mistake in it and what must be said of it."""
    yield re.sub(r'(<g id="p0-p0_plot_1".*?)<polygon', r'\1<nothing', page, flags=re.S), "nothing is drawn"
    yield re.sub(r'<svg class="plot" id="p1".*?</svg>', "", page, flags=re.S), "has no plot nines"
    yield page.replace('id="preflight"', 'id="elsewhere"'), "section preflight is missing"
    yield page.replace("</main>", '<div style="width:700px">wide</div></main>'), "wide in a window of 390"
    yield page.replace("</main>", '<p id="p0">again</p></main>'), "ids are there twice"
    yield page.replace("</main>", '<img src="missing.png"></main>'), "the page needs something else"
    yield page.replace("button.addEventListener('click'", "button.addEventListener('never'"), "the switch of a plot"
    yield page.replace("Math.exp(s)", "1.1 * Math.exp(s)"), "the value under the pointer of a plot"
    yield re.sub(r'(data-kind="outliers"[^>]*data-x="lin [^ ]* )(\S+)', lambda m: m[1] + str(2 * float(m[2])), page), "the result has no such value"
    yield re.sub(r'(data-kind="tail"[^>]*data-y="log \S+ )(\S+)', lambda m: m[1] + str(2 * float(m[2])), page), "(npt for an hour: Tail"
    yield page.replace("y.high * (box.bottom - at)", "2 * y.high * (box.bottom - at)"), "on the linear scale, the value"
    yield re.sub(r'(data-values=")([^"]*)', lambda m: m[1] + m[2][::-1], page), "the value under the pointer of a heat map"


def self_test(result, page, folder):
    for text, expected in spoiled(page):
        assert text != page, f"nothing was spoiled for: {expected}"
        wrongs = list(wrong_in(result, look(text, "phone", folder), "phone"))
        if not any(expected in wrong for wrong in wrongs):
            yield f"a page where \"{expected}\" should be found gives {wrongs}"
    only_by_script = folder / "hidden.html"  # as of a page that a script would have to show
    only_by_script.write_text(page.replace("<main", "<main hidden", 1))
    if not any("is 0 px high" in wrong for wrong in wrong_without_script(only_by_script, [], folder)):
        yield "a page without a readable section was not found"


def sample_report(program, sample, folder):
    result = folder / "result.json"
    subprocess.run([program, sample, result], check=True)
    subprocess.run([os.environ["MAXLAT"], "report", folder], check=True, stdout=subprocess.DEVNULL)
    return result, folder / "report.html"


def cannot_run():
    """What is missing here, told; False: nothing."""
    missing = [program for program in ("chromium", "gnuplot") if not shutil.which(program)]
    for program in missing:
        print(f"cannot run here: {program} is not installed")
    return bool(missing)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample-run")
    parser.add_argument("--sample", default="typical")
    parser.add_argument("--report", nargs=2, type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if cannot_run():
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        result_file, report = arguments.report or sample_report(arguments.sample_run, arguments.sample, folder)
        result = json.loads(result_file.read_text())
        if arguments.self_test:
            wrongs = list(self_test(result, report.read_text(), folder))
        else:
            wrongs = list(check(result_file, result, report.resolve(), folder))
        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            for kept in [*folder.glob("*.png"), report]:
                if kept.resolve().parent != arguments.keep.resolve():
                    shutil.copy(kept, arguments.keep)
    for wrong in wrongs:
        print("wrong:", wrong)
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
