#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_schema.py DOCS WRITE_EXAMPLE_RUN: the schema accepts what the writer writes, and refuses what it must not accept.

Also: every key that the writer writes is in the schema and in result.md, and a large run is read in little memory.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

MEMORY_LIMIT_MIB = 200  # for the whole of `maxlat report`; reading is a part of it

docs, program = pathlib.Path(sys.argv[1]), sys.argv[2]
schema = json.loads((docs / "result.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
example = json.loads(subprocess.run([program], capture_output=True, check=True).stdout)
errors = [f"the example is not valid: {e.json_path}: {e.message}" for e in validator.iter_errors(example)]


def changed(path, value):
    """The example with the value at `path` replaced, or removed when `value` is None."""
    run = copy.deepcopy(example)
    place = run
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return run


PHASE = ["phases", 1]
CPU = PHASE + ["per_cpu", 0]
WRONG = [
    (["schema"], "maxlat-result/2"),
    (["schema"], None),
    (["phases"], None),
    (["verdict"], None),
    (["run", "status"], "done"),
    (["run", "seed"], -1),
    (["run", "started"], "yesterday"),
    (["machine", "cpu", "hash"], None),
    (["preflight", 0, "verdict"], "maybe"),
    (["preflight", 0, "ok"], "yes"),
    (PHASE + ["status"], "fine"),
    (PHASE + ["kind"], ""),
    (PHASE + ["per_cpu"], []),
    (PHASE + ["per_cpu"], None),
    (CPU + ["samples"], 1.5),
    (CPU + ["samples"], 0),  # with a maximum
    (CPU + ["max_ns"], None),
    (CPU + ["max_ns"], "123"),
    (CPU + ["quantiles_ns"], {"median": 1}),
    (CPU + ["histogram"], None),
    (CPU + ["histogram", "unit"], "us"),
    (CPU + ["histogram", "bins", 0], [1, 2]),
    (CPU + ["histogram", "bins", 0], [1, 2, 3, 4]),
    (CPU + ["histogram", "bins", 0], [1, 2, 0]),
    (CPU + ["histogram", "bins", 0], [-1, 2, 3]),
    (CPU + ["outliers", 0, "latency_ns"], None),
    (CPU + ["timeline", "kind"], "min"),
    (CPU + ["timeline", "step_s"], 0),
    (PHASE + ["load", 0, "alive"], "true"),
    (PHASE + ["control", "stalls", 0, "found"], None),
    (PHASE + ["events", "lost_full"], None),
    (PHASE + ["per_cpu", 1, "outliers", 1, "events", 0, "t_ns"], None),
    (PHASE + ["paths", 0, "samples"], 0),
    (PHASE + ["paths", 0, "rare"], None),
    (PHASE + ["paths", 1, "histogram"], None),
    (PHASE + ["paths", 1, "max_ns"], None),
    (["phases", 2, "rounds", 0, "round"], 0),
    (["phases", 2, "rounds", 0, "samples"], 0),
    (["phases", 4, "maximum_rate", "lossless_hz"], None),
    (["phases", 4, "maximum_rate", "trials", 0, "lost"], -1),
    (["phases", 4, "maximum_rate", "lossy_evidence", "trials"], None),
    (["comparisons", 0, "measures"], []),
    (["comparisons", 0, "measures", 0, "p"], 1.5),
    (["comparisons", 0, "measures", 0, "verdict"], "better"),
    (["comparisons", 0, "measures", 0, "difference_ns"], None),
    (["comparisons", 0, "measures", 0, "verdict"], "not measured"),  # with figures
    (["comparisons", 0, "measures", 3, "verdict"], "same"),  # without
    (["comparisons", 0, "measures", 0, "interval_ns", "low"], None),
    (["comparisons", 0, "difference_of_means_ns"], None),
    (["verdict", "result"], "passed"),
    (["verdict", "rules"], []),  # a verdict of fail
    (["verdict", "rules", 0, "result"], "ok"),
]
for path, value in WRONG:
    if validator.is_valid(changed(path, value)):
        errors.append(f"the schema accepts {'.'.join(map(str, path))} = {value!r}")

RIGHT = [(["later"], {"any": 1}), (CPU + ["later"], [1]), (PHASE + ["control"], None), (CPU + ["timeline"], None)]
for path, value in RIGHT:
    if not validator.is_valid(changed(path, value)):
        errors.append(f"the schema refuses {'.'.join(map(str, path))} = {value!r}")


def undescribed(value, rules, path):
    """Keys of the example that the schema does not name."""
    while "$ref" in rules:
        rules = schema["$defs"][rules["$ref"].rsplit("/", 1)[1]]
    if isinstance(value, dict):
        for key, member in value.items():
            if key in rules.get("properties", {}):
                yield from undescribed(member, rules["properties"][key], f"{path}.{key}")
            elif isinstance(rules.get("additionalProperties"), dict):
                yield from undescribed(member, rules["additionalProperties"], f"{path}.{key}")
            else:
                yield f"{path}.{key}"
    elif isinstance(value, list) and isinstance(rules.get("items"), dict):
        for item in value:
            yield from undescribed(item, rules["items"], path)


errors += sorted({f"not in the schema: {key}" for key in undescribed(example, schema, "")})


def keys(rules):
    for name, member in rules.get("properties", {}).items():
        yield name
        yield from keys(member)
    yield from keys(rules["items"]) if isinstance(rules.get("items"), dict) else ()


explained = (docs / "result.md").read_text()
for rules in [schema, *schema["$defs"].values()]:
    for key in keys(rules):
        if f'"{key}"' not in explained:
            errors.append(f"result.md does not show {key}")

with tempfile.TemporaryDirectory() as folder:
    path = folder + "/large.json"
    subprocess.run([program, "large", path], check=True)
    cost = json.loads(subprocess.run([program, "read", path], capture_output=True, check=True).stdout)
    print(f"reading {pathlib.Path(path).stat().st_size / 1e6:.1f} MB: {cost}")
    if cost["cpus"] != 64 or cost["bins"] != 64 * 8000:
        errors.append("the large run was not read whole")
    if cost["peak_mib"] > MEMORY_LIMIT_MIB:
        errors.append(f"reading takes {cost['peak_mib']} MiB, more than {MEMORY_LIMIT_MIB}")

print("\n".join(errors) or f"the schema holds; {len(WRONG)} wrong files refused")
sys.exit(1 if errors else 0)
