# SPDX-License-Identifier: MIT
"""The parts of the guest harness: fetch a kernel, build modules, boot, and judge the console."""


class CannotRun(Exception):
    """The test cannot run here, for a reason that is not the fault of what it tests: exit status 77."""


class Failed(Exception):
    """Something that must work did not: exit status 1."""
