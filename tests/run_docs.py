#!/usr/bin/env python3
"""Compiles every ```cpp block of README.md and docs/, and runs those with a `main`. A page is one unit on a precompiled torch.h.

A block with `int main` is a program of its own; it must end with 0. Of the other blocks the #include lines go to the top of the
page's unit, types, templates, functions, constants and namespaces into a namespace of the block, statements into a function.
tests/support/docs.hpp, where there is one, stands before them all and declares what pages take for granted.
Comments between a block and what stands before it, unseen on the page:
  <!-- setup: CODE -->    compiled before the block, in the same way
  <!-- fails: TEXT -->    the block alone must not compile, and the compiler's output has TEXT
  <!-- output -->         over a ```text block: it is what the program above it printed; `...` stands for anything
  <!-- output: shape -->  the same, but numbers may differ
"""

import argparse
import pathlib
import re
import tempfile

from tally import Tally, ccache, flags, output_of, root, side_by_side, torch_flags, torch_folder, torch_link_flags

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--torch", default="auto", metavar="PATH|auto|none")
options.add_argument("--build", default="build/docs", type=pathlib.Path)
options.add_argument("pages", nargs="*", help="default: README.md and docs/**/*.md")
options = options.parse_args()
torch = torch_folder(options.torch)
build = root / options.build

fence = re.compile(r"^(?P<indent> *)```(?P<kind>\w*)[^\n]*\n(?P<text>.*?)^(?P=indent)```", re.M | re.S)
program = re.compile(r"^int main\(", re.M)
at_namespace_scope = re.compile(
    r"(\s|//[^\n]*\n|/\*.*?\*/)*("
    r"(template|struct|class|enum|union|concept|namespace|using|typedef|static_assert|inline|constexpr|extern|TORCH_MODULE|#)\b|#"
    r"|(?!return\b|else\b|if\b|for\b|while\b|switch\b|do\b|try\b|throw\b|delete\b)[\w:<>,&*\s]+?[\s&*]\w+\([^;{}]*\)[\w\s]*\{)", re.S)


class Block:
    """One fence of a page, with the comments right before it and the line it begins at."""

    def __init__(self, text, match, previous_end):
        self.kind, self.text = match["kind"], match["text"]
        self.line = text.count("\n", 0, match.start()) + 2
        comments = re.search(r"((?:<!--(?:(?!-->).)*-->\s*)*)\Z", text[previous_end:match.start()], re.S)[1]
        self.notes = [(name, value.strip()) for name, value in
                      re.findall(r"<!--\s*(setup|fails|output)\b:?((?:(?!-->).)*)-->", comments, re.S)]

    def note(self, name):
        return next((value for key, value in self.notes if key == name), None)


def items(text):
    """The top-level declarations and statements of C++ text as (line, text): brackets are counted, strings and comments passed over."""
    token = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*|[{}()\[\];]', re.M | re.S)
    begin, depth = 0, 0
    for match in token.finditer(text):
        mark, end = match[0], match.end()
        if mark in "{([":
            depth += 1
        elif mark in "})]":
            depth -= 1
        whole = depth == 0 and (
            mark == ";" or mark.lstrip().startswith("#") or mark == "}" and not re.match(r"\s*[;,.()\[\]{?:+*/<>=|&-]|\s*//[^\n]*\n\s*[;,.)]", text[end:]))
        if whole and text[begin:end].strip():
            yield text.count("\n", 0, begin), text[begin:end]
            begin = end
    if text[begin:].strip():
        yield text.count("\n", 0, begin), text[begin:]


def unit_of(page, blocks):
    """The source of a page's blocks that are no programs."""
    heads, bodies = [], []
    for number, block in enumerate(blocks):
        outside, inside = [], []
        for source, line in [(value, block.line) for key, value in block.notes if key == "setup"] + [(block.text, block.line)]:
            for offset, item in items(source):
                text = f'#line {line + offset} "{page}"\n{item}\n'
                if re.match(r"\s*#\s*include\b", item):
                    heads.append(text)
                else:
                    (outside if at_namespace_scope.match(item) else inside).append(text)
        bodies += [f"namespace block_{number} {{\n", *outside, "[[maybe_unused]] void run() {\n", *inside, "}\n}\n"]
    context = ['#include "tests/support/docs.hpp"\n'] if (root / "tests/support/docs.hpp").exists() else []
    return "".join(heads + context + bodies)


def compile_unit(source, file, precompiled, *more):
    """Compiles text to an object file: (status, output)."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source)
    head = ["-include", precompiled, "-fpch-preprocess"] if precompiled else []  # ccache asks for the latter
    return output_of(ccache(["g++", *flags, "-I.", *(torch_flags(torch) if torch else []), *head, *more, "-c", file, "-o", file.with_suffix(".o")]),
                     env={"CCACHE_SLOPPINESS": "pch_defines,time_macros"})


def comparable(text, shape):
    lines = [re.sub(r"\s+", " ", line).strip() if shape else line.rstrip() for line in text.strip("\n").splitlines()]
    return [re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "0", line) for line in lines] if shape else lines


def same(printed, shown, shape):
    pattern = re.escape("\n".join(comparable(shown, shape))).replace(re.escape("..."), ".*?")
    return re.fullmatch(pattern, "\n".join(comparable(printed, shape)), re.S) is not None


def faults_of(task):
    """Compiles one unit, runs it if it is a program: (name, fault); the fault is None for what needs LibTorch and has none."""
    name, page, blocks, shown, precompiled = task
    file = build / (re.sub(r"\W", "_", name) + ".cpp")
    needs_torch = any(re.search(r"torch|Trainer|regimen/regimen\.hpp", block.text) for block in blocks)
    if needs_torch and torch is None:
        return name, None
    head = precompiled if needs_torch else None
    if blocks[0].note("fails") is not None:
        status, output = compile_unit(unit_of(page, blocks), file, head, "-Wno-unused")
        if status == 0:
            return name, "it compiles, and should not"
        return name, "" if blocks[0].note("fails") in output else f"it doesn't say: {blocks[0].note('fails')}\n{output}"
    if not program.search(blocks[0].text):
        status, output = compile_unit(unit_of(page, blocks), file, head, "-Wno-unused")
        return name, output or f"status {status}" if status or output else ""
    status, output = compile_unit(f'#line {blocks[0].line} "{page}"\n{blocks[0].text}', file, head)
    if status or output:
        return name, output
    status, output = output_of(["g++", file.with_suffix(".o"), "-o", file.with_suffix(""),
                                *(torch_link_flags(torch) if needs_torch else []), "-lz", "-pthread"])
    if status:
        return name, output
    with tempfile.TemporaryDirectory() as folder:
        status, printed = output_of([file.with_suffix("")], 120, cwd=folder, env={"OMP_NUM_THREADS": "1"})
    if status:
        return name, f"it ended with {status}\n{printed}"
    if shown and not same(printed, shown.text, shown.note("output") == "shape"):
        return name, f"it printed\n{printed}\nthe page shows\n{shown.text}"
    return name, ""


tally = Tally()
pages = [root / page for page in options.pages] or [page for page in [root / "README.md", *sorted((root / "docs").glob("**/*.md"))] if page.exists()]
tasks = []
for page in pages:
    text, name, blocks, end = page.read_text(), page.relative_to(root).as_posix(), [], 0
    for match in fence.finditer(text):
        blocks.append(Block(text, match, end))
        end = match.end()
    plain = [b for b in blocks if b.kind == "cpp" and not program.search(b.text) and b.note("fails") is None]
    if plain:
        tasks.append((name, name, plain, None))
    for index, block in enumerate(blocks):
        if block.kind == "cpp" and block not in plain:
            after = blocks[index + 1] if index + 1 < len(blocks) and blocks[index + 1].note("output") is not None else None
            tasks.append((f"{name}:{block.line}", name, [block], after))
        elif block.note("output") is not None and (index == 0 or blocks[index - 1].kind != "cpp" or not program.search(blocks[index - 1].text)):
            tally.fails(f"{name}:{block.line}", "an output that follows no program")
    if not any(block.kind == "cpp" for block in blocks):
        tally.passes()  # a page without code

head = None
if torch and tasks:
    head = build / "torch.hpp"
    build.mkdir(parents=True, exist_ok=True)
    head.write_text("#include <torch/torch.h>\n")
    status, output = output_of(ccache(["g++", *flags, "-I.", *torch_flags(torch), "-x", "c++-header", head, "-o", f"{head}.gch"]),
                               env={"CCACHE_SLOPPINESS": "pch_defines,time_macros"})
    if status:
        tally.fails("a precompiled torch/torch.h", output)
for name, found in side_by_side(faults_of, [(*task, head) for task in tasks]):
    if found is None:
        tally.skips(name, "needs LibTorch")
    else:
        tally.check(name, found)
tally.close()
