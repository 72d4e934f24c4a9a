#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the test inside the guest. Its files are in memory, and so are its results until the end: a 9p access waits for the
# host, and in exact mode a guest that waits skips its idle time, so that milliseconds of guest time would pass at every
# file access, differently each time.
mkdir /tmp/out
export OUT=/tmp/out MODULES=/test/modules PROGRAMS=/test/programs FILES=/test/files MAXLAT=/test/programs/maxlat
export PATH=$PROGRAMS:$PATH
cd /tmp || exit 99
exec sh -eu /test/test.sh
