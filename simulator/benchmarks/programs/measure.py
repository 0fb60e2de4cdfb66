#!/usr/bin/env python3
"""How many warp instructions of real programs a second of this machine executes.

  measure.py [--quick] [--modes untimed,timed,…] [--only NAME,…] [--rounds N]
             [--against BUILD] [BUILD]

BUILD is a folder that cmake made (build/release); its targets heddle and interpreter_speed must be
there. The programs are those of programs.toml. They are compiled by nvcc, once, into
BUILD/benchmark_programs. Modes: untimed, untimed-2 (two threads), untimed-all (all idle cores, the
default of heddle), timed, timed-2, per-pc, and the checks memory, races, init, sync, hazards and all.
Those without a number execute launches on one thread.

Printed are million warp instructions a second: those of the record, divided by the processor time
that the whole run took, its start and the program's own code included; for modes with several threads
by the time of the clock in launches (`heddle run --host-time`), which other load on the machine
lengthens. Of several rounds the fastest counts. With --against, rounds of both builds take turns, and the last columns
say how many times faster BUILD is. Below are the sum, all instructions by all time, and the same
for the slowest third of the programs, beside the interpreter of simulator/benchmarks/ceiling.hpp.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
EXECUTED = "smsp__sass_inst_executed.sum"
ONE = ["--threads", "1"]
MODES = {
    "untimed": ONE,
    "untimed-2": ["--threads", "2", "--host-time"],
    "untimed-all": ["--threads", "0", "--host-time"],
    "timed": [*ONE, "--timing", "on"],
    "timed-2": ["--timing", "on", "--threads", "2", "--host-time"],
    "per-pc": [*ONE, "--per-pc"],
    **{name: [*ONE, "--check", name, "--error-exitcode", "0"]  # findings do not matter here
       for name in ("memory", "races", "init", "sync", "hazards", "all")},
}


class Program:
    def __init__(self, entry, folder):
        self.name = entry["source"].removesuffix(".cu")
        self.source = entry["source"]
        self.arguments = entry["arguments"]
        self.quick = entry["quick"]
        self.binary = folder / f"{self.name}.sm_90.O3"

    def path(self):
        if self.source.endswith(".cu"):
            return HERE / self.source
        return ROOT / "gpu" / "kernels" / self.name / f"{self.name}.cu"

    def compile(self, nvcc):
        source = self.path()
        if self.binary.exists() and self.binary.stat().st_mtime >= source.stat().st_mtime:
            return
        flags = source.parent / "nvcc_flags"
        more = flags.read_text().split() if flags.exists() else []
        subprocess.run(
            [nvcc, "-std=c++17", "-arch=sm_90", "-cudart", "shared", "-O3", "-lineinfo", *more,
             "-o", self.binary, source], check=True)


def children_seconds():
    """Of the system too: it clears what a check keeps beside the program's memory."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def executed_by(record):
    """Warp instructions of all launches; those told as another one count as that one does."""
    known, total = {}, 0
    for launch in record["launches"]:
        if "as" in launch:
            total += known[launch["as"]]
        else:
            known[launch["index"]] = launch["metrics"].get(EXECUTED, 0)
            total += known[launch["index"]]
    return total


def run(build, program, arguments, mode):
    """Warp instructions, seconds of processor time and of launches by the clock."""
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "record.json"
        command = [build / "cli" / "heddle", "run", "--no-progress", "--metrics", EXECUTED,
                   "--record", record, *MODES[mode], "--", program.binary, *arguments]
        before = children_seconds()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        processor = children_seconds() - before
        if done.returncode != 0:
            sys.exit(f"{program.name} {mode}: status {done.returncode}\n{done.stderr.decode()}")
        told = json.loads(record.read_text())
    return executed_by(told), processor, sum(told.get("host_seconds", []))


def fastest(builds, program, arguments, mode, rounds):
    """For each build its instructions and its least seconds; the builds take turns."""
    best = [None] * len(builds)
    for _ in range(rounds):
        for i, build in enumerate(builds):
            executed, processor, clock = run(build, program, arguments, mode)
            seconds = clock if "--host-time" in MODES[mode] else processor
            if best[i] is None or seconds < best[i][1]:
                best[i] = (executed, max(seconds, 1e-3))
    return best


def rate(rows):
    return sum(row[0] for row in rows) / sum(row[1] for row in rows) / 1e6


def slowest_third(rows):
    return sorted(rows, key=lambda row: row[0] / row[1])[:max(1, len(rows) // 3)]


def interpreter(build):
    program = build / "simulator" / "interpreter_speed"
    return max(float(subprocess.check_output([program])) for _ in range(3)) / 1e6


def report(title, cells):
    print(f"{title:<18}" + "".join(f"{cell:>12}" for cell in cells), flush=True)


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--modes", default="untimed")
    options.add_argument("--only", default="")
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--against", type=pathlib.Path)
    options.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    options.add_argument("--nvcc", default="nvcc")
    given = options.parse_args()
    modes = given.modes.split(",")
    for mode in modes:
        if mode not in MODES:
            sys.exit(f"no mode {mode}; there are {', '.join(MODES)}")
    builds = [given.build.resolve()] + ([given.against.resolve()] if given.against else [])
    folder = builds[0] / "benchmark_programs"
    folder.mkdir(exist_ok=True)
    wanted = set(filter(None, given.only.split(",")))
    programs = [Program(each, folder)
                for each in tomllib.loads((HERE / "programs.toml").read_text())["program"]]
    programs = [each for each in programs if not wanted or each.name in wanted]
    for program in programs:
        program.compile(given.nvcc)

    titles = ["M instr."] + modes
    if given.against:
        titles += [f"{mode} x" for mode in modes]
    report("M instr./s", titles)
    table = {mode: [[] for _ in builds] for mode in modes}
    for program in programs:
        arguments = program.quick if given.quick else program.arguments
        rates, ratios = [], []
        for mode in modes:
            best = fastest(builds, program, arguments, mode, given.rounds)
            for i, row in enumerate(best):
                table[mode][i].append(row)
            rates.append(f"{rate(best[:1]):.2f}")
            if given.against:
                ratios.append(f"{rate(best[:1]) / rate(best[1:]):.2f}")
        report(program.name, [f"{best[0][0] / 1e6:.2f}", *rates, *ratios])
    for title, chosen in (("all", list), ("slowest third", slowest_third)):
        cells = [f"{rate(chosen(table[mode][0])):.2f}" for mode in modes]
        if given.against:
            cells += [f"{rate(chosen(table[mode][0])) / rate(chosen(table[mode][1])):.2f}"
                      for mode in modes]
        report(title, ["", *cells])
    report("interpreter", [f"{interpreter(builds[0]):.0f}"])


if __name__ == "__main__":
    main()
