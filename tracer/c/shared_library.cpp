// SPDX-License-Identifier: MIT
// All of the shared library comes from the static ones; a target needs a source.
