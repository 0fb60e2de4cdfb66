#!/usr/bin/env python3
"""What memory around allocations kernels reach: an H200 and Heddle, side by side.

  around_table.py AROUND LIBCUDART [--check | --update]

AROUND is around.cu, built by nvcc -cudart shared; LIBCUDART is the stand-in's libcudart. The table of
docs/experiments/allocations.md holds what an H200 answered; the columns "here" are filled with what AROUND
prints now, and the table is printed. --check: exit status 1 where the page says otherwise. --update: write it.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[4] / "docs" / "experiments" / "allocations.md"
BEGIN, END = "<!-- around: begin -->\n", "<!-- around: end -->\n"
KINDS = {"cudaMalloc": "malloc", "cudaMallocAsync": "async", "__device__": "global",
         "cudaMallocManaged": "managed", "cudaMallocHost": "pinned"}
# Of the places that are asked, in order, the last one that was reached.
BEHIND = {"frame-4": "frame", "frame": "frame, some more", "frame+64K": "frame, some more",
          "frame+2M-4": "frame, 2 MiB more", "frame+2M": "frame, 2 to 4 MiB more",
          "frame+4M": "frame, 4 to 30 MiB more", "frame+30M": "frame, 30 to 32 MiB more",
          "frame+32M": "frame, 32 to 64 MiB more", "frame+64M": "64 MiB or more", "+1024": "its page"}
BEFORE = {"frame-4": "some", "frame-2M": "2 MiB", "frame-2M-4": "2 to 30 MiB", "frame-30M": "30 to 32 MiB",
          "frame-32M-4": "32 MiB or more"}


def answers(program, library):
    """The places of each case that were reached, in order: (kind, bytes, state, after) -> names."""
    environment = dict(os.environ, LD_PRELOAD=str(library))
    printed = subprocess.run([program, "150", "2"], env=environment, capture_output=True, text=True, check=True)
    cases = {}
    for line in printed.stdout.splitlines():
        kind, size, state, rest = line.split(" ", 3)
        where, _, told = rest.partition(":")
        places = told.partition(":")[2]
        cases[kind, int(size), state, where.split()[0]] = re.findall(r"(\S+) ok,", places)
    return cases


def bytes_of(text):
    """2 MiB + 4 -> 2097156"""
    total = 0
    for sign, number, unit in re.findall(r"([+-]?) ?(\d+)( KiB| MiB)?", text):
        value = int(number) << {"": 0, " KiB": 10, " MiB": 20}[unit]
        total += -value if sign == "-" else value
    return total


def told(reached, column):
    if column.startswith("freed"):
        return "all" if "last" in reached else "none"
    if not reached:
        return "nothing"
    return (BEHIND if column == "behind" else BEFORE).get(reached[-1], "nothing")


def fill(row, cases):
    """One row of the table, with what is reached here."""
    name, size = re.match(r"`(\w+)` (.*)", row[0]).groups()
    key = KINDS[name], bytes_of(size)
    states = {"before": ("fresh", "before"), "behind": ("fresh", "after"), "freed": ("freed", "after"),
              "freed beside": ("freed+neighbour", "after")}
    filled = [row[0]]
    for i, (column, (state, where)) in enumerate(states.items()):
        hardware = row[1 + 2 * i]
        case = cases.get((*key, state, where))
        if hardware and case is None:
            sys.exit(f"the program did not answer {key} {state} {where}")
        filled += [hardware, told(case, column) if hardware else ""]
    return filled


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("around")
    parser.add_argument("libcudart")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    page = PAGE.read_text()
    before, _, rest = page.partition(BEGIN)
    table, _, after = rest.partition(END)
    lines = table.splitlines()
    cases = answers(arguments.around, arguments.libcudart)
    for i, line in enumerate(lines[2:], start=2):
        row = [cell.strip() for cell in line.strip("|").split("|")]
        lines[i] = "| " + " | ".join(fill(row, cases)) + " |"
    made = "\n".join(lines) + "\n"
    print(made, end="")
    if arguments.update:
        PAGE.write_text(before + BEGIN + made + END + after)
    if arguments.check and made != table:
        sys.exit(f"{PAGE.name} says otherwise")


if __name__ == "__main__":
    main()
