# SPDX-License-Identifier: MIT
#
# What paper_lmbench.guest.sh measured, against the table "lmbench" of docs/repeat-the-papers.md.
#
#   awk -v refreshed=FILE -v elsewhere=0|1 -f paper_lmbench.awk figures.txt events-*.txt kernel-ring.md repeat-the-papers.md
#
#   figures.txt                 "CONFIGURATION PRIMITIVE INSTRUCTIONS" a line
#   events-PRIMITIVE-ROUNDS.txt ftrace's text of one round and of three, 64 turns each: an event of a turn is a 128th of what they differ by
#   kernel-ring.md              what an event of each kind takes by itself, on 6.1
#
# Prints the table, writes the page with it to `refreshed`, and ends with 1 when a figure is more than a tenth above the page's, when
# a primitive does not repeat, or when ours adds as much as ftrace or perf. `elsewhere`: on another kernel than the page's, whose figures then
# are only named.

function complain(text) {
  print "FAIL: " text
  failed = 1
}
function adds(configuration, primitive) { return found[configuration, primitive] - found["unloaded", primitive] }
function magnitude(x) { return x < 0 ? -x : x }

# The row of kernel-ring.md with the same kind of record. Ends of tasks have none of their own: a name and two numbers, as a migration.
function kind_of(event) {
  if (event ~ /^sched_wakeup/) return "sched_waking"
  if (event ~ /^softirq/) return "softirq_entry"
  if (event ~ /^page_fault/) return "page_fault_user"
  if (event ~ /^sched_process_(exit|free|exec)$/) return "sched_migrate_task"
  return event
}

# Sets of_turn[primitive], expected_ours[primitive] and expected_ftrace[primitive].
function weigh(    key, part, n) {
  for (key in seen) {
    split(key, part, SUBSEP)
    n = seen[key] * (part[3] == 3 ? 1 : -1) / 128
    if (!(("trace-" kind_of(part[2])) in cost)) complain(part[2] ": kernel-ring.md does not tell what it takes")
    of_turn[part[1]] += n
    expected_ours[part[1]] += n * cost["trace-" kind_of(part[2])]
    expected_ftrace[part[1]] += n * cost["tracefs-tsc"]
  }
}

# Untraced to the digit, but for those that start tasks or wake them: these meet the allocator and the timers where they happen to
# be. Traced, a round has a switch to the next sub-buffer more than another.
function must_repeat(one, other, primitive,    away, allowed) {
  away = magnitude(found[one, primitive] - found[other, primitive])
  allowed = found[one, primitive] * (primitive ~ /^(fork|udp)$/ ? 0.01 : one == "unloaded" ? 0 : 0.001)
  if (away > allowed) complain(sprintf("%s: %s is %s, and %s %s", primitive, one, found[one, primitive], other, found[other, primitive]))
}

function hold(primitive, what, figure, stored) {
  if (magnitude(figure - stored) >= 0.05) printf "%s, %s: %.1f, the page has %s\n", primitive, what, figure, stored
  if (figure > 1.1 * stored && !elsewhere) complain(primitive ", " what ": more than a tenth above the page's")
}

function row(primitive) {
  return sprintf("| %s | %.1f | %.1f | %.1f | %.0f | %.2f | %.1f | %.0f | %.2f | %.1f | %.2f | %s | %s |\n", primitive, of_turn[primitive],
                 found["unloaded", primitive], adds("ours", primitive), expected_ours[primitive],
                 found["ours", primitive] / found["unloaded", primitive], adds("ftrace", primitive), expected_ftrace[primitive],
                 found["ftrace", primitive] / found["unloaded", primitive], adds("perf", primitive),
                 found["perf", primitive] / found["unloaded", primitive], of_lttng_modules[primitive], of_paper[primitive])
}

FILENAME ~ /figures/ { found[$1, $2] = $3; next }
FILENAME ~ /events-/ {
  if ($0 ~ /^#/ || !match($0, / [0-9]+: [a-z_]+:/)) next
  split(FILENAME, name, /[-.]/)
  split(substr($0, RSTART, RLENGTH), event, /: *|:$/)
  ++seen[name[2], event[2], name[3]]
  next
}
FILENAME ~ /kernel-ring/ {
  if (split($0, cell, / *\| */) > 4 && cell[2] ~ /^`/) {
    gsub(/`/, "", cell[2])
    cost[cell[2]] = cell[2] ~ /^trace-/ ? cell[4] : cell[3]
  }
  next
}

# The page: the rows below the heading.
/^### / { inside = $0 == "### lmbench" }
inside && /^\| [a-z]+ \| [0-9]/ {
  split($0, cell, / *\| */)
  order[++rows] = cell[2]
  stored[cell[2], "untraced"] = cell[4]
  stored[cell[2], "ours"] = cell[5]
  stored[cell[2], "ftrace"] = cell[8]
  stored[cell[2], "perf"] = cell[11]
  of_lttng_modules[cell[2]] = cell[13] " | " cell[14] # measured by hand
  of_paper[cell[2]] = cell[15]
  next
}
{ if (rows > 0) after = after $0 "\n"; else before = before $0 "\n" }

END {
  weigh()
  for (i = 1; i <= rows; ++i) {
    primitive = order[i]
    if (of_turn[primitive] == 0) complain(primitive ": no events")
    must_repeat("unloaded", "again", primitive)
    must_repeat("unloaded", "idle", primitive)
    must_repeat("ours", "ours-again", primitive)
    must_repeat("perf", "perf-again", primitive)
    if (adds("ours", primitive) >= adds("ftrace", primitive)) complain(primitive ": ours adds as much as ftrace")
    if (adds("ours", primitive) >= adds("perf", primitive)) complain(primitive ": ours adds as much as perf")
    hold(primitive, "untraced", found["unloaded", primitive], stored[primitive, "untraced"])
    hold(primitive, "ours", adds("ours", primitive), stored[primitive, "ours"])
    hold(primitive, "ftrace", adds("ftrace", primitive), stored[primitive, "ftrace"])
    hold(primitive, "perf", adds("perf", primitive), stored[primitive, "perf"])
    table = table row(primitive)
  }
  if (rows != 6) complain("the page has " rows " primitives")
  printf "%s%s%s", before, table, after > refreshed
  printf "%s", table
  exit failed
}
