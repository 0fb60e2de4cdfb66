#!/usr/bin/env python3
"""What it costs to start a program under heddle.

  startup.py [--rounds N] [BUILD]

BUILD is a folder that cmake made (build/release) with the targets heddle and loading_program. Two programs
are started: a C++ program without CUDA that does nothing, and, where nvcc is found, one of gpu/kernels
with the CUDA runtime linked into it, with 64 elements. Each starts bare, with the libraries preloaded that heddle run preloads,
and by heddle run. The rounds take turns, and what is printed is the least and the median of wall time and
of processor time in milliseconds, and how much more the median is than bare. Other load on the machine
lengthens wall time. Exit status: 1 where preloading costs an ordinary program 50 ms of processor time or more.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIBRARIES = ["libheddle_redirect.so", "libcudart.so.13", "libcudart.so.12", "libcuda.so.1", "libnvidia-ml.so.1"]
MOST_MS = 50


def start(command, environment):
    """Wall and processor milliseconds of one start."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    wall = time.perf_counter() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * wall, 1000 * processor


def ways(build, program, arguments):
    """How the program is started, by the names of the table's rows."""
    runtime = build / "gpu" / "runtime"
    preloaded = dict(os.environ, LD_PRELOAD=":".join(str(runtime / name) for name in LIBRARIES))
    command = [str(program), *arguments]
    return {
        "bare": (command, dict(os.environ)),
        "preloaded": (command, preloaded),
        "heddle run": ([str(build / "cli" / "heddle"), "run", *command], dict(os.environ)),
    }


def measure(build, name, program, arguments, rounds):
    """Prints one program's rows; returns what preloading adds to its processor time."""
    rows = ways(build, program, arguments)
    times = {way: [] for way in rows}
    for _ in range(rounds):
        for way, (command, environment) in rows.items():
            times[way].append(start(command, environment))
    bare = [statistics.median(column) for column in zip(*times["bare"])]
    medians = {}
    for way, measured in times.items():
        wall, processor = zip(*measured)
        medians[way] = statistics.median(wall), statistics.median(processor)
        print(
            f"{name:<16} {way:<12} {min(wall):9.1f} {medians[way][0]:9.1f} {medians[way][0] - bare[0]:+9.1f}"
            f" {min(processor):9.1f} {medians[way][1]:9.1f} {medians[way][1] - bare[1]:+9.1f}"
        )
    return medians["preloaded"][1] - bare[1]


def compile_cuda(folder):
    """vector_add as nvcc builds it by default, or None where there is no nvcc."""
    program = pathlib.Path(folder) / "vector_add"
    source = ROOT / "gpu" / "kernels" / "vector_add" / "vector_add.cu"
    try:
        subprocess.run(["nvcc", "-std=c++17", "-O3", "-arch=sm_90", "-o", program, source], check=True)
    except FileNotFoundError:
        print("no nvcc: no CUDA program", file=sys.stderr)
        return None
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    ordinary = build / "gpu" / "runtime" / "redirect" / "tests" / "loading_program"
    for needed in [ordinary, build / "cli" / "heddle", *(build / "gpu" / "runtime" / name for name in LIBRARIES)]:
        if not needed.exists():
            sys.exit(f"{needed} is not there: build it first")
    print(f"{'':<29} {'wall ms':>9} {'median':>9} {'more':>9} {'cpu ms':>9} {'median':>9} {'more':>9}")
    added = measure(build, "without CUDA", ordinary, [], arguments.rounds)
    with tempfile.TemporaryDirectory() as folder:
        program = compile_cuda(folder)
        if program is not None:
            measure(build, "vector_add 64", program, ["64"], arguments.rounds)
    return 0 if added < MOST_MS else 1


if __name__ == "__main__":
    sys.exit(main())
