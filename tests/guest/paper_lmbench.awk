# SPDX-License-Identifier: MIT
#
# What paper_lmbench.guest.sh measured, against the table "lmbench" of docs/repeat-the-papers.md.
#
#   awk -v refreshed=FILE -v elsewhere=0|1 -f paper_lmbench.awk figures.txt events-*.txt kernel-ring.md repeat-the-papers.md
#
#   figures.txt                 "CONFIGURATION PRIMITIVE INSTRUCTIONS" a line
#   events-PRIMITIVE-ROUNDS.txt ftrace's text of one round and of three, and the bytes of its records: a turn has a 128th of what they
#                               differ by, as a round has 64 of them, or of the compiler's runs half of it
#   kernel-ring.md              what an event of each kind takes by itself, on 6.1, and the bytes of its fields
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

function of_a_turn(primitive, rounds) { return (rounds == 3 ? 1 : -1) / (primitive == "compile" ? 2 : 128) }

# Sets of_turn[primitive], expected_ours[primitive], expected_ftrace[primitive] and bytes_ours[primitive], a word more for each record.
function weigh(    key, part, n) {
  for (key in seen) {
    split(key, part, SUBSEP)
    n = seen[key] * of_a_turn(part[1], part[3])
    if (!(("trace-" kind_of(part[2])) in cost)) complain(part[2] ": kernel-ring.md does not tell what it takes")
    of_turn[part[1]] += n
    expected_ours[part[1]] += n * cost["trace-" kind_of(part[2])]
    expected_ftrace[part[1]] += n * cost["tracefs-tsc"]
    bytes_ours[part[1]] += n * (8 + size["trace-" kind_of(part[2])])
  }
}

# Untraced to the digit, but for those that start tasks or wake them: these meet the allocator and the timers where they happen to
# be, and the compiler does, too; a loop of 64 faults was seen to differ by 6. Traced, a round has a switch to the next sub-buffer more
# than another.
function may_differ(one, primitive) {
  if (primitive ~ /^(fork|udp)$/) return 0.01
  if (one != "unloaded" || primitive == "compile") return 0.001
  return primitive == "fault" ? 0.0001 : 0
}
function must_repeat(one, other, primitive,    away) {
  if (primitive == "compile" && other ~ /again$/) return # it takes too long
  away = magnitude(found[one, primitive] - found[other, primitive])
  if (away > found[one, primitive] * may_differ(one, primitive)) complain(sprintf("%s: %s is %s, and %s %s", primitive, one, found[one, primitive], other, found[other, primitive]))
}

function hold(primitive, what, figure, stored,    allowed) {
  if (magnitude(figure - stored) >= (what ~ /^bytes/ ? 0.5 : 0.05)) printf "%s, %s: %.1f, the page has %s\n", primitive, what, figure, stored
  allowed = primitive == "compile" ? found["unloaded", primitive] / 1000 : 0 # what two of its runs may differ by, see above
  if (figure > 1.1 * stored + allowed && !elsewhere) complain(primitive ", " what ": more than a tenth above the page's")
}

function row(primitive) {
  return sprintf("| %s | %.1f | %.0f | %.0f | %.1f | %.1f | %.0f | %.2f | %.1f | %.0f | %.2f | %.1f | %.2f | %s | %s |\n", primitive, of_turn[primitive],
                 bytes_ours[primitive], bytes_ftrace[primitive], found["unloaded", primitive], adds("ours", primitive), expected_ours[primitive],
                 found["ours", primitive] / found["unloaded", primitive], adds("ftrace", primitive), expected_ftrace[primitive],
                 found["ftrace", primitive] / found["unloaded", primitive], adds("perf", primitive),
                 found["perf", primitive] / found["unloaded", primitive], of_lttng_modules[primitive], of_paper[primitive])
}

FILENAME ~ /figures/ { found[$1, $2] = $3; next }
FILENAME ~ /events-/ {
  split(FILENAME, name, /[-.]/)
  if (/^bytes: /) bytes_ftrace[name[2]] += $2 * of_a_turn(name[2], name[3])
  if ($0 ~ /^#/ || !match($0, / [0-9]+: [a-z_]+:/)) next
  split(substr($0, RSTART, RLENGTH), event, /: *|:$/)
  ++seen[name[2], event[2], name[3]]
  next
}
FILENAME ~ /kernel-ring/ {
  if (split($0, cell, / *\| */) > 4 && cell[2] ~ /^`/) {
    gsub(/`/, "", cell[2])
    cost[cell[2]] = cell[2] ~ /^trace-/ ? cell[4] : cell[3]
    size[cell[2]] = cell[3]
  }
  next
}

# The page: the rows below the heading.
/^### / { inside = $0 == "### lmbench" }
inside && /^\| [a-z]+ \| [0-9]/ {
  split($0, cell, / *\| */)
  order[++rows] = cell[2]
  stored[cell[2], "bytes of ours"] = cell[4]
  stored[cell[2], "bytes of ftrace"] = cell[5]
  stored[cell[2], "untraced"] = cell[6]
  stored[cell[2], "ours"] = cell[7]
  stored[cell[2], "ftrace"] = cell[10]
  stored[cell[2], "perf"] = cell[13]
  of_lttng_modules[cell[2]] = cell[15] " | " cell[16] # measured by hand
  of_paper[cell[2]] = cell[17]
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
    hold(primitive, "bytes of ours", bytes_ours[primitive], stored[primitive, "bytes of ours"])
    hold(primitive, "bytes of ftrace", bytes_ftrace[primitive], stored[primitive, "bytes of ftrace"])
    hold(primitive, "untraced", found["unloaded", primitive], stored[primitive, "untraced"])
    hold(primitive, "ours", adds("ours", primitive), stored[primitive, "ours"])
    hold(primitive, "ftrace", adds("ftrace", primitive), stored[primitive, "ftrace"])
    hold(primitive, "perf", adds("perf", primitive), stored[primitive, "perf"])
    table = table row(primitive)
  }
  if (rows != 7) complain("the page has " rows " primitives")
  printf "%s%s%s", before, table, after > refreshed
  printf "%s", table
  exit failed
}
