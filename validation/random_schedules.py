#!/usr/bin/env python3
"""Whether determined launches stay as they are whatever the order of warps and blocks.

  random_schedules.py [--seeds N] [--suite FILE]... [--only NAME,...] HEDDLE PROGRAMS

HEDDLE is the command; PROGRAMS the folder that gpu/kernels/build.sh filled. Each entry of the
suites (default: suite.toml, features.toml, pairs.toml of gpu/kernels) runs once as usual and once
under `--schedule random` with each of the seeds 1 to N (default 10). Records hold counts per
instruction. Printed is each determined launch whose record changes, each launch whose class does,
and each program that ends otherwise; then the numbers of launches. Status 1 where a determined
launch changes.

A launch that is determined if free of races may change where it races: --check races says so.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
SUITES = ["suite.toml", "features.toml", "pairs.toml"]


def entries(suites):
    for path in suites:
        suite = tomllib.loads(path.read_text())
        for entry in suite.get("entry", []):
            for build in entry.get("builds", suite.get("builds", ["O3"])):
                file = f"{entry['program']}.sm_90.{build}"
                yield f"{entry['name']}.{build}", file, entry["arguments"]


def run(heddle, program, arguments, options):
    """The launches, each as it is told but for the order; and the program's status."""
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "record.json"
        done = subprocess.run(
            [heddle, "run", "--quiet", "--no-progress", "--per-pc", "--threads", "1",
             "--record", record, *options, "--", program, *arguments],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told = json.loads(record.read_text()) if record.exists() else {"launches": []}
    for launch in told["launches"]:
        launch.pop("schedule", None)
        launch.pop("seed", None)
    return told["launches"], done.returncode


def differences(usual, random):
    """Index, kernel and what differs."""
    for one, other in zip(usual, random):
        if one == other:
            continue
        keys = [key for key in one.keys() | other.keys() if one.get(key) != other.get(key)]
        if "metrics" in keys:
            names = one["metrics"].keys() | other["metrics"].keys()
            keys += [name for name in sorted(names)
                     if one["metrics"].get(name) != other["metrics"].get(name)][:3]
        yield one, other, keys


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--suite", type=pathlib.Path, action="append")
    options.add_argument("--only", default="")
    options.add_argument("heddle", type=pathlib.Path)
    options.add_argument("programs", type=pathlib.Path)
    given = options.parse_args()
    suites = given.suite or [ROOT / "gpu" / "kernels" / name for name in SUITES]
    only = set(filter(None, given.only.split(",")))
    launches = determined = changed = otherwise = 0
    for name, file, arguments in entries(suites):
        program = given.programs.resolve() / file
        if not program.exists() or (only and name not in only):
            continue
        usual, status = run(given.heddle.resolve(), program, arguments, [])
        launches += len(usual)
        determined += sum(launch.get("class") == "determined" for launch in usual)
        wrong = set()
        for seed in range(1, given.seeds + 1):
            random, ended = run(given.heddle.resolve(), program, arguments,
                                ["--schedule", "random", "--seed", str(seed)])
            if ended != status or len(random) != len(usual):
                print(f"{name} seed {seed}: status {status} -> {ended}, "
                      f"launches {len(usual)} -> {len(random)}", flush=True)
                otherwise += 1
            for one, other, keys in differences(usual, random):
                if one.get("class") != "determined" and other.get("class") != "determined":
                    continue
                if one["index"] not in wrong:
                    print(f"{name} launch {one['index']} {one['kernel']} races {one.get('races')} "
                          f"seed {seed}: {', '.join(keys)}", flush=True)
                wrong.add(one["index"])
        changed += len(wrong)
    print(f"{launches} launches, {determined} determined, {changed} of them changed; "
          f"{otherwise} runs ended otherwise")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
