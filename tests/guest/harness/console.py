# SPDX-License-Identifier: MIT
"""Judges a guest's kernel log: a test passes only if the kernel had nothing to complain about.

A module can give right answers and still have slept with interrupts off. So after every test, whatever its status, the
console and the guest's dmesg are searched for the kernel's own words of distress.
"""

import re

COMPLAINTS = re.compile("|".join((
    r"\bWARNING: ", r"\bBUG: ", r"\bBUG\b.* at ", r"\bOops\b", r"kernel BUG", r"Kernel panic", r"Call Trace:",
    r"general protection fault, ", r"unable to handle", r"UBSAN", r"KASAN", r"KCSAN", r"refcount_t: ", r"list_(add|del) corruption",
    r"possible (circular|recursive|irq lock inversion)", r"inconsistent lock state", r"suspicious RCU", r"rcu: INFO:",
    r"rcu.*(stall|stalls|kthread starved)", r"soft lockup", r"hard LOCKUP", r"hung_task|blocked for more than",
    r"scheduling while atomic", r"sleeping function called", r"bad: scheduling", r"DEBUG_LOCKS_WARN",
    r"NMI received for unknown reason", r"Dazed and confused", r"still has locks held", r"leaked|memory leak",
    r"[Uu]nknown symbol", r"disagrees about version", r"version magic",
)))


def complaints(texts, allowed):
    """Lines of distress in the given logs, each once. `allowed`: regular expression of lines that the test expects."""
    found = []
    for text in texts:
        for line in text.splitlines():
            if COMPLAINTS.search(line) and not (allowed and re.search(allowed, line)) and line not in found:
                found.append(line)
    return found


def patching_race(text):
    """True if the kernel died at an int3 of its own. It patches code that other CPUs may be running by putting an int3
    there first; QEMU's emulation, with a host thread for each CPU, can run that int3 after the kernel has taken it away
    again. Real CPUs do not, and what is tested here has no part in it."""
    return "Oops: int3: " in text
