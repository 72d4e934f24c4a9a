#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the test inside the guest. Everything is copied into the guest's memory first, and results stay there until the
# end: a 9p access waits for the host, and in exact mode a guest that waits skips its idle time, so that milliseconds
# of guest time would pass at every file access, differently each time.
cp -r /share/modules /share/programs /share/test.sh /share/guest_functions.sh /tmp/
mkdir /tmp/out
export SHARE=/share OUT=/tmp/out MODULES=/tmp/modules PROGRAMS=/tmp/programs MAXLAT=/tmp/programs/maxlat
export PATH=$PROGRAMS:$PATH
cd /tmp
cat guest_functions.sh test.sh > whole_test.sh
exec sh -eu whole_test.sh
