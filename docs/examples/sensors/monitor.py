#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monitor.py PATTERN: the sensors that it names, and the last event of each list."""
import sys

import maxlat_sensors

for sensor in maxlat_sensors.Monitor(sys.argv[1] if len(sys.argv) > 1 else None):
    print(sensor, sensor.read())
    if sensor.kind == "events":
        for last in list(sensor.events())[-1:]:
            print("   ", last.name, last.fields)
