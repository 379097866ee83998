"""Trains with the C++ program and with Python's torch, in turn and for several seeds; exits 1 where C++ is less accurate or slower.

Same net, rates, first weights and batches: the runs differ by rounding, which training magnifies. Means of three seeds were seen to differ by
0.2 points, so that much is allowed. Seconds are what both say of training and validation; those of the processor are of the
whole process, less one that ends after a batch. C++ counts as slower where both are more than Python's: a busy machine stretches seconds alone.
One thread each unless --threads says else: where another process wants a core, two threads wait for each other, five times as long and at random.
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
options.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
options.add_argument("--epochs", default="5")
options.add_argument("--threads", default="1")
given = options.parse_args()


def run(*command):
    """Accuracy, seconds, and all seconds of the processor."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": given.threads})
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    found = re.search(r"^accuracy ([\d.]+) after \d+ epochs in ([\d.]+) s$", output, re.M)
    if not found:
        sys.exit(f"compare: {command[0]} ended with {os.waitstatus_to_exitcode(status)} and no result\n{output}")
    return float(found[1]), float(found[2]), usage.ru_utime + usage.ru_stime


cpp = [str(given.program), "--device", "cpu", "--data", given.data]
python = [sys.executable, str(Path(__file__).with_name("reference.py")), "--data", given.data]
start, their_start = (run(*command, "--epochs", "1", "--limit", "1")[2] for command in (cpp, python))

rows = []
print("seed   accuracy C++  Python    seconds C++  Python   ratio    processor seconds C++  Python   ratio")


def line(name, ours, theirs):
    print(f"{name:4}   {ours[0]:12.4f}  {theirs[0]:6.4f}    {ours[1]:11.1f}  {theirs[1]:6.1f}   {ours[1] / theirs[1]:5.2f}"
          f"    {ours[2]:21.1f}  {theirs[2]:6.1f}   {ours[2] / theirs[2]:5.2f}", flush=True)  # fmt: skip


for seed in map(str, range(given.seeds)):
    accuracy, seconds, processor = run(*cpp, "--epochs", given.epochs, "--seed", seed)
    ours = accuracy, seconds, processor - start
    accuracy, seconds, processor = run(*python, "--epochs", given.epochs, "--seed", seed)
    theirs = accuracy, seconds, processor - their_start
    rows.append(ours + theirs)
    line(seed, ours, theirs)

means = [sum(column) / len(rows) for column in zip(*rows)]
ours, theirs = means[:3], means[3:]
line("mean", ours, theirs)
faults = []
if ours[0] < theirs[0] - given.margin:
    faults.append(f"its accuracy is {theirs[0] - ours[0]:.4f} below Python's")
if ours[1] > theirs[1] and ours[2] > theirs[2]:
    faults.append(f"it takes {ours[1] / theirs[1]:.2f} of Python's time")
print("C++ is as accurate as Python and not slower" if not faults else "compare: C++ falls short: " + ", ".join(faults))
print("0 passed, 1 failed" if faults else "1 passed, 0 failed")
sys.exit(1 if faults else 0)
