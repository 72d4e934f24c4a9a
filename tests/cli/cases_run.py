# SPDX-License-Identifier: MIT
"""maxlat run: its command line and its plans. What it does when it is killed or not given what it needs: rteval-ext/tests."""
import pathlib

from run_cases import Case

ONE_LINE = r"\Amaxlat run: [^\n]+\nhint: [^\n]+\n\Z"
SHIELDED = pathlib.Path(__file__).resolve().with_name("shielded.toml")
MISTAKES = SHIELDED.with_name("mistakes")
CASES = [
    Case("names the built-in plans", "run --list-profiles", 0, [r"^quick ", r"^standard ", r"^soak ", r"^paper "]),
    Case("prints a whole plan", "run --print-plan", 0, [r'^name = "quick"$', r"^\[\[phase\]\]$"]),
    Case("--no-kernel-events goes into the plan", "run --print-plan --no-kernel-events", 0, [r"^kernel_events = false$"]),
    Case("-a goes into the plan", "run --print-plan -a 1", 0, [r'^cpus = "1"$']),
    Case("--load-cpus goes into the phases with loads", "run --print-plan --load-cpus 0", 0, [r'^load_cpus = "0"$']),
    Case("--shield and --housekeeping go into the plan", "run --print-plan --shield -a 1 --housekeeping 0", 0,
         [r'^shield = "required"$', r'^housekeeping = "0"$']),
    Case("--no-shield takes the housekeeping CPUs out of the plan", f"run --print-plan --no-shield --plan {SHIELDED}", 0, [r'^name = "two CPUs"$'],
         ["^housekeeping", "^shield"]),
    Case("housekeeping CPUs without a shield", "run --housekeeping 0 -o {tmp}/run", 1, [ONE_LINE, r"--housekeeping needs a shield, and this plan has none"]),
    Case("housekeeping CPUs and no shield", "run --no-shield --housekeeping 0", 1, [ONE_LINE, r"exclude each other"]),
    Case("no housekeeping CPU", "run --shield --housekeeping ''", 1, [ONE_LINE, r"the CPU list is empty"]),
    Case("a housekeeping CPU that is measured", "run --shield -a 0 --housekeeping 0 -o {tmp}/run", 1, [ONE_LINE, r"CPU 0 cannot be measured and keep house"]),
    Case("a housekeeping CPU that is not there", "run --shield -a 0 --housekeeping 4000 -o {tmp}/run", 1, [ONE_LINE, r"housekeeping: CPU 4000 does not exist"]),
    Case("resume has its own housekeeping CPUs", "run --resume {tmp} --housekeeping 0", 1, [ONE_LINE, r"--resume takes no --housekeeping"]),
    Case("the plan as it would run, without what is left out", "run --print-plan --skip control --skip tracers", 0,
         [r'^name = "npt under load"$'], [r'kind = "control"', r'kind = "tracer"']),
    Case("nothing of that name to leave out", "run --print-plan --skip nonsense", 1, [ONE_LINE, r"'nonsense'"]),
    Case("nothing of that name to leave out, and nothing is made", "run --skip nonsense -o {tmp}/run", 1, [ONE_LINE, r"'nonsense'"]),
    Case("a label of two lines", "run --label 'a\nb' --print-plan", 1, [ONE_LINE, r"--label"]),
    Case("an annotation without a key", "run --annotate =2.4 --print-plan", 1, [ONE_LINE, r"KEY=VALUE"]),
    Case("an annotation twice", "run --annotate a=1 --annotate a=2 --print-plan", 1, [ONE_LINE, r"twice"]),
    Case("resume has its own label", "run --resume {tmp} --label x", 1, [ONE_LINE, r"--label"]),
    Case("unknown profile", "run --profile fast", 1, [ONE_LINE, r"'fast'"]),
    Case("unreadable plan", "run --plan {tmp}/none.toml", 1, [ONE_LINE, r"no such file"]),
    Case("a plan that is a folder", "run --plan {tmp}", 1, [ONE_LINE, r"\Amaxlat run: cannot read .*: is a directory"]),
    Case("an arm that there is not, before anything is measured", f"run --plan {MISTAKES}/unknown_arm.toml -o {{tmp}}/run", 1,
         [ONE_LINE, r"\Amaxlat run: phase 'a': maxlat npt: --compare: there is no arm \"nope\""]),
    *[Case(f"an argument that {kind} does not take, before anything is measured",
           f"run --plan {MISTAKES}/unknown_argument_{kind}.toml -o {{tmp}}/run", 1,
           [ONE_LINE, rf"\Amaxlat run: phase 'a': maxlat {kind}: .*--nope"]) for kind in ("hwlat", "npt", "preempt")],
    Case("a policy that there is not, before anything is measured", f"run --plan {MISTAKES}/unknown_policy.toml -o {{tmp}}/run", 1,
         [ONE_LINE, r"\Amaxlat run: phase 'a': maxlat npt: .*weird"]),
    Case("plan and profile", "run --plan x --profile quick", 1, [ONE_LINE]),
    Case("a CPU that does not exist", "run -a 60000 -o {tmp}/run", 1, [ONE_LINE, r"CPU 60000"]),
    Case("not a CPU list", "run -a x", 1, [ONE_LINE]),
    Case("surplus word", "run now", 1, [ONE_LINE, r"'now'"]),
    Case("resume without a run", "run --resume {tmp}/none", 1, [ONE_LINE, r"no run to resume"]),
    Case("resume has its own plan", "run --resume {tmp} --profile quick", 1, [ONE_LINE, r"--profile"]),
    Case("a folder in none", "run -o {tmp}/none/run", 1, [ONE_LINE, r"/none' is no directory\nhint: make it first: mkdir -p "]),
    Case("a folder that cannot be made", "run -o /proc/run", 1, [ONE_LINE, r"/proc/run"]),
    Case("a gate that is not there", "run --gate {tmp}/no.toml -o {tmp}/run", 1, [r"\Amaxlat run: .*no.toml"]),
    Case("a resumed run has its gate", "run --resume {tmp} --gate x.toml", 1, [r"--resume takes no --gate"]),
]
