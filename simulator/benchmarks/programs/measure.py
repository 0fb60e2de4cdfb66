#!/usr/bin/env python3
"""How many warp instructions of real programs a second of this machine executes.

  measure.py [--quick] [--modes untimed,timed,…] [--only NAME,…] [--rounds N]
             [--at-once N] [--against BUILD] [BUILD]

BUILD is a folder that cmake made (build/release); its targets heddle and interpreter_speed must be
there. The programs are those of programs.toml. They are compiled by nvcc, once, into
BUILD/benchmark_programs. Modes: untimed, interpreted (without native code), untimed-2 (two
threads), untimed-all (all idle cores, the default of heddle), timed, timed-2, per-pc, and the
checks memory, races, init, sync, hazards and all. Those without a number execute launches on one
thread. untimed-twice and timed-twice run a program twice at the same time, each on one thread and a
core of its own, and count half of the time: so fast two threads would be if only the machine
itself held them up.

Printed are million warp instructions a second: those of the record, divided by the processor time
that the whole run took, its start and the program's own code included; for modes with several
threads by the time of the clock in launches (`heddle run --host-time`), which other load on the
machine lengthens. A column "MODE*" is by the time in launches too: without the program's own code
and start. Of several rounds the fastest counts. With --against, rounds of both builds take turns,
and columns "x" say how many times faster BUILD is. Where a mode is measured with one thread and
with two, a column "2/1" says how many times faster launches are with two, by the clock, and "1+1/1"
the same of two processes.
--at-once N runs so many programs side by side, each on two cores of its own. Below are the sum, all
instructions by all time, and the same for the slowest third of the programs, beside the interpreter
of simulator/benchmarks/ceiling.hpp.
"""
import argparse
import concurrent.futures
import contextlib
import datetime
import functools
import json
import multiprocessing
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import tomllib
import typing

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
EXECUTED = "smsp__sass_inst_executed.sum"
ONE = ["--threads", "1"]
MODES = {
    "untimed": ONE,
    "interpreted": [*ONE, "--interpret"],
    "untimed-2": ["--threads", "2"],
    "untimed-all": ["--threads", "0"],
    "untimed-twice": ONE,
    "timed": [*ONE, "--timing", "on"],
    "timed-twice": [*ONE, "--timing", "on"],
    "timed-2": ["--timing", "on", "--threads", "2"],
    "per-pc": [*ONE, "--per-pc"],
    **{name: [*ONE, "--check", name, "--error-exitcode", "0"]  # findings do not matter here
       for name in ("memory", "races", "init", "sync", "hazards", "all")},
}
TWICE = {"untimed-twice", "timed-twice"}
BY_CLOCK = {"untimed-2", "untimed-all", "timed-2", *TWICE}
IN_LAUNCHES = "*"  # behind a mode's name: its speed in launches alone
# Two threads, or two processes, and one.
PAIRS = {"untimed-2": "untimed", "untimed-twice": "untimed", "timed-2": "timed",
         "timed-twice": "timed"}


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


class Took(typing.NamedTuple):
    """Warp instructions, seconds of processor time, and of launches by the clock."""
    executed: int
    processor: float
    launches: float

    def seconds(self, column):
        by_clock = column in BY_CLOCK or column.endswith(IN_LAUNCHES)
        return max(self.launches if by_clock else self.processor, 1e-3)


def start(build, program, arguments, mode, record, core):
    """On one core, or on all that this process may use."""
    command = [build / "cli" / "heddle", "run", "--no-progress", "--metrics", EXECUTED,
               "--host-time", "--record", record, *MODES[mode], "--", program.binary, *arguments]
    settle = None if core is None else functools.partial(os.sched_setaffinity, 0, {core})
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            preexec_fn=settle)


def run(build, program, arguments, mode):
    cores = whole_cores()[:2] if mode in TWICE else [None]
    with tempfile.TemporaryDirectory() as folder:
        records = [pathlib.Path(folder) / f"{i}.json" for i in range(len(cores))]
        before = children_seconds()
        started = [start(build, program, arguments, mode, *each) for each in zip(records, cores)]
        for each in started:
            _, errors = each.communicate()
            if each.returncode != 0:
                raise RuntimeError(
                    f"{program.name} {mode}: status {each.returncode}\n{errors.decode()}")
        processor = children_seconds() - before
        told = [json.loads(record.read_text()) for record in records]
    # Of two processes half the mean: what either of them takes for a half of its work.
    launches = sum(sum(each.get("host_seconds", [])) for each in told) / len(told) ** 2
    return Took(executed_by(told[0]), processor / len(told), launches)


def fastest(builds, program, arguments, mode, rounds):
    """For each build its instructions and its least seconds; the builds take turns."""
    took = [[run(build, program, arguments, mode) for build in builds] for _ in range(rounds)]
    return [Took(*(min(column) for column in zip(*of_build))) for of_build in zip(*took)]


def rate(rows, column):
    return sum(row.executed for row in rows) / sum(row.seconds(column) for row in rows) / 1e6


def slowest_third(rows, column):
    chosen = sorted(rows, key=lambda row: row.executed / row.seconds(column))
    return chosen[:max(1, len(rows) // 3)]


def whole_cores():
    """One of the host's threads of each core that this process may use."""
    cores = {}
    for each in sorted(os.sched_getaffinity(0)):
        siblings = pathlib.Path(f"/sys/devices/system/cpu/cpu{each}/topology/thread_siblings_list")
        cores.setdefault(siblings.read_text() if siblings.exists() else each, each)
    return list(cores.values())


def settle_down(pairs):
    os.sched_setaffinity(0, pairs.get())


@contextlib.contextmanager
def in_places(at_once):
    """A function that submits a call, to be made on two cores that no other call uses."""
    if at_once == 1:
        yield lambda call, *given: functools.partial(call, *given)
        return
    cores = whole_cores()
    if 2 * at_once > len(cores):
        sys.exit(f"{at_once} programs at once need {2 * at_once} cores, there are {len(cores)}")
    # Far from one another: a virtual machine may show two threads of one core as two cores.
    cores = cores[::len(cores) // (2 * at_once)]
    with multiprocessing.Manager() as manager:
        pairs = manager.Queue()
        for i in range(at_once):
            pairs.put(cores[2 * i:2 * i + 2])
        with concurrent.futures.ProcessPoolExecutor(at_once, initializer=settle_down,
                                                    initargs=(pairs,)) as pool:
            yield lambda call, *given: pool.submit(call, *given).result


def processor():
    told = pathlib.Path("/proc/cpuinfo").read_text()
    names = [line.split(":", 1)[1].strip() for line in told.splitlines()
             if line.startswith("model name")]
    return f"{names[0] if names else 'unknown processor'}, {len(whole_cores())} cores"


def interpreter(build):
    return float(subprocess.check_output([build / "simulator" / "interpreter_speed"])) / 1e6


def gain_title(mode):
    return f"{PAIRS[mode]} {'1+1/1' if mode in TWICE else '2/1'}"


def report(title, cells):
    print(f"{title:<18}" + "".join(f"{cell:>14}" for cell in cells), flush=True)


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--modes", default="untimed")
    options.add_argument("--only", default="")
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--at-once", type=int, default=1)
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

    print(f"{processor()}, {datetime.date.today()}")
    both = [mode for mode in modes if PAIRS.get(mode) in modes]
    columns = modes + [mode + IN_LAUNCHES for mode in modes if mode not in BY_CLOCK]
    titles = ["M instr."] + columns
    if given.against:
        titles += [f"{column} x" for column in columns]
    report("M instr./s", titles + [gain_title(mode) for mode in both])
    table = {mode: [[] for _ in builds] for mode in modes}

    def cells(chosen):
        """`chosen`: which rows of a column count."""
        rates = {column: [rate(chosen(rows, column), column)
                          for rows in table[column.removesuffix(IN_LAUNCHES)]]
                 for column in columns}
        told = [f"{rates[column][0]:.2f}" for column in columns]
        if given.against:
            told += [f"{rates[column][0] / rates[column][1]:.2f}" for column in columns]
        return told

    def gains(first):
        """By a second thread, of programs from `first` on."""
        launches = {mode: sum(row.launches for row in table[mode][0][first:]) for mode in modes}
        return [f"{launches[PAIRS[mode]] / max(launches[mode], 1e-3):.2f}" for mode in both]

    with in_places(given.at_once) as submit:
        found = [(mode, submit(fastest, builds, each,
                               each.quick if given.quick else each.arguments, mode, given.rounds))
                 for each in programs for mode in modes]
        speeds = [submit(interpreter, builds[0]) for _ in range(3 * given.at_once)]
        for i, (mode, result) in enumerate(found):
            for rows, row in zip(table[mode], result()):
                rows.append(row)
            if mode == modes[-1]:
                program = programs[i // len(modes)]
                report(program.name, [f"{table[modes[0]][0][-1].executed / 1e6:.2f}",
                                      *cells(lambda rows, _: rows[-1:]), *gains(-1)])
        report("all", ["", *cells(lambda rows, _: rows), *gains(0)])
        report("slowest third", ["", *cells(slowest_third)])
        report("interpreter", [f"{max(speed() for speed in speeds):.0f}"])


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(str(error))
