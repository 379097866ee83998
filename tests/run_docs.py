#!/usr/bin/env python3
"""Compiles every ```cpp block of README.md and docs/, and runs those with a `main`; follows links between pages and from messages.

A block with `int main` is a program of its own, compiled as it stands; it must end with 0. Of the other blocks the #include lines go
to the top of the unit, types, templates, functions, constants and namespaces into a namespace of the block, all else into a function.
`prelude` below stands before them all and declares what pages take for granted. All pages together are two units, compiled side by
side: a unit spends most of its time on LibTorch, whether that is read as text or precompiled.
Comments between a block and what stands before it, unseen on the page:
  <!-- setup: CODE -->    compiled before the block, in the same way
  <!-- continues -->      the block sees what the block before it declares
  <!-- fails: TEXT -->    the block alone must not compile, and the compiler's output has TEXT
  <!-- output -->         over a ```text block: it is what the program above it printed; `...` stands for anything
  <!-- output: shape -->  the same, but numbers may differ
"""

import argparse
import pathlib
import re
import tempfile

from tally import Tally, ccache, flags, jobs, output_of, root, side_by_side, torch_flags, torch_folder, torch_link_flags

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--torch", default="auto", metavar="PATH|auto|none")
options.add_argument("--build", default="build/docs", type=pathlib.Path)
options.add_argument("pages", nargs="*", help="default: README.md and docs/**/*.md")
options = options.parse_args()
torch = torch_folder(options.torch)
build = root / options.build

prelude = r"""
#include <torch/torch.h>
#include <regimen/regimen.hpp>
#include <regimen/data/batch.hpp>
#if __has_include(<regimen/data.hpp>)
#include <regimen/data.hpp>
#endif
#include <iostream>
#include <vector>
namespace rg = regimen;
struct Net : torch::nn::Module {
  torch::nn::Linear features{4, 8}, head{8, 3};
  Net() { register_module("features", features); register_module("head", head); }
  torch::Tensor forward(const torch::Tensor& x) { return head(torch::relu(features(x))); }
};
inline auto net = std::make_shared<Net>();
inline std::vector<rg::Batch> train, validation;
"""

fence = re.compile(r"^(?P<indent> *)```(?P<kind>\w*)[^\n]*\n(?P<text>.*?)^(?P=indent)```", re.M | re.S)
program = re.compile(r"^int main\(", re.M)
at_namespace_scope = re.compile(
    r"(\s|//[^\n]*\n|/\*.*?\*/)*("
    r"(template|struct|class|enum|union|concept|namespace|using|typedef|inline|constexpr|extern|TORCH_MODULE|#)\b|#"
    r"|(?!return\b|else\b|if\b|for\b|while\b|switch\b|do\b|try\b|throw\b|delete\b)[\w:<>,&*\s]+?[\s&*]\w+\([^;{}]*\)[\w\s]*\{)", re.S)


class Block:
    """One fence of a page, with the comments right before it and the line it begins at."""

    def __init__(self, text, match, previous_end):
        self.kind, self.text = match["kind"], match["text"]
        self.line = text.count("\n", 0, match.start()) + 2
        comments = re.search(r"((?:<!--(?:(?!-->).)*-->\s*)*)\Z", text[previous_end:match.start()], re.S)[1]
        self.notes = [(name, value.strip()) for name, value in
                      re.findall(r"<!--\s*(setup|continues|fails|output)\b:?((?:(?!-->).)*)-->", comments, re.S)]

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


def unit_of(pages, before):
    """The source of all blocks that are no programs; `pages` is a list of (page, blocks)."""
    heads, bodies = [], []
    for number, (page, blocks) in enumerate(pages):
        scopes = []  # [name, at namespace scope, in the function]
        for block in blocks:
            if block.note("continues") is None or not scopes:
                scopes.append((f"page_{number}_line_{block.line}", [], []))
            _, outside, inside = scopes[-1]
            for source, line in [(value, block.line) for key, value in block.notes if key == "setup"] + [(block.text, block.line)]:
                for offset, item in items(source):
                    text = f'#line {line + offset} "{page}"\n{item}\n'
                    if re.match(r"\s*#\s*include\b", item):
                        heads.append(text)
                    else:
                        (outside if at_namespace_scope.match(item) else inside).append(text)
        for name, outside, inside in scopes:
            bodies += [f"namespace {name} {{\n", *outside, "[[maybe_unused]] void run() {\n", *inside, "}\n}\n"]
    return before + "".join(heads + bodies)


def compiled(source, file, *more):
    """Compiles text to an object file: (status, output)."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source)
    return output_of(ccache(["g++", *flags, "-I.", *(torch_flags(torch) if torch else []), *more, "-c", file, "-o", file.with_suffix(".o")]))


def comparable(text, shape):
    lines = [re.sub(r"\s+", " ", line).strip() if shape else line.rstrip() for line in text.strip("\n").splitlines()]
    return [re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "0", line) for line in lines] if shape else lines


def same(printed, shown, shape):
    pattern = re.escape("\n".join(comparable(shown, shape))).replace(re.escape("..."), ".*?")
    return re.fullmatch(pattern, "\n".join(comparable(printed, shape)), re.S) is not None


def needs_torch(block):
    return re.search(r"torch|Trainer|Regimen|regimen/(regimen|data)\.hpp", block.text) is not None


def faults_of_pages(number, pages):
    """Compiles the blocks of many pages as one unit: (page, fault) of each."""
    status, output = compiled(unit_of(pages, prelude if torch else ""), build / f"pages_{number}.cpp", "-Wno-unused")
    if status == 0 and not output:
        return [(page, "") for page, _ in pages]
    named = [page for page, _ in pages if f"{page}:" in output] or [page for page, _ in pages]
    return [(page, "" if page not in named else output or f"status {status}" if page == named[0] else "it is named above") for page, _ in pages]


def fault_of_program(name, page, block, shown):
    """Compiles a program, and runs it."""
    file = build / (re.sub(r"\W", "_", name) + ".cpp")
    status, output = compiled(f'#line {block.line} "{page}"\n{block.text}', file)
    if status or output:
        return output or f"status {status}"
    status, output = output_of(["g++", file.with_suffix(".o"), "-o", file.with_suffix(""),
                                *(torch_link_flags(torch) if needs_torch(block) else []), "-lz", "-pthread"])
    if status:
        return output
    with tempfile.TemporaryDirectory() as folder:
        status, printed = output_of([file.with_suffix("")], 120, cwd=folder, env={"OMP_NUM_THREADS": "1"})
    if status:
        return f"it ended with {status}\n{printed}"
    if shown and not same(printed, shown.text, shown.note("output") == "shape"):
        return f"it printed\n{printed}\nthe page shows\n{shown.text}"
    return ""


def fault_of_mistake(name, page, block):
    """Compiles a block alone that must not compile."""
    status, output = compiled(unit_of([(page, [block])], prelude if needs_torch(block) else ""), build / (re.sub(r"\W", "_", name) + ".cpp"), "-Wno-unused")
    if status == 0:
        return "it compiles, and should not"
    return "" if block.note("fails") in output else f"it doesn't say: {block.note('fails')}\n{output}"


tally = Tally()
pages = [root / page for page in options.pages] or [page for page in [root / "README.md", *sorted((root / "docs").glob("**/*.md"))] if page.exists()]
plain, tasks = [], []  # pages with their blocks that are no programs; functions that return [(name, fault)]
for page in pages:
    text, name, blocks, end = page.read_text(), page.resolve().relative_to(root).as_posix(), [], 0
    for match in fence.finditer(text):
        blocks.append(Block(text, match, end))
        end = match.end()
    if not any(block.kind == "cpp" for block in blocks):
        tally.passes()  # a page without code
    elif torch is None and any(block.kind == "cpp" and needs_torch(block) for block in blocks):
        tally.skips(name, "needs LibTorch")
        continue
    together = []
    for index, block in enumerate(blocks):
        before = blocks[index - 1] if index else None
        if block.kind == "cpp" and block.note("fails") is not None:
            tasks.append(lambda at=f"{name}:{block.line}", page=name, block=block: [(at, fault_of_mistake(at, page, block))])
        elif block.kind == "cpp" and program.search(block.text):
            after = blocks[index + 1] if index + 1 < len(blocks) and blocks[index + 1].note("output") is not None else None
            tasks.append(lambda at=f"{name}:{block.line}", page=name, block=block, after=after: [(at, fault_of_program(at, page, block, after))])
        elif block.kind == "cpp":
            together.append(block)
        elif block.note("output") is not None and not (before and before.kind == "cpp" and program.search(before.text)):
            tally.fails(f"{name}:{block.line}", "an output that follows no program")
    if together:
        plain.append((name, together))

# what points into these pages: links between them, and the messages of the library
headings = {page.resolve(): {re.sub(r"[^\w -]", "", line.lower()).strip().replace(" ", "-") for line in re.findall(r"^#+ (.*)", page.read_text(), re.M)}
            for page in [root / "README.md", *(root / "docs").glob("**/*.md")] if page.exists()}
for page in pages:
    for target, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)", fence.sub("", page.read_text())):
        to = (page.parent / target).resolve() if target else page.resolve()
        if not to.exists() or anchor and anchor not in headings.get(to, ()):
            tally.fails(page.relative_to(root), f"a link to {target}#{anchor}, which is not there")
if not options.pages:
    said = {anchor for header in (root / "include").rglob("*.hpp") for anchor in re.findall(r"docs/errors\.md#([\w-]+)", header.read_text())}
    lacking = said - headings.get((root / "docs/errors.md").resolve(), set())
    tally.check("docs/errors.md", f"messages point to anchors that are not there: {sorted(lacking)}" if lacking else "")

plain.sort(key=lambda page: -sum(len(block.text) for block in page[1]))
shares = [share for share in (plain[number::jobs] for number in range(jobs)) if share]
tasks[:0] = [lambda number=number, share=share: faults_of_pages(number, share) for number, share in enumerate(shares)]
for found in side_by_side(lambda task: task(), tasks):
    for name, fault in found:
        tally.check(name, fault)
tally.close()
