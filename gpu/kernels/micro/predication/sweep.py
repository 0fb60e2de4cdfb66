#!/usr/bin/env python3
"""What nvcc makes of a branch: the tables of validation/predication/sweep.md.

  sweep.py HEDDLE [--nvcc nvcc] [--most 12]

Compiles a kernel per kind of operation, place of the `if`, condition, front end, architecture and number of operations
(about 14,000), and prints a row per kind, place and condition; one letter for 1, 2, … operations: s select,
p predicate, b branch. Architectures and conditions that came out alike share a row.
"""
import argparse
import itertools

from kernels import (ALIKE, ALONE, AROUND, AROUND_LOOP, ARCHITECTURES, BARRIER_LOOP, CONDITIONS, ELSE, END, FRONTS,
                     KINDS, LOOP, SURROUNDINGS, WITHIN, Case)
from outcomes import compile_all

AMPLE = 5  # instructions behind the `if`


def case(front, arch, surroundings, kind, condition, length, room=AMPLE):
    then, otherwise, inner, other_condition = (kind,) * length, (), (), ""
    if surroundings == ALIKE:
        otherwise = then
    elif surroundings == ELSE:
        otherwise = ("fma" if kind == "shift" else "shift",) * length
    elif surroundings == AROUND:
        inner = ("int" if kind == "fma" else "fma",)
    if surroundings in (AROUND, WITHIN):
        other_condition = "data"
    return Case(front, arch, surroundings, condition, then, otherwise, inner, other_condition, room)


def merged(rows):
    """Rows that differ in one name alone and came out alike, as one: {(names…): outcomes}."""
    for place in range(len(next(iter(rows)))):
        groups = {}
        for names, outcomes in rows.items():
            groups.setdefault((names[:place], names[place + 1:], outcomes), []).append(names[place])
        rows = {before + (", ".join(alike),) + after: outcomes
                for (before, after, outcomes), alike in groups.items()}
    return rows


def table(title, heads, rows):
    print(f"\n## {title}\n\n| {' | '.join(heads)} | 1, 2, … operations |\n|{'---|' * (len(heads) + 1)}")
    for names, outcomes in rows.items():
        print(f"| {' | '.join(names)} | {outcomes} |")


def letters(results):
    return "".join(result[0][0] for result in results)


def sweep(keys, cases, most, compiled):
    results = compiled([each for several in cases for each in several])
    return {key: letters(results[i * most:(i + 1) * most]) for i, key in enumerate(keys)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("heddle")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--most", type=int, default=12)
    arguments = parser.parse_args()
    most = arguments.most
    lengths = range(1, most + 1)

    def compiled(cases, flags=("-O3",)):
        return compile_all(cases, arguments.nvcc, arguments.heddle, flags)

    print("# What nvcc 13.0 makes of a branch\n\n`gpu/kernels/micro/predication/sweep.py` prints this (CUDA 13.0.88): for 1, "
          "2, … operations behind an `if`,\n`s` a select, `p` instructions under a predicate, `b` a branch. `README.md` says "
          "what it shows. An operation is one\ninstruction; sine and the loads are two.")
    places = [place for place in SURROUNDINGS if place not in (END, AROUND_LOOP)]
    for front, title in zip(FRONTS, ("CUDA C", "PTX with the branch written out")):
        keys = list(itertools.product(KINDS, places, CONDITIONS, ARCHITECTURES))
        rows = sweep(keys, [[case(front, arch, place, kind, condition, n) for n in lengths]
                            for kind, place, condition, arch in keys], most, compiled)
        table(title, ("kind", "where the `if` stands", "condition", "architecture"), merged(rows))
        keys = list(itertools.product(KINDS, (END, AROUND_LOOP), CONDITIONS, ARCHITECTURES))
        rows = sweep(keys, [[case(front, arch, place, kind, condition, n) for n in lengths]
                            for kind, place, condition, arch in keys], most, compiled)
        table(f"{title}: at the kernel's end, and around a loop",
              ("kind", "where the `if` stands", "condition", "architecture"), merged(rows))
        keys = list(itertools.product((ALONE, LOOP, BARRIER_LOOP, ELSE), range(5), ("lane", "uniform"), ARCHITECTURES))
        rows = sweep(keys, [[case(front, arch, place, "load", condition, n, room) for n in lengths]
                            for place, room, condition, arch in keys], most, compiled)
        table(f"{title}: loads, and the instructions behind the `if` that need nothing of it",
              ("where the `if` stands", "instructions", "condition", "architecture"),
              merged({(place, str(room), *rest): each for (place, room, *rest), each in rows.items()}))
    keys = list(itertools.product(KINDS, places, CONDITIONS, ARCHITECTURES))
    chosen = (1, 2, 4)
    results = compiled([case("cuda", arch, place, kind, condition, n) for kind, place, condition, arch in keys
                        for n in chosen], ("-G",))
    left = sum(result[0] == "branch" for result in results)
    print(f"\n## CUDA C, debug build (-G)\n\n{len(results)} kernels with {', '.join(map(str, chosen))} operations: "
          f"a branch in {left}.")


if __name__ == "__main__":
    main()
