# SPDX-License-Identifier: MIT
#
# A result of `maxlat npt --compare` in exact mode against a table of docs/repeat-the-papers.md.
#
#   awk -v section=HEADING -v columns="min p50 mean max variance deviation" -v repeating="none maxlat:timer" -v elsewhere=0|1 \
#     -f paper_arms.awk RESULT.json repeat-the-papers.md
#
# `columns`: what the table's cells are behind the arm; - is not looked at. `repeating`: the arms that do not enter the kernel, whose
# figures repeat to the digit, so that only another compiler moves them. Of the others the longest event, and with it the deviation,
# is another in each run. `elsewhere`: on another distribution than the page's, where peers are other programs and may differ.
#
# Names every figure that is not the page's, and ends with 1 when one is above it by more than the tolerance or an arm is missing.

function complain(text) {
  print "FAIL: " text
  failed = 1
}
function without_options(arm) {
  gsub(/["`, ]*$|^.*"arm": "|^[` ]+/, "", arm)
  sub(/,.*/, "", arm)
  return arm
}
function larger(a, b) { return a > b ? a : b }
function is_peer(arm) { return arm !~ /^(none|maxlat:)/ }
function is_repeating(arm) { return index(" " repeating " ", " " arm " ") > 0 }
function allowed(arm, column, expected) {
  if (column == "min" || column == "p50" || (column == "mean" && is_repeating(arm))) return larger(2, 0.05 * expected)
  if (column == "mean") return 0.20 * expected
  if (is_repeating(arm)) return (column == "variance" ? 0.21 : 0.10) * expected
  return column == "max" ? 2 * expected + 4000 : -1 # no bound
}
function judge(arm, column, expected,    difference, most, text) {
  if (!((arm, column) in found)) return complain(arm ": no " column)
  difference = found[arm, column] - expected
  most = allowed(arm, column, expected)
  ++compared
  if (difference < 1 && -difference < 1) return # the page rounds
  text = sprintf("%s: %s %.2f, the page has %s", arm, column, found[arm, column], expected)
  if (most >= 0 && difference > most && !(elsewhere && is_peer(arm))) complain(text sprintf(", and %.2f more are allowed", most)); else print text
}

# The result. What a phase says of its CPU stands before what its rounds say; the base's second run is not in the page.
FILENAME ~ /\.json$/ && /^   "arm": / {
  arm = /\(again\)/ ? "" : without_options($0)
  if (arm != "") measured[arm] = 1
}
FILENAME ~ /\.json$/ && arm != "" && match($0, /"(min_ns|mean_ns|max_ns|stddev_ns|p50)": */) && !/"round":/ {
  column = substr($0, RSTART + 1, RLENGTH - 1)
  sub(/".*/, "", column)
  sub(/_ns$/, "", column)
  if (column == "stddev") column = "deviation"
  if (!((arm, column) in found)) found[arm, column] = substr($0, RSTART + RLENGTH) + 0
}
FILENAME ~ /\.json$/ { next }

/^###? / { inside = $0 == "### " section }
inside && /^\| `/ {
  cells = split($0, cell, / *\| */)
  arm = without_options(cell[2])
  names = split(columns, name, " ")
  if (cells != names + 3) complain(arm ": the table has " cells - 3 " columns")
  if ((arm, "deviation") in found) found[arm, "variance"] = found[arm, "deviation"] * found[arm, "deviation"]
  for (i = 1; i <= names; ++i)
    if (name[i] != "-") judge(arm, name[i], cell[i + 2])
  delete measured[arm]
  ++rows
}
END {
  for (arm in measured) complain(arm ": is not in the table")
  if (!rows) complain("no table under \"" section "\"")
  printf "%d figures of %d arms compared with the page's\n", compared, rows
  exit failed
}
