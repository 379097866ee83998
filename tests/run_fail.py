#!/usr/bin/env python3
"""Compiles each tests/fail/*.cpp, one mistake a file, on each compiler: it must not compile, and must say so shortly.

Comments at the head of a file:
  // EXPECT: text   stands in the compiler's output; at least one
  // LINES: 8       the most lines of output, 12 where nothing is said
  // TORCH          needs LibTorch's headers; skipped without them
"""

import argparse
import re

from tally import Tally, flags, output_of, root, side_by_side, torch_flags, torch_folder

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--compilers", nargs="+", default=["g++", "clang++-16"])
options.add_argument("--torch", default="none", metavar="PATH|auto|none")
options.add_argument("files", nargs="*", help="default: all")
options = options.parse_args()
torch = torch_folder(options.torch)


def fault(pair):
    """What is wrong with how this compiler speaks of this file; empty if nothing, None if it can't be compiled here."""
    file, compiler = pair
    text = file.read_text()
    needs_torch = re.search(r"^// TORCH\s*$", text, re.M)
    if needs_torch and torch is None:
        return None
    command = [compiler, *flags, "-fsyntax-only", *(torch_flags(torch) if needs_torch else [])]
    if "clang" not in compiler:
        command.append("-fconcepts-diagnostics-depth=2")
    status, output = output_of([*command, file.relative_to(root)], seconds=120)
    expected = [line.strip() for line in re.findall(r"^// EXPECT: (.*)$", text, re.M)]
    limit = int((re.search(r"^// LINES: (\d+)\s*$", text, re.M) or [0, 12])[1])
    faults = [f"it doesn't say: {line}" for line in expected if line not in output]
    if status in (124, 127) or status < 0 or "internal compiler error" in output:
        faults.append(f"the compiler itself failed, with status {status}")
    if status == 0:
        faults = ["it compiles"]
    if not expected:
        faults.append("it has no line `// EXPECT: text`")
    lines = len(output.splitlines())
    if lines > limit:
        faults.append(f"it takes {lines} lines to say so, {limit} are allowed")
    return "".join(f"  {line}\n" for line in faults) + (output if faults else "")


tally = Tally()
files = [root / name for name in options.files] or sorted((root / "tests/fail").glob("**/*.cpp"))
pairs = [(file, compiler) for file in files for compiler in options.compilers]
for (file, compiler), found in zip(pairs, side_by_side(fault, pairs)):
    name = f"{file.relative_to(root)} with {compiler}"
    if found is None:
        tally.skips(name, "needs LibTorch's headers")
    else:
        tally.check(name, found)
tally.close()
