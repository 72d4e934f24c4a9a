# SPDX-License-Identifier: MIT
#
# The results of `maxlat npt --compare` in exact mode against the table of docs/exact-comparison.md, which says what the
# columns mean and why a figure may differ.
#
#   awk -v refreshed=FILE -v elsewhere=0|1 -v event=N -f exact_comparison.awk RESULT.json... exact-comparison.md
#
# Names every figure that is not the table's, writes the page with the new figures to `refreshed`, and ends with 1 when an
# arm has no figures, does not repeat as the table says, or is slower than the tolerance. `elsewhere`: on another
# distribution than the table's. There our own arms must hold it, while peers are other programs and may differ. `event`:
# what an ordinary event of a system call takes in our module by itself (kernel-ring.md).
#
# Instructions are the result's nanoseconds times the counter's rate: the guest's kernel has measured the rate, and up to
# a millionth too low. All of them, and so their mean, are a whole number: a round is short enough to find it again. A figure that repeats to the digit is the same in every round. Of another one the smallest of all
# rounds is taken: what the kernel adds by chance can only be more.

function field(line, name) {
  if (!match(line, "\"" name "\":[0-9.]+")) return "nothing"
  return substr(line, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
}
function text_of(line) {
  sub(/^[^:]*: "/, "", line)
  sub(/",?$/, "", line)
  return line
}
function complain(text) {
  print "FAIL: " text
  failed = 1
}
function is_peer(arm) { return arm !~ /^(none|delay:|maxlat:)/ } # or, as kernel:*, another kernel's system call
function base_of(arm) { return arm ~ /^kernel:/ ? "kernel:none" : "none" }
function larger(a, b) { return a > b ? a : b }

function is_exact(arm, column) {
  return repeats[arm] == "to the digit" || (repeats[arm] == "p50" && column == "p50")
}
function tolerance(arm, column, expected) {
  if (is_exact(arm, column)) return column == "max" ? 0.10 * expected : larger(2, 0.05 * expected)
  # Whether a wake-up finds somebody asleep is chance: the mean of such an arm has been 11 % above the table.
  return column == "max" ? 2 * expected + 4000 : (column == "mean" ? 0.20 : 0.10) * expected
}

function take(arm, column, figure,    at) {
  at = arm SUBSEP column
  if (!(at in found)) first[at] = found[at] = figure
  if (figure != first[at]) varies[at] = varies[at] " and " figure
  if (figure + 0 < found[at] + 0) found[at] = figure
}

# Leaves in found[] what the refreshed table shall say: of a figure that does not repeat the old one, while it holds.
function judge(arm, column,    at, difference, allowed, text) {
  at = arm SUBSEP column
  if (is_exact(arm, column) && at in varies)
    complain(arm ": the " column " does not repeat to the digit: " first[at] varies[at])
  difference = found[at] - expected[at]
  allowed = tolerance(arm, column, expected[at])
  if (!is_exact(arm, column) && difference <= allowed && -difference <= allowed) found[at] = expected[at]
  if (found[at] == expected[at]) return
  ++changed
  text = sprintf("%s: %s %s instructions, the table has %s (%+.2f)", arm, column, found[at], expected[at], difference)
  if (difference > allowed && !(elsewhere && is_peer(arm))) complain(text sprintf(", and %.2f more are allowed", allowed)); else print text
}

function row(arm,    adds) {
  adds = arm == base_of(arm) ? "" : sprintf("%.2f", found[arm, "mean"] - found[base_of(arm), "mean"])
  return sprintf("| `%s` | %s | %s | %s | %s | %s |\n", arm, found[arm, "p50"], found[arm, "mean"], found[arm, "max"], adds,
                 repeats[arm])
}

# What npt's looks at its own counts add to a call that they fall into, at least: it has two in each round, of two lengths.
function shortest_look(arm,    bins, edges, i) {
  split(bins_of[arm], bins, /[]],[[]/)
  for (i = 1; i in bins; ++i) {
    split(bins[i], edges, ",")
    if (edges[2] * per_ns > found[arm, "p50"] + 1) return sprintf("%.0f", edges[2] * per_ns) - found[arm, "p50"]
  }
  complain(arm ": no call has one of npt's looks")
  return 0
}

# What our tracer of the kernel may add to a system call, which is two of its events. The longest call has one of them the
# longest way: it is longer than an ordinary call by what that one is longer than an ordinary event, and by a look of npt's.
function hold_against_ftrace(    ours, theirs, base, column, of_columns, i, way, look) {
  ours = "kernel:maxlat,size=4k"; theirs = "kernel:ftrace,size=4k"; base = "kernel:none"
  if (!((base, "p50") in found) || !((ours, "p50") in found) || !((theirs, "p50") in found)) return
  split("p50 mean", of_columns, " ")
  for (i = 1; i <= 2; ++i) {
    column = of_columns[i]
    way = (found[ours, column] - found[base, column]) / (found[theirs, column] - found[base, column])
    printf "kernel:maxlat adds %.3f of what kernel:ftrace adds (%s)\n", way, column
    if (way > 0.5) complain("more than half of what kernel:ftrace adds")
  }
  look = shortest_look(base)
  way = found[ours, "max"] - found[ours, "p50"] - look + event
  printf "the longest way of an event of kernel:maxlat: %d (longest call %d - ordinary call %d - npt's look %d + event %d)\n",
         way, found[ours, "max"], found[ours, "p50"], look, event
  if (way > 350 || event == 0) complain("more than 350, or what an ordinary event takes is not known")
}

# A result. The base's second run in a comparison is a further round of it.
FILENAME ~ /\.json$/ && /^   "arm": / { arm = text_of($0); sub(/ \(again\)$/, "", arm) }
FILENAME ~ /\.json$/ && /^   "reason": / { why[arm] = text_of($0) }
FILENAME ~ /\.json$/ && /^    "counter_mhz": / { per_ns = text_of($0) / 1000 }
FILENAME ~ /\.json$/ && /^ *\{"round":/ {
  if (!measured[arm]++) order[++arms] = arm
  take(arm, "p50", sprintf("%.0f", field($0, "p50") * per_ns))
  all = sprintf("%.0f", field($0, "mean_ns") * per_ns * field($0, "samples"))
  take(arm, "mean", sprintf("%.2f", all / field($0, "samples")))
  take(arm, "max", sprintf("%.0f", field($0, "max_ns") * per_ns))
}
FILENAME ~ /\.json$/ && /^ *"bins": / { bins_of[arm] = $0; gsub(/^[^[]*[[][[]|[]][]].*$/, "", bins_of[arm]) }
FILENAME ~ /\.json$/ { next }

# The page. Its only table with an arm in the first column is that of the figures.
/^\| `/ {
  in_table = 1
  split($0, cell, / *\| */)
  arm = cell[2]
  gsub(/`/, "", arm)
  expected[arm, "p50"] = cell[3]
  expected[arm, "mean"] = cell[4]
  expected[arm, "max"] = cell[5]
  repeats[arm] = cell[7]
  next
}
{ if (in_table) after = after $0 "\n"; else before = before $0 "\n" }

END {
  for (arm in repeats)
    if (!(arm in measured)) complain(arm ": no figures" (arm in why ? ": " why[arm] : ""))
  hold_against_ftrace()
  for (i = 1; i <= arms; ++i) {
    arm = order[i]
    if (arm in repeats) {
      judge(arm, "p50")
      judge(arm, "mean")
      judge(arm, "max")
    } else {
      repeats[arm] = (arm SUBSEP "p50") in varies ? "about" : (arm SUBSEP "mean") in varies ? "p50" : "to the digit"
      complain(arm ": is not in the table")
    }
    table = table row(arm)
  }
  printf "%s%s%s", before, table, after > refreshed
  printf "%s%d arms, %d figures are not those of the table\n", table, arms, changed
  exit failed
}
