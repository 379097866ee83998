#!/usr/bin/env python3
"""Runs the Catch2 suites of a build folder through `meson test` and counts their cases.

Each suite leaves an XML report. One that crashed, left no report, ended with an error that no case explains or ran no case
counts as a failure. A suite that ends with 77 and has no report, as one for a GPU does where there is none, counts as skipped.
"""

import argparse
import json
import pathlib
import shutil
import sys
import xml.etree.ElementTree as xml

from tally import Tally, output_of

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("build", type=pathlib.Path)
options.add_argument("names", nargs="*", help="suites that must be there; default: all that are")
options = options.parse_args()
build = options.build.resolve()

meson = pathlib.Path(sys.executable).with_name("meson")
meson = meson if meson.exists() else shutil.which("meson")
for report in (build / "tests").glob("*.xml"):
    report.unlink()
log = build / "meson-logs/testlog.json"
log.unlink(missing_ok=True)
status, output = output_of([meson, "test", "-C", build, "--no-rebuild", "--suite", "catch2", "--num-processes", 2, *options.names], 1800)
runs = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

tally = Tally()
ran = set()
for run in runs:
    name = run["name"].split(" / ")[-1].removeprefix("regimen:").split(":")[-1]
    ran.add(name)
    said = run.get("stdout", "") + run.get("stderr", "")
    try:
        cases = xml.parse(build / f"tests/{name}.xml").find("OverallResultsCases").attrib
        passed, failed, skipped = (int(cases.get(key, 0)) for key in ("successes", "failures", "skips"))
        passed += int(cases.get("expectedFailures", 0))
    except (OSError, xml.ParseError, AttributeError):
        passed = failed = skipped = 0
    if run["returncode"] == 77 and not passed + failed + skipped:
        tally.skips(name, said.strip().splitlines()[-1] if said.strip() else "it ended with 77")
        continue
    tally.passed += passed
    tally.failed += failed
    tally.skipped += skipped
    print(f"{name}: {passed} cases passed, {failed} failed, {skipped} skipped in {run['duration']:.1f} s", flush=True)
    if failed:
        print(said, flush=True)
    elif run["returncode"] != (4 if skipped and not passed else 0):  # 4: Catch2 skipped all of its cases
        tally.fails(name, f"{run['result']}: the suite ended with {run['returncode']}\n{said}")
    elif not passed + skipped:
        tally.fails(name, f"it ran no case\n{said}")
for name in set(options.names) - ran:
    tally.fails(name, "there is no such suite in the folder")
if not runs or status and not tally.failed:
    tally.fails(f"meson test -C {options.build}", output)
tally.close()
