#!/usr/bin/env python3
"""Whether two builds write the same records, byte for byte, of the programs that measure.py runs.

  same_records.py [--full | --timed] [--threads 1,2,3] [--times N] [--only NAME,…] BEFORE [BUILD]

BEFORE and BUILD are folders as measure.py takes them. Each program runs untimed with each number of
threads, with native code and without it (--full: with larger arguments, and with native code
alone; --timed: timed); BUILD runs it N times, as conflicts between threads depend on the moment.
Compared are the record, what the program prints and its status. Exits with 1 if any differ.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import measure


def run(build, program, arguments, options):
    with tempfile.NamedTemporaryFile() as record:
        done = subprocess.run(
            [build / "cli" / "heddle", "run", "--no-progress", "--record", record.name, *options,
             "--", program.binary, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return done.returncode, done.stdout, pathlib.Path(record.name).read_bytes()


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("--full", action="store_true")
    options.add_argument("--timed", action="store_true")
    options.add_argument("--threads", default="1,2,3")
    options.add_argument("--times", type=int, default=1)
    options.add_argument("--only", default="")
    options.add_argument("before", type=pathlib.Path)
    options.add_argument("build", nargs="?", type=pathlib.Path,
                         default=measure.ROOT / "build" / "release")
    options.add_argument("--nvcc", default="nvcc")
    given = options.parse_args()
    before, build = given.before.resolve(), given.build.resolve()
    folder = build / "benchmark_programs"
    folder.mkdir(exist_ok=True)
    wanted = set(filter(None, given.only.split(",")))
    ways = [["--timing", "on"]] if given.timed else [[]] if given.full else [[], ["--interpret"]]
    compared = differing = 0
    for entry in tomllib.loads((measure.HERE / "programs.toml").read_text())["program"]:
        program = measure.Program(entry, folder)
        if wanted and program.name not in wanted:
            continue
        program.compile(given.nvcc)
        arguments = program.arguments if given.full else program.quick
        for threads in given.threads.split(","):
            for more in ways:
                how = ["--threads", threads, *more]
                expected = run(before, program, arguments, how)
                for _ in range(given.times):
                    compared += 1
                    if run(build, program, arguments, how) != expected:
                        differing += 1
                        print(f"{program.name} differs: {' '.join(how)}", flush=True)
    print(f"{compared} runs compared, {differing} differ")
    sys.exit(differing != 0)


if __name__ == "__main__":
    main()
