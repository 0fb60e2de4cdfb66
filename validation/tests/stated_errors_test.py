#!/usr/bin/env python3
"""What validation/stated_errors.py makes of rows of known errors."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[1] / "stated_errors.py"
spec = importlib.util.spec_from_file_location("stated_errors", SCRIPT)
stated_errors = importlib.util.module_from_spec(spec)
spec.loader.exec_module(stated_errors)


def rows(kind, errors, first_half):
    """A row of a program of its own for each error, all of one half."""
    made, number = [], 0
    while len(made) < len(errors):
        row = {"entry": f"program{number}.sm_90", "kernel": "k", "time_bound": kind,
               "error": errors[len(made)]}
        number += 1
        if stated_errors.is_first_half(row) == first_half:
            made.append(row)
    return made


def printed(*files):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, content in enumerate(files):
            paths.append(f"{folder}/{i}.json")
            pathlib.Path(paths[-1]).write_text(json.dumps(content))
        return subprocess.run([sys.executable, "-B", SCRIPT, *paths, "--date", "2026-01-02"],
                              check=True, capture_output=True, text=True).stdout


class Halves(unittest.TestCase):
    def test_all_kernels_and_builds_of_a_program_are_in_one(self):
        for number in range(20):
            halves = {stated_errors.is_first_half({"entry": f"p{number}{build}", "kernel": kernel})
                      for build in ("", ".sm_90", ".O3") for kernel in "ab"}
            self.assertEqual(len(halves), 1)

    def test_are_both_drawn(self):
        first = sum(stated_errors.is_first_half({"entry": f"p{i}"}) for i in range(400))
        self.assertTrue(150 < first < 250, first)

    def test_are_those_that_rows_say(self):
        for number in range(20):
            row = {"entry": f"p{number}"}
            self.assertTrue(stated_errors.is_first_half({**row, "half": "first"}))
            self.assertFalse(stated_errors.is_first_half({**row, "half": "second"}))


class Bounds(unittest.TestCase):
    def test_nine_of_ten_further_rows_will_be_within(self):
        self.assertEqual(stated_errors.bound([i / 100 for i in range(20, 0, -1)]), 0.19)
        self.assertEqual(stated_errors.bound([0.03] * 8 + [0.5]), 0.5)

    def test_are_of_errors_of_either_sign_and_rounded_up(self):
        table = stated_errors.bounds(rows("memory", [-0.111] * 5 + [0.02] * 5, True))
        self.assertEqual(table["memory"], (12, 10, True))

    def test_kinds_of_few_rows_get_what_all_have(self):
        table = stated_errors.bounds(rows("memory", [0.1] * 19, True) + rows("fetch", [0.4], True))
        self.assertEqual(table["memory"], (10, 19, True))
        self.assertEqual(table["fetch"], (10, 20, False))


class Output(unittest.TestCase):
    def test_the_second_half_changes_nothing_but_its_share(self):
        first = rows("memory", [0.05] * 10, True)
        within, beyond = rows("memory", [0.04] * 6, False), rows("memory", [0.06] * 2, False)
        text = printed(first, within + beyond)
        self.assertIn('memory = { value = 5, unit = "%", source = "measured: nine of ten of 10 '
                      'rows: validation/stated_errors.py (2026-01-02)" }\n', text)
        self.assertIn("of the first half 10 of 10 rows are within; of the second, which nothing "
                      "was taken from, 6 of 8\n#   memory: 6 of 8\n", text)

    def test_rows_without_a_kind_are_left_out(self):
        untimed = [{"entry": "program0", "kernel": "k"}]
        self.assertEqual(printed(rows("fetch", [0.2] * 9, True), untimed),
                         printed(rows("fetch", [0.2] * 9, True)))


if __name__ == "__main__":
    unittest.main()
