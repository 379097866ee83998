#!/usr/bin/env python3
"""Reads the #include lines of the library: who includes whom (design: core first, train last), and who sees LibTorch."""

import re

from tally import Tally, layers, root

apart = set("optim precision state device dist data objective observe".split())  # these don't see each other
umbrellas = "regimen.hpp data.hpp files.hpp cuda.hpp dist.hpp".split()
libtorch = re.compile(r"(torch|ATen|c10|caffe2)/")

include = root / "include/regimen"
headers = {path.relative_to(include).as_posix(): re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', path.read_text(), re.M)
           for path in sorted(include.rglob("*")) if path.is_file()}


def faults(header, includes):
    """Each line that breaks a rule, with the rule."""
    folder = header.split("/")[0] if "/" in header else None
    if not header.endswith(".hpp"):
        yield "a file of the library is a header and ends in .hpp"
    if folder is None and header not in umbrellas:
        yield f"the headers outside of the folders are {', '.join(umbrellas)}"
    if folder is not None and folder not in layers:
        yield f"the folders are {', '.join(layers)}"
        return
    for quote, name in includes:
        ours = re.match(r"regimen/(.+)", name)
        if name == "torch/torch.h":
            yield "torch/torch.h costs 14 s: the user's own code includes it, the library never"
        elif libtorch.match(name) and folder in ("core", "schedule"):
            yield f"{name}: {folder} sees no LibTorch"
        elif quote == '"' and not ours:
            yield f'"{name}": our headers are included as "regimen/...", all others in <>'
        elif ours and ours[1] not in headers:
            yield f"{name}: there is no such header"
        elif ours and ours[1] == header:
            yield "it includes itself"
        elif ours and folder is not None:
            other = ours[1].split("/")[0]
            if "/" not in ours[1]:
                yield f"{name}: a header of a folder includes none that gathers folders"
            elif layers.index(other) > layers.index(folder):
                yield f"{name}: {other} is a later layer than {folder}"
            elif other != folder and {other, folder} <= apart:
                yield f"{name}: {other} and {folder} don't see each other"
            elif other == folder == "policy":
                yield f"{name}: no policy includes another"


def reached(header, seen):
    """The headers that this one brings in."""
    for _, name in headers.get(header, []):
        inner = name.removeprefix("regimen/")
        if inner in headers and inner not in seen:
            seen.add(inner)
            reached(inner, seen)
    return seen


tally = Tally()
for header, includes in headers.items():
    tally.check(f"include/regimen/{header}", "".join(f"  {fault}\n" for fault in faults(header, includes)))

gathered = set(umbrellas)
for umbrella in umbrellas:
    reached(umbrella, gathered)
if "regimen.hpp" in headers:
    lost = sorted(set(headers) - gathered)
    tally.check("each header is reached from one of " + ", ".join(umbrellas), "".join(f"  {header} is not\n" for header in lost))

written = re.search(r"version: '([\d.]+)'", (root / "meson.build").read_text())[1]
numbers = re.findall(r"\.(?:major|minor|patch) = (\d+)", (include / "core/version.hpp").read_text())
tally.check("one version", "" if written == ".".join(numbers) else f"  meson.build has {written}, core/version.hpp {'.'.join(numbers)}\n")
tally.close()
