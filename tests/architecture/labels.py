# SPDX-License-Identifier: MIT
"""The labels that a test may have (tests/CMakeLists.txt says what each is)."""
KNOWN = {"unit", "integration", "e2e", "stress", "peer", "guest", "model", "bench", "fuzz"}
