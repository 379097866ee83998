"""Trains with the C++ program and with Python's torch, in turn and for several seeds; exits 1 where C++ is less accurate or slower.

Same net, rates, first weights and batches: the runs differ by rounding, which training magnifies. By chance alone the means of three seeds
differ by up to 0.2 points, so that much is allowed. Time is what both say of training and validation, without start and reading.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--program", type=Path, required=True, help="the built example")
options.add_argument("--seeds", type=int, default=3)
options.add_argument("--margin", type=float, default=0.002, help="by which accuracy may be below Python's")
given, both = options.parse_known_args()  # the rest is for both programs, --epochs 1 for example


def run(*command):
    """Accuracy, seconds, and all seconds of the processor."""
    process = subprocess.Popen([*command, *both], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    found = re.search(r"^accuracy ([\d.]+) after \d+ epochs in ([\d.]+) s$", output, re.M)
    if not found:
        sys.exit(f"compare: {command[0]} ended with {os.waitstatus_to_exitcode(status)} and no result\n{output}")
    return float(found[1]), float(found[2]), usage.ru_utime + usage.ru_stime


rows = []
print("seed   accuracy C++  Python    seconds C++  Python   ratio    processor seconds C++  Python")
for seed in map(str, range(given.seeds)):
    ours = run(str(given.program), "--device", "cpu", "--seed", seed)
    theirs = run(sys.executable, str(Path(__file__).with_name("reference.py")), "--seed", seed)
    rows.append(ours + theirs)
    print(f"{seed:4}   {ours[0]:12.4f}  {theirs[0]:6.4f}    {ours[1]:11.1f}  {theirs[1]:6.1f}   {ours[1] / theirs[1]:5.2f}    {ours[2]:21.1f}  {theirs[2]:6.1f}", flush=True)

accuracy, seconds, processor, their_accuracy, their_seconds, their_processor = (sum(column) / len(rows) for column in zip(*rows))
ratio = seconds / their_seconds
print(f"mean   {accuracy:12.4f}  {their_accuracy:6.4f}    {seconds:11.1f}  {their_seconds:6.1f}   {ratio:5.2f}    {processor:21.1f}  {their_processor:6.1f}")
faults = []
if accuracy < their_accuracy - given.margin:
    faults.append(f"its accuracy is {their_accuracy - accuracy:.4f} below Python's")
if ratio > 1:
    faults.append(f"it takes {ratio:.2f} of Python's time")
print("C++ is as accurate as Python and not slower" if not faults else "compare: C++ falls short: " + ", ".join(faults))
sys.exit(1 if faults else 0)
