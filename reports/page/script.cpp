// SPDX-License-Identifier: MIT
#include "script.hpp"

namespace maxlat::reports {
namespace {

constexpr std::string_view kScript = R"js(
'use strict';
(() => {
const SVG = 'http://www.w3.org/2000/svg';
const three = v => Number(v.toPrecision(3)).toString();
const time = ns => ns >= 1e9 ? three(ns / 1e9) + ' s' : ns >= 1e6 ? three(ns / 1e6) + ' ms' :
  ns >= 1e3 ? three(ns / 1e3) + ' µs' : three(ns) + ' ns';
const period = s => s >= 86400 ? three(s / 86400) + ' d' : s >= 3600 ? three(s / 3600) + ' h' :
  s >= 60 ? three(s / 60) + ' min' : three(s) + ' s';
const shown = (axis, v) => axis.unit === 'ns' ? time(v) : axis.unit === 's' ? three(v) + ' s' :
  axis.unit === 'nines' ? (100 - 100 * 10 ** -v).toFixed(Math.max(0, Math.ceil(v) - 1)) + ' %' :
  axis.unit === 'period' ? period(v) :
  axis.unit === 'date' ? new Date((axis.zero + v) * 1000).toISOString().slice(0, 16).replace('T', ' ') :
  axis.unit === 'count' ? Math.round(v).toString() : three(v) + ' ' + axis.unit;
const axisOf = (words, from, to) => {
  const [scale, low, high, unit, zero] = words.split(' ');
  const log = scale === 'log', a = log ? Math.log(low) : +low, b = log ? Math.log(high) : +high;
  const value = at => { const s = a + (b - a) * (at - from) / (to - from); return log ? Math.exp(s) : s; };
  return {unit: unit || '', zero: +zero || 0, log, high: +high, from, to, value};
};
const element = (name, attributes, text) => {
  const e = document.createElementNS(SVG, name);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  if (text) e.textContent = text;
  return e;
};
const under = (svg, event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
const readoutOf = svg => {
  const line = document.createElement('p');
  line.className = 'readout tool';
  line.textContent = '\u00a0';
  svg.after(line);
  return line;
};

const boxOf = svg => {
  for (const path of svg.querySelectorAll('path')) {
    const m = /^M([\d.]+),([\d.]+) L\1,([\d.]+) L([\d.]+),\3/.exec(path.getAttribute('d') || '');
    if (m) return {left: +m[1], top: +m[2], bottom: +m[3], right: +m[4]};
  }
  return null;
};
const PLACES = [['path', 'd'], ['polygon', 'points'], ['polyline', 'points'], ['use', 'transform']];
const PAIR = /(-?[\d.]+),(-?[\d.]+)/g;
const drawn = group => PLACES.flatMap(([name, attribute]) =>
  [...group.querySelectorAll(name)].map(e => ({e, attribute, text: e.getAttribute(attribute) || ''})));

const hover = (svg, box, x, y, line) => {
  const dot = element('circle', {r: 3.5, fill: 'none', stroke: 'currentColor', visibility: 'hidden'});
  svg.append(dot);
  svg.addEventListener('pointerleave', () => { dot.setAttribute('visibility', 'hidden'); line.textContent = '\u00a0'; });
  svg.addEventListener('pointermove', event => {
    const at = under(svg, event);
    let best = null, distance = 900;
    for (const group of svg.querySelectorAll('g.series'))
      for (const {text} of drawn(group))
        for (const [, px, py] of text.matchAll(PAIR)) {
          const d = (px - at.x) ** 2 + (py - at.y) ** 2;
          if (d < distance && +py < box.bottom - 0.5) { distance = d; best = [+px, +py, group.dataset.series]; }
        }
    dot.setAttribute('visibility', best ? 'visible' : 'hidden');
    if (!best) { line.textContent = '\u00a0'; return; }
    dot.setAttribute('cx', best[0]);
    dot.setAttribute('cy', best[1]);
    const now = svg.linear || y;
    line.textContent = best[2] + ': ' + shown(x, x.value(best[0])) + ', ' + shown(now, now.value(best[1]));
  });
};

// Of the y axis: what was drawn stays in `kept`, and comes back as it was.
const linearised = (svg, box, y) => {
  const place = v => box.bottom - (box.bottom - box.top) * v / y.high;
  const kept = [], hidden = [];
  for (const group of svg.querySelectorAll('g.series'))
    for (const {e, attribute, text} of drawn(group)) {
      kept.push([e, attribute, text]);
      e.setAttribute(attribute, text.replace(PAIR, (all, px, py) => px + ',' + place(y.value(+py)).toFixed(2)));
    }
  const rows = `M${box.left.toFixed(2)},`;
  for (const path of svg.querySelectorAll('path')) {
    const m = /^M([\d.]+),([\d.]+) L([\d.]+),\2\s*$/.exec(path.getAttribute('d') || '');
    if (m && path.getAttribute('d').startsWith(rows) && !path.closest('g.series')) hidden.push(path);
  }
  for (const g of svg.querySelectorAll('g[text-anchor="end"]')) {
    const m = /translate\(([\d.]+),/.exec(g.getAttribute('transform') || '');
    if (m && +m[1] < box.left && !/rotate/.test(g.getAttribute('transform'))) hidden.push(g);
  }
  for (const e of hidden) e.style.display = 'none';
  const tics = element('g', {});
  const rough = y.high / 5, decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(f => f * decade).find(s => s >= rough);
  for (let v = 0; v <= y.high * 1.0001; v += step) {
    tics.append(element('path', {d: `M${box.left},${place(v)} L${box.right},${place(v)}`, stroke: 'var(--grid)', 'stroke-width': 0.6}));
    tics.append(element('text', {x: box.left - 6, y: place(v) + 4, 'text-anchor': 'end', 'font-size': 12, fill: 'currentColor'},
                        v === 0 ? '0' : shown(y, v)));
  }
  svg.querySelector('g.series').parentNode.prepend(tics);
  svg.linear = {...y, value: at => y.high * (box.bottom - at) / (box.bottom - box.top)};
  return () => {
    for (const [e, attribute, text] of kept) e.setAttribute(attribute, text);
    for (const e of hidden) e.style.display = '';
    tics.remove();
    svg.linear = null;
  };
};

const scaleSwitch = (svg, box, y) => {
  const button = document.createElement('button');
  button.className = 'tool';
  button.type = 'button';
  button.textContent = 'linear scale';
  let back = null;
  button.addEventListener('click', () => {
    if (back) back = back(); else back = linearised(svg, box, y);
    button.textContent = back ? 'logarithmic scale' : 'linear scale';
    button.setAttribute('aria-pressed', back ? 'true' : 'false');
  });
  svg.before(button);
};

for (const svg of document.querySelectorAll('svg.plot')) {
  const box = boxOf(svg);
  if (!box || !svg.querySelector('g.series')) continue;
  const x = axisOf(svg.dataset.x, box.left, box.right), y = axisOf(svg.dataset.y, box.bottom, box.top);
  hover(svg, box, x, y, readoutOf(svg));
  if (y.log) scaleSwitch(svg, box, y);
}

for (const svg of document.querySelectorAll('svg.heat')) {
  const line = readoutOf(svg), step = +svg.dataset.step;
  const rows = svg.dataset.values.split(';').map(row => row.split(','));
  const names = svg.dataset.cpus.split(',');
  svg.addEventListener('pointerleave', () => { line.textContent = '\u00a0'; });
  svg.addEventListener('pointermove', event => {
    const at = under(svg, event), row = Math.floor(at.y), column = Math.floor(at.x);
    const value = rows[row] && rows[row][column];
    line.textContent = value === undefined ? '\u00a0' : 'CPU ' + names[row] + ', ' + three(column * step) + ' s to ' +
      three((column + 1) * step) + ' s: ' + (value === '' ? 'no sample' : time(+value));
  });
}
})();
)js";

// After a change of the script, the test e2e.report_in_browser prints the new one.
constexpr std::string_view kScriptHash = "sha256-DtAidARGzPphvjac7ZWMc5d1oUlIQu5caZ/0zClwZKM=";

}  // namespace

std::string_view page_script() {
  return kScript;
}

std::string_view page_script_hash() {
  return kScriptHash;
}

}  // namespace maxlat::reports
