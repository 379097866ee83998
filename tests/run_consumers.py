#!/usr/bin/env python3
"""Uses the library from other projects, those in tests/consumers, in each way that is promised: builds each and runs its program."""

import argparse
import pathlib
import shutil
import sys

from tally import Tally, ccache, flags, output_of, root, side_by_side, torch_flags, torch_folder, torch_link_flags

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--torch", default="auto", metavar="PATH|auto")
options.add_argument("--build", default="build/consumers", type=pathlib.Path)
options = options.parse_args()
torch = torch_folder(options.torch) or sys.exit("the consumers need LibTorch")
build = (root / options.build).resolve()
prefix = build / "prefix"
source = root / "tests/consumers"
beside = root / ".venv/bin/meson"
meson = beside if beside.exists() else "meson"
compiler = ccache(["g++"])
plain_flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror"]


class Failed(Exception):
    pass


def do(*command, **how):
    status, output = output_of(command, **how)
    if status:
        raise Failed(f"$ {' '.join(map(str, command))}\n{output}\nexit status {status}\n")
    return output


def install():
    """`meson install` into a prefix of its own, without LibTorch: the headers are all there is to install."""
    do(meson, "setup", build / "install", root, "--prefix", prefix, "-Dtorch=none")
    do(meson, "install", "-C", build / "install")
    missing = [name for name in ("include/regimen/core/version.hpp", "share/pkgconfig/regimen.pc", "share/cmake/regimen/regimen-config.cmake")
               if not (prefix / name).exists()]
    if missing:
        raise Failed(f"not installed: {missing}")


def meson_subproject():
    """The tree under subprojects/, dependency('regimen')."""
    project = build / "meson"
    shutil.copytree(source / "meson", project)
    inside = project / "subprojects/regimen"
    inside.mkdir(parents=True)
    for name in ("meson.build", "meson.options", "include"):  # a subproject reads no more than these
        (inside / name).symlink_to(root / name)
    do(meson, "setup", project / "build", project, f"-Dregimen:torch={torch}")
    do(meson, "compile", "-C", project / "build")
    return do(project / "build/consumer")


def cmake_package():
    """find_package(regimen), regimen::regimen."""
    do("cmake", "-S", source / "cmake", "-B", build / "cmake", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DTORCH_DIR={torch}")
    do("cmake", "--build", build / "cmake")
    return do(build / "cmake/consumer")


def pkg_config():
    found = do("pkg-config", "--cflags", "regimen", env={"PKG_CONFIG_PATH": str(prefix / "share/pkgconfig")}).split()
    do(*compiler, *plain_flags, *found, "-c", source / "pkg_config/main.cpp", "-o", build / "pkg_config.o")
    do("g++", build / "pkg_config.o", "-o", build / "pkg_config")
    return do(build / "pkg_config")


def plain_include():
    do(*compiler, *plain_flags, f"-I{root / 'include'}", "-c", source / "plain/main.cpp", "-o", build / "plain.o")
    do("g++", build / "plain.o", "-o", build / "plain")
    return do(build / "plain")


def unit(name):
    def compile():
        do(*compiler, *flags, *torch_flags(torch), "-c", source / f"two_units/{name}.cpp", "-o", build / f"{name}.o")
    compile.__name__ = f"two units: {name}.cpp"
    return compile


def two_units():
    do("g++", build / "main.o", build / "other.o", "-o", build / "two_units", *torch_link_flags(torch), "-lz", "-pthread")
    return do(build / "two_units")


def run(way):
    try:
        return way() and None
    except Failed as failure:
        return str(failure)


shutil.rmtree(build, ignore_errors=True)
build.mkdir(parents=True)
tally = Tally()
for ways in ([install], [meson_subproject, unit("main"), unit("other"), cmake_package, pkg_config, plain_include], [two_units]):
    for way, fault in zip(ways, side_by_side(run, ways)):
        tally.check(f"consumer {way.__name__}", fault)
tally.close()
