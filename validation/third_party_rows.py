#!/usr/bin/env python3
"""Rows for validation/stated_errors.py, from records of programs that are not in the repository.

  third_party_rows.py [--by-kernel] [--half HALF] NAME MODEL HARDWARE [NAME MODEL HARDWARE]…

MODEL: what `heddle run --gpu h200 --record FILE` made of the program NAME. HARDWARE: what
`gpu/cupti/measure.sh -m timing` made of it on the GPU. Prints one row for each kernel of which both
have launches, as `heddle validate --timing --json` counts them: `cycles` are the mean of the
hardware's launches, of each the median of its repetitions, and `error` the mean of the launches'.
--by-kernel: a row bears its kernel's name, by which stated_errors.py then halves: for a program of
many parts. --half first or second: rows say that they are of that half, where programs were halved
otherwise.
"""
import argparse
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import heddle  # noqa: E402

CYCLES = "sm__cycles_active.max"


def pairs(model, hardware):
    """The model's launch, its cycles and the hardware's, for each launch that both have timed."""
    ours = {(launch["index"], launch["kernel"]): launch for launch in model["launches"]}
    for launch in hardware["launches"]:
        found = ours.get((launch["index"], launch["kernel"]))
        times = launch.get("timing", {}).get(CYCLES)
        if found and times and CYCLES in found.get("metrics", {}):
            yield found, found["metrics"][CYCLES], statistics.median(times)


def rows(name, model, hardware, by_kernel=False, half=None):
    kernels = {}
    for launch, cycles, truth in pairs(model, hardware):
        if truth:
            kernels.setdefault(launch["kernel"], []).append((launch, cycles, truth))
    made = []
    for kernel, launches in kernels.items():
        row = {"entry": kernel if by_kernel else name}
        if launches[0][0].get("time_bound"):
            row["time_bound"] = launches[0][0]["time_bound"]
        row["cycles"] = round(statistics.fmean(truth for _, _, truth in launches))
        errors = [(ours - truth) / truth for _, ours, truth in launches]
        row["error"] = round(statistics.fmean(errors), 4)
        if half:
            row["half"] = half
        made.append(row)
    return made


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("--by-kernel", action="store_true")
    options.add_argument("--half", choices=["first", "second"])
    options.add_argument("words", nargs="+")
    options = options.parse_args()
    if len(options.words) % 3:
        sys.exit("give a name and two records for each program")
    made = []
    for name, model, hardware in zip(*[iter(options.words)] * 3):
        made += rows(name, heddle.read(model), heddle.read(hardware), options.by_kernel,
                     options.half)
    print("[\n" + ",\n".join(json.dumps(row) for row in made) + "\n]")


if __name__ == "__main__":
    main()
