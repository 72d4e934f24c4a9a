# SPDX-License-Identifier: MIT
"""maxlat npt. What needs no privilege runs with --policy other --no-mlock; what needs one says so."""
from run_cases import Case

FREE = "npt --policy other --no-mlock -a 0 -l 20000"

CASES = [
    Case("npt's layout", FREE, 0, [r"^# CPU affinity set on CPU 0$", r"^20000 loops done\.$", r"^Loops duration:$",
                                   r"^\tvariance:\t\S+ us²$", r"^duration \(us\)\tnb\. loops$", r"^Overruns \(1000000\+\): \d+$",
                                   r"^# Loop cost: [\d.]+ ns a loop with all bookkeeping, [\d.]+ ns of it the bare counter read"]),
    Case("as root, with npt's defaults", "npt -l 20000", 0, [r"SCHED_FIFO 99, memory locked, interrupts on"], needs="root"),
    Case("the link npt is the command npt", "--policy other --no-mlock -a 0 -l 1000", 0, [r"^1000 loops done"], program="npt"),
    Case("nanoseconds", FREE + " --nanoseconds", 0, [r"^\tmin:\t\t[\d.]+ ns$", r"^duration \(ns\)"]),
    Case("picoseconds", FREE + " --picoseconds", 0, [r"^\tmin:\t\t[\d.]+ ps$", r"^\tvariance:\t\S+ ps²$"]),
    Case("cyclictest's layout", FREE + " --format cyclictest -h 3", 0,
         [r"^# Histogram\n000000 \d{6}\n000001 \d{6}\n000002 \d{6}\n# Total: ", r"^# Min Latencies: \d{6}$", r"^# Histogram Overflows: \d{6}$"]),
    Case("-h N: rows as cyclictest has them, after the report", FREE + " -h 2", 0, [r"^20000 loops done", r"^000001 \d{6}$"]),
    Case("-h alone is help", "npt -h", 0, [r"\AUsage: maxlat npt"]),
    Case("-V", "npt -V", 0, [r"\Amaxlat npt \d.*npt 1\.01", r"^arms: none$"]),
    Case("-q: no rows", FREE + " -q", 0, [r"std dev"], [r"nb\. loops"]),
    Case("-v: outliers and facts", FREE + " -v", 0, [r"^# Largest gaps: us at s after the start\n#   [\d.]+ at [\d.]+$", r"^#   start_monotonic_ns: \d+$"]),
    Case("JSON alone on stdout", FREE + " --json -", 0, [r"\A\{", r"\"maxlat-result/1\"", r"\"samples\": ?20000,", r"\"p99\.9999\""], [r"loops done"]),
    Case("every counter read", FREE + " --counter ordered -q", 0, [r"counter read \(ordered\)"]),
    Case("a gap above -b is exit status 2", "npt --policy other --no-mlock -a 0 -D 20s -b 0.001 -q", 2, [r"loops done"]),
    Case("tracing options need an arm", "npt -f 100", 1, [r"\Amaxlat npt: --tp-max-freq needs a tracing arm.*\nhint: "]),
    Case("trace window too", "npt --trace-window 1s", 1, [r"needs a tracing arm"]),
    Case("wait window too", "npt --wait-window 1s", 1, [r"needs a tracing arm"]),
    Case("a CPU that does not exist", "npt -a 60000", 1, [r"\Amaxlat npt: CPU 60000 .*\nhint: "]),
    Case("no CPU list", "npt -a 0-", 1, [r"\Amaxlat npt: .*\n"]),
    Case("a duration that is none", "npt -d soon", 1, [r"\Amaxlat npt: --duration: .*soon.*\n"]),
    Case("a duration of nothing", "npt -D 0", 1, [r"--wall-time: must be above 0"]),
    Case("no loops", "npt -l 0", 1, [r"--loops: must be above 0"]),
    Case("a priority that is none", "npt -p 100", 1, [r"--prio: 100 is not within 1 to 99"]),
    Case("snapshots need a file", "npt --snapshot 1s", 1, [r"--snapshot needs a file.*\nhint: "]),
    Case("surplus word", "npt 5", 1, [r"\"5\" is no option"]),
    Case("no permission for SCHED_FIFO", "npt --no-mlock -a 0 -l 1000", 1,
         [r"\Amaxlat npt: cannot set SCHED_FIFO 99: .*\nhint: .*--policy other"], needs="not root"),
    Case("result to a full disk", FREE + " -q --json /dev/full", 1, [r"loops done", r"^maxlat npt: .*no space left on device"]),
    Case("report to a full disk", FREE, 1, [r"\Amaxlat npt: cannot write .*no space left on device"], stdout="/dev/full"),
    Case("a file that cannot be written loses nothing else", FREE + " -q -o /nonexistent/f --json {tmp}/r.json", 1,
         [r"loops done", r"^maxlat npt: .*/nonexistent/f"]),
]
