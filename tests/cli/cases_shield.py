# SPDX-License-Identifier: MIT
"""maxlat shield: mistakes, and what changes nothing. What it does to a machine is tested in a guest (shield_*.guest.sh)."""
from run_cases import Case

J = "--journal {tmp}/j"
CASES = [
    Case("a shield without a subcommand", "shield", 1, [r"\Amaxlat shield: no subcommand given\nhint: "]),
    Case("an unknown subcommand of shield", "shield up", 1, [r'\Amaxlat shield: unknown subcommand "up"\nhint: ']),
    Case("a shield of no CPU", f"shield on {J}", 1, [r"\Amaxlat shield: which CPUs\?\nhint: --cpus"]),
    Case("a shield of all CPUs", f"shield on --cpus all {J}", 1, [r"no CPU is left for the rest of the system\nhint: "]),
    Case("a shield of a CPU that is not there", f"shield on --cpus 4000 {J}", 1, [r"CPU 4000 does not exist here, or is offline\nhint: online are "]),
    Case("a CPU on both sides", f"shield on --cpus 0 --housekeeping 0 {J}", 1, [r"CPU 0 cannot be shielded and keep house\nhint: "]),
    Case("an operand too many", f"shield on --cpus 1 2 {J}", 1, [r"unexpected '2'"]),
    Case("the parameters of the kernel for a CPU", "shield boot --cpus 1", 0,
         [r"\Aparameter +running kernel +for\n", r"\nnohz_full=1 +\S.* +nohz_full\n", r"\n\nisolcpus=managed_irq,domain,1 nohz_full=1 rcu_nocbs=1 irqaffinity=0"]),
    Case("the parameters of the kernel for no CPU", "shield boot", 1, [r"\Amaxlat shield: which CPUs\?\nhint: --cpus"]),
    Case("off without a shield", f"shield off {J}", 0, [r"\Ano shield is on\n\Z"]),
    Case("the status without a shield", f"shield status {J}", 0, [r"\Ano shield is on\n\Z"]),
    Case("the status for programs", f"shield status -q --json - {J}", 0, [r'\A\{\n  "format": "maxlat-shield-status/1",\n  "on": false\n\}\n\Z']),
    Case("a status that cannot be written", f"shield status --json /proc/none/s {J}", 1, [r"/proc/none/s"]),
    Case("exec without a command", f"shield exec --cpus 1 {J}", 1, [r"no command given\nhint: "]),
    Case("a move of no process", f"shield move {J}", 1, [r"\Amaxlat shield: which process\?\nhint: maxlat shield move PID"]),
    Case("a move of what is no number", f"shield move {J} loop", 1, [r"'loop' is no number of a process\nhint: "]),
    Case("a move of a negative number", f"shield move {J} -- -5", 1, [r"'-5' is no number of a process"]),
    Case("a move without a shield", f"shield move {J} 1", 1, [r"\Amaxlat shield: no shield is on\nhint: maxlat shield on --cpus 2-3\n\Z"],
         needs="root"),
    Case("a journal that cannot be made", "shield on --cpus 1 --journal /proc/none/j", 1, [r"cannot make the folder of /proc/none/j"]),
    Case("a journal of something else", f"shield off --journal {__file__}", 1, [r"is damaged in its first line\nhint: "]),
]
