// SPDX-License-Identifier: MIT
#include "style.hpp"

#include <fmt/format.h>

#include <iterator>

#include "plots/plot.hpp"

namespace maxlat::reports {
namespace {

// Colours by what they mean. A dark page changes these and nothing else; paper has the light ones whatever the screen
// has.
constexpr const char* kLight =
    "--ink:#1c2127;--soft:#5c6670;--paper:#ffffff;--panel:#f6f7f9;--line:#e1e5ea;--accent:#24568f;"
    "--pass:#1d7a46;--pass-bg:#e9f6ee;--fail:#b3261e;--fail-bg:#fdecea;--invalid:#8f5400;--invalid-bg:#fdf3e1;"
    "--neutral:#46505c;--neutral-bg:#eef1f4;"
    "--h0:#f3eedd;--h1:#f8d9a0;--h2:#f4b26a;--h3:#e5804b;--h4:#c4473a;--h5:#7d1128;";
constexpr const char* kDark =
    "--ink:#e4e8ec;--soft:#9aa5b1;--paper:#14181c;--panel:#1c2126;--line:#313941;--accent:#8db9ea;"
    "--pass:#6fce98;--pass-bg:#16301f;--fail:#ff9087;--fail-bg:#3a1a18;--invalid:#f0b85c;--invalid-bg:#35270f;"
    "--neutral:#b9c3ce;--neutral-bg:#262d34;"
    "--h0:#23262e;--h1:#46304c;--h2:#7c3553;--h3:#b9474b;--h4:#ea7d3f;--h5:#ffd76a;"
    "--grid:#2e363e;--mark:#ff9087;"
    "--s0:#aab4c0;--s1:#58b0ea;--s2:#ff9a57;--s3:#4fcfa4;--s4:#e08fc0;--s5:#d9bd49;--s6:#7fd0ee;--s7:#cf9366;--s8:#"
    "a6a6f2;";

constexpr const char* kRules = R"css(
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;
 font-variant-numeric:tabular-nums;overflow-wrap:break-word}
header,main,footer{max-width:1080px;margin:0 auto;padding:0 24px}
header{padding-top:40px}
h1{font-size:1.75rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 .35rem;font-weight:650}
h2{font-size:1.3rem;line-height:1.3;letter-spacing:-.01em;margin:0 0 .75rem;font-weight:650}
h3{font-size:1rem;margin:1.75rem 0 .5rem;font-weight:650}
p{margin:.5rem 0;max-width:76ch}
a{color:var(--accent)}
.soft{color:var(--soft)}
.box{margin:.2rem 0;font-weight:550}.label{margin:.2rem 0;font-size:1.1rem}
.arm>summary .chip{margin-left:.6rem}
code,pre{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre,.command{display:block;background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.55rem .8rem;margin:.6rem 0;
 overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
section{margin:48px 0}
nav ul{list-style:none;margin:1rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;font-size:.92rem}
.verdict{border-radius:10px;padding:20px 24px;border:1px solid;margin:28px 0 16px}
.verdict .word{font-size:2rem;font-weight:750;letter-spacing:.01em;line-height:1.15;margin:0}
.verdict .meaning{margin:.2rem 0 .6rem}
.verdict ul{margin:.4rem 0 0;padding-left:1.2rem}
.pass{color:var(--pass);background:var(--pass-bg)}
.fail{color:var(--fail);background:var(--fail-bg)}
.invalid{color:var(--invalid);background:var(--invalid-bg)}
.neutral{color:var(--neutral);background:var(--neutral-bg)}
.verdict.pass,.verdict.fail,.verdict.invalid,.verdict.neutral{border-color:currentColor}
.verdict ul,.verdict .meaning{color:var(--ink)}
.banner{border-left:6px solid var(--invalid);background:var(--invalid-bg);border-radius:6px;padding:14px 20px;margin:16px 0}
.banner strong{color:var(--invalid);font-size:1.1rem}
.banner ul{margin:.35rem 0 0;padding-left:1.2rem}
.chip{display:inline-block;border-radius:999px;padding:.05em .7em;font-size:.8rem;font-weight:650;vertical-align:.18em;letter-spacing:.01em;white-space:nowrap}
.phase>h2 .chip{margin-left:.6rem}
.shows{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr));gap:8px 40px}
.shows li{margin:.4rem 0}
.shows ul,.plain{padding-left:1.2rem;margin:.4rem 0}
.scroll{overflow-x:auto;margin:.6rem 0;border:1px solid var(--line);border-radius:8px}
table.dense{font-size:.8rem}.dense th,.dense td{padding:.4rem .42rem}.dense tr>:first-child{padding-left:.7rem}.dense tr>:last-child{padding-right:.7rem}
table{border-collapse:collapse;width:100%;font-size:.86rem;line-height:1.4}
th,td{padding:.42rem .7rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
tbody tr:last-child>*{border-bottom:0}
thead th{font-weight:600;color:var(--soft);background:var(--panel);white-space:nowrap}
td.n,th.n{text-align:right;white-space:nowrap}
td.tight{white-space:nowrap}
.dense td.top{font-weight:650}
tr.all>*{font-weight:650}
td .why{display:block;color:var(--soft);margin-top:.1rem}
dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:.15rem 2rem;margin:.8rem 0;font-size:.88rem}
dl.facts div{display:grid;grid-template-columns:minmax(7rem,38%) 1fr;gap:.8rem}
dl.facts dt{color:var(--soft)}
dl.facts dd{margin:0;overflow-wrap:anywhere}
.warning{border-left:4px solid var(--invalid);padding:.1rem 0 .1rem .9rem;margin:.6rem 0}
.statement{border-left:4px solid var(--accent);padding:.1rem 0 .1rem .9rem;margin:.8rem 0;max-width:76ch}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:28px 32px;margin:1.2rem 0}
figure{margin:0;min-width:0;break-inside:avoid}
figcaption{font-weight:600;font-size:.95rem;margin-bottom:.3rem}
figure p{font-size:.84rem;margin:.2rem 0 0;color:var(--soft)}
svg.plot{display:block;width:100%;max-width:100%;height:auto;font-family:inherit;color:var(--soft)}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1rem;margin:.3rem 0 0;padding:0;font-size:.84rem}
.legend li::before{content:"";display:inline-block;width:1.1em;height:.35em;border-radius:2px;background:var(--c);margin-right:.4em;vertical-align:.2em}
button.tool{font:inherit;font-size:.78rem;color:var(--accent);background:none;border:1px solid var(--line);border-radius:6px;padding:.05rem .55rem;cursor:pointer}
.readout{min-height:1.4em;font-variant-numeric:tabular-nums}
svg.heat{display:block;width:100%;border:1px solid var(--line)}
.h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)}.h5{fill:var(--h5)}
figure[data-kind="trend"]{max-width:720px}
.heatmap{margin:1.2rem 0}.heatmap .ends{display:flex;justify-content:space-between;max-width:none}
details{margin:.6rem 0}
summary{cursor:pointer;color:var(--accent);padding:.2rem 0}
footer{border-top:1px solid var(--line);margin-top:56px;padding-top:20px;padding-bottom:48px;color:var(--soft);font-size:.88rem}
@media (max-width:560px){body{font-size:15px}header,main,footer{padding-left:16px;padding-right:16px}header{padding-top:24px}section{margin:36px 0}
 table.cards,.cards tbody{display:block}.cards thead{display:none}.cards tr{display:block;padding:.6rem .8rem;border-bottom:1px solid var(--line)}
 .cards tr:last-child{border-bottom:0}.cards td,.cards td.tight{display:block;border:0;padding:.08rem 0;white-space:normal}.cards td:empty{display:none}
 .cards td[data-name]::before{content:attr(data-name) ": ";color:var(--soft)}
 h1{font-size:1.45rem}.verdict{padding:16px 18px}.verdict .word{font-size:1.7rem}}
@media print{@page{size:A4;margin:15mm 13mm}body{font-size:9.5pt;background:#fff}header,main,footer{max-width:none;padding:0}nav,.tool{display:none}
 section{margin:22px 0}h2,h3{break-after:avoid}tr,.banner,.verdict{break-inside:avoid}.scroll{overflow:visible;border-radius:0}
 table{font-size:7pt}.chip{font-size:6.5pt}th,td{padding:.25rem .3rem}.plots{grid-template-columns:1fr 1fr;gap:16px}
 *{-webkit-print-color-adjust:exact;print-color-adjust:exact}
 details::details-content{content-visibility:visible;height:auto}}
)css";

}  // namespace

std::string style_sheet() {
  std::string series = "--grid:" + std::string(kGridColour) + ";--mark:" + kMarkColour + ";";
  for (size_t i = 0; i < std::size(kPalette); ++i) series += fmt::format("--s{}:{};", i, kPalette[i]);
  return fmt::format(":root{{{}{}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}", kLight, series,
                     kDark) +
         kRules;
}

}  // namespace maxlat::reports
