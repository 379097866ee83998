#!/usr/bin/env python3
"""What the headers cost to compile: preprocessed lines, which are exact, and user seconds of g++ without optimization.

All units are compiled in turn, again and again; a number is the median of its unit's times, so a machine that is busy for a
while slows all units alike. Only ratios and differences of one run mean something. Writes build/bench/include.json.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "tests"))
from tally import flags, torch_flags, torch_folder  # noqa: E402

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--torch", default="auto", metavar="PATH|auto")
options.add_argument("--check", action="store_true", help="exit 1 where an aim is missed")
options.add_argument("--repeat", type=int, default=3, metavar="N", help="compile each unit N times (default: 3)")
options.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
options = options.parse_args()
torch = torch_folder(options.torch) or sys.exit("bench include needs LibTorch")

torch_h, all_of_us = "#include <torch/torch.h>\n", "#include <regimen/regimen.hpp>\n"
core = "".join(f"#include <{path.relative_to(root / 'include').as_posix()}>\n"
               for layer in ("core", "schedule") for path in sorted((root / "include/regimen" / layer).glob("*.hpp")))
thirteen = (root / "bench/include_13.cpp").read_text()
units = {  # name: (source, flags)
    "core and schedule": (core, []),
    "torch/torch.h": (torch_h, []),
    "and regimen.hpp": (torch_h + all_of_us, []),
    "and a trainer of 3": (thirteen, ["-DFEW"]),
    "and a trainer of 13": (thirteen, []),
    "and of 3 + 10 small": (thirteen, ["-DSMALL"]),
}


def command(file, more):
    return [options.compiler, *flags, *torch_flags(torch), *more, str(file)]


def user_seconds(words):
    child = subprocess.Popen(words, cwd=root, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"it doesn't compile: {' '.join(words)}")
    return usage.ru_utime


def lines_of(words):
    """Lines that are left after the preprocessor, as `-E -P` prints them: no line markers, few empty ones."""
    text = subprocess.run([*words, "-E", "-P"], cwd=root, stdout=subprocess.PIPE, check=True).stdout
    return text.count(b"\n")


lines, seconds = {}, {name: [] for name in units}
with tempfile.TemporaryDirectory() as folder:
    for number, (name, (source, more)) in enumerate(units.items()):
        (pathlib.Path(folder) / f"{number}.cpp").write_text(source)
        lines[name] = lines_of(command(f"{folder}/{number}.cpp", more))
    for turn in range(options.repeat):
        for number, (name, (source, more)) in enumerate(units.items()):
            seconds[name].append(user_seconds([*command(f"{folder}/{number}.cpp", more), "-c", "-o", f"{folder}/out.o"]))
            print(f"turn {turn + 1} of {options.repeat}: {seconds[name][-1]:6.2f} s {name}", file=sys.stderr)

median = {name: statistics.median(times) for name, times in seconds.items()}
alone, ours, few, many, small = (median[name] for name in list(units)[1:])
found = {  # what: (value, aim, unit)
    "lines of regimen.hpp on top of torch/torch.h": (lines["and regimen.hpp"] / lines["torch/torch.h"] - 1, 0.03, "share"),
    "time of regimen.hpp on top of torch/torch.h": (ours / alone - 1, 0.03, "share"),
    "core with schedule": (median["core and schedule"], 1.0, "s"),
    "instantiation of a trainer of 13 policies": (many - ours, 3.0, "s"),
    "each further policy that does next to nothing": ((small - few) / 10, 0.010, "s"),
    "each further policy of the library": ((many - few) / 10, 0.010, "s"),
}


def shown(value, unit):
    return f"{100 * value:.1f} %" if unit == "share" else f"{value:.3f} s"


print(f"\n{'unit':<22}{'lines':>9}{'median s':>10}{'least s':>9}   all")
for name in units:
    print(f"{name:<22}{lines[name]:>9}{median[name]:>10.2f}{min(seconds[name]):>9.2f}   {' '.join(f'{s:.2f}' for s in seconds[name])}")
print(f"\n{'what':<46}{'found':>9}{'aim':>9}")
for what, (value, aim, unit) in found.items():
    print(f"{what:<46}{shown(value, unit):>9}{shown(aim, unit):>9}")

file = root / "build/bench/include.json"
file.parent.mkdir(parents=True, exist_ok=True)
file.write_text(json.dumps({
    "compiler": subprocess.run([options.compiler, "--version"], stdout=subprocess.PIPE, text=True).stdout.splitlines()[0],
    "units": {name: {"lines": lines[name], "user_seconds": seconds[name]} for name in units},
    "found": {what: {"value": value, "aim": aim, "unit": unit} for what, (value, aim, unit) in found.items()},
}, indent=2) + "\n")
print(f"\n{file.relative_to(root)}")

missed = [what for what, (value, aim, _) in found.items() if value > aim]
if options.check:
    for what in missed:
        value, aim, unit = found[what]
        print(f"falls short: {what}: {shown(value, unit)}, the aim is {shown(aim, unit)}")
    sys.exit(1 if missed else 0)
