#!/usr/bin/env python3
"""Compiles each header under include/regimen alone, and included twice.

core/ and schedule/ see no LibTorch at all and are compiled with each compiler. For the others LibTorch costs 2 to 14 s a header,
so by default g++ alone compiles them, and through ccache: into object files, since ccache keeps none of -fsyntax-only. A header
for which nothing it includes has changed then costs some hundredths of a second; a clean machine compiles all of them.
No precompiled header makes this cheaper: with one, a header that forgot its own includes would pass.
"""

import argparse
import pathlib

from tally import Tally, ccache, flags, output_of, root, side_by_side, torch_flags, torch_folder

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--compilers", nargs="+", default=["g++", "clang++-16"], help="for core/ and schedule/")
options.add_argument("--torch-compilers", nargs="+", default=["g++"], help="for the headers that see LibTorch")
options.add_argument("--torch", default="none", metavar="PATH|auto|none", help="none: core/ and schedule/ alone")
options.add_argument("--only", choices=["core", "torch"], help="those without, or those with LibTorch")
options.add_argument("--build", default="build/headers", type=pathlib.Path)
options = options.parse_args()
torch = torch_folder(options.torch)

include = root / "include"
pairs = []
for header in sorted((include / "regimen").rglob("*.hpp")):
    name = header.relative_to(include)
    alone = name.parts[1] in ("core", "schedule")
    if options.only and (options.only == "core") != alone or not alone and torch is None:
        continue
    pairs += [(name, alone, compiler) for compiler in (options.compilers if alone else options.torch_compilers)]
# the dear ones first and the umbrella before all, so that no core waits for the last
pairs.sort(key=lambda pair: (pair[1], len(pair[0].parts), pair[0].parts[1] not in ("train", "policy", "objective", "data")))


def fault(pair):
    name, alone, compiler = pair
    unit = root / options.build / compiler / f"{name.with_suffix('').as_posix().replace('/', '_')}.cpp"
    unit.parent.mkdir(parents=True, exist_ok=True)
    unit.write_text(f"#include <{name}>\n#include <{name}>\n")
    status, output = output_of(ccache([compiler, *flags, *([] if alone else torch_flags(torch)), "-c", unit, "-o", unit.with_suffix(".o")]))
    return output or f"status {status}" if status or output else ""


tally = Tally()
for (name, alone, compiler), found in zip(pairs, side_by_side(fault, pairs)):
    tally.check(f"{name} alone with {compiler}", found)
tally.close()
