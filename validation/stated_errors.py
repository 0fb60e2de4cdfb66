#!/usr/bin/env python3
"""The [cycles_error] table of a GPU model, from rows of `heddle validate --timing --json FILE`, and
of validation/records/h200/third_party_rows.json, which are of programs that are not here.

  stated_errors.py FILE… [--date DATE]

Entries are halved by a hash of their programs' names, unless a row says its half (programs that
were halved in another way before they were measured). From the rows (program and
kernel) of the first half follows, for each kind of launch, the error that nine of ten rows were
within; it is printed as the model's file has it. Below: how many rows of the second half are within
what the first half's say.
"""
import argparse
import hashlib
import json
import math

KINDS = ["start", "memory", "shared_memory", "barriers", "fetch", "arithmetic"]
LEAST_ROWS = 9  # of a kind of which a ninth tenth can be told


def is_first_half(row):
    if "half" in row:
        return row["half"] == "first"
    program = row["entry"].split(".")[0]
    return hashlib.sha256(program.encode()).digest()[0] % 2 == 0


def bound(errors):
    """The least that nine tenths of such rows will be within: the next may lie between any two."""
    errors = sorted(errors)
    return errors[min(math.ceil(0.9 * (len(errors) + 1)), len(errors)) - 1]


def bounds(rows):
    """For each kind: percent, and of how many rows. Kinds of few rows get what all rows have."""
    table = {}
    for kind in KINDS:
        of_kind = [row for row in rows if row["time_bound"] == kind]
        known = of_kind if len(of_kind) >= LEAST_ROWS else rows
        table[kind] = (max(1, math.ceil(100 * bound([abs(row["error"]) for row in known]))),
                       len(known), known is of_kind)
    return table


def share_within(rows, table):
    return sum(100 * abs(row["error"]) <= table[row["time_bound"]][0] for row in rows)


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("files", nargs="+")
    options.add_argument("--date", default="")
    options = options.parse_args()
    rows = [row for file in options.files for row in json.load(open(file)) if "time_bound" in row]
    first = [row for row in rows if is_first_half(row)]
    second = [row for row in rows if not is_first_half(row)]
    table = bounds(first)
    print("[cycles_error]")
    for kind, (percent, count, own) in table.items():
        of = f"{count} rows" if own else f"all {count} rows, for want of rows of its own"
        print(f'{kind} = {{ value = {percent}, unit = "%", source = "measured: nine of ten of {of}: '
              f'validation/stated_errors.py ({options.date})" }}')
    print(f"# of the first half {share_within(first, table)} of {len(first)} rows are within; "
          f"of the second, which nothing was taken from, {share_within(second, table)} of {len(second)}")
    for kind in KINDS:
        of_kind = [row for row in second if row["time_bound"] == kind]
        if of_kind:
            print(f"#   {kind}: {share_within(of_kind, table)} of {len(of_kind)}")


if __name__ == "__main__":
    main()
