"""What the runners share: a count that ends in one plain line, commands side by side, the flags of the library."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
flags = ["-std=c++20", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Iinclude"]
layers = "core schedule tensor optim precision state device dist data objective observe policy train".split()
jobs = min(2, os.cpu_count() or 1)  # a unit with LibTorch takes more than 1 GB


class Tally:
    """Counts passed, failed and skipped; says at once what failed or was skipped, and why."""

    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, 0

    def passes(self):
        self.passed += 1

    def fails(self, name, why):
        self.failed += 1
        print(f"FAILED {name}\n{why.rstrip()}\n", flush=True)

    def skips(self, name, why):
        self.skipped += 1
        print(f"skipped {name}: {why}", flush=True)

    def check(self, name, fault):
        """Counts one check: an empty fault means that it passed."""
        self.fails(name, fault) if fault else self.passes()

    def close(self):
        """The closing line and the exit status: a run in which nothing ran has failed."""
        print(f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else ""))
        sys.exit(1 if self.failed or not self.passed + self.skipped else 0)


def output_of(command, seconds=300, **how):
    """Runs a command in the tree's root: (exit status, stdout and stderr together). A time-out is a failure like others."""
    how = {"cwd": root, **how, "env": {**os.environ, "LC_ALL": "C", **how.get("env", {})}}
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=seconds, **how)
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode(errors="replace") + f"\nstopped after {seconds} s\n"
    except OSError as error:
        return 127, f"{command[0]}: {error}\n"
    return done.returncode, done.stdout.decode(errors="replace")


def side_by_side(function, items):
    """function(item) for each, a few at a time; results in the order of the items."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(function, items)


def ccache(command):
    """The command behind ccache where there is one: only what changed since the last run is compiled again."""
    return ["ccache", *command] if shutil.which("ccache") else command


def torch_folder(path):
    """The folder of LibTorch: as given, or None for `none`, or for `auto` that of the Python which runs this."""
    if path == "auto":
        from importlib.util import find_spec
        spec = find_spec("torch")
        path = spec.submodule_search_locations[0] if spec else "none"
    return None if path == "none" else pathlib.Path(path).resolve()


def torch_flags(folder):
    """Where LibTorch's headers are, and those of CUDA that a wheel has beside itself."""
    folders = [folder / "include", folder / "include/torch/csrc/api/include", *sorted(folder.parent.glob("nvidia/*/include"))]
    return [f"-isystem{path}" for path in folders]


def torch_link_flags(folder):
    library = folder / "lib"
    cuda = [f"-l{name}" for name in ("torch_cuda", "c10_cuda") if (library / f"lib{name}.so").exists()]
    return [f"-L{library}", f"-Wl,-rpath,{library}", "-Wl,--no-as-needed", "-ltorch", "-ltorch_cpu", "-lc10", *cuda]
