#!/usr/bin/env python3
"""What validation/third_party_rows.py makes of records, one of the H200's among them."""
import copy
import importlib.util
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).parents[1]
SCRIPT = FOLDER / "third_party_rows.py"
MEASURED = FOLDER / "records/h200/timing/block_sorts.sm_90.O3.json.zst"
CAN_DECOMPRESS = importlib.util.find_spec("zstandard") or shutil.which("zstd")
spec = importlib.util.spec_from_file_location("third_party_rows", SCRIPT)
third_party_rows = importlib.util.module_from_spec(spec)
spec.loader.exec_module(third_party_rows)
CYCLES = third_party_rows.CYCLES


def timed_as(hardware, factor):
    """A model's record whose launches take `factor` times the median of the hardware's."""
    model = copy.deepcopy(hardware)
    for launch in model["launches"]:
        launch["metrics"] = {CYCLES: factor * statistics.median(launch.pop("timing")[CYCLES])}
        launch["time_bound"] = "barriers"
    return model


def launch(index, kernel, **what):
    return {"index": index, "kernel": kernel, **what}


class Rows(unittest.TestCase):
    @unittest.skipUnless(CAN_DECOMPRESS, "neither zstandard nor zstd is here")
    def test_of_a_committed_record_are_one_for_each_kernel(self):
        hardware = third_party_rows.heddle.read(MEASURED)
        medians = {}
        for each in hardware["launches"]:
            medians.setdefault(each["kernel"], []).append(statistics.median(each["timing"][CYCLES]))
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model.json"
            model.write_text(json.dumps(timed_as(hardware, 1.1)))
            printed = subprocess.run([sys.executable, "-B", SCRIPT, "sorts", model, MEASURED],
                                     check=True, capture_output=True, text=True).stdout
        self.assertEqual(json.loads(printed),
                         [{"entry": "sorts", "time_bound": "barriers",
                           "cycles": round(statistics.fmean(of)), "error": 0.1}
                          for of in medians.values()])

    def test_take_the_median_of_repetitions_and_the_mean_of_launches(self):
        model = {"launches": [launch(i, "k", metrics={CYCLES: 110}, time_bound="fetch")
                              for i in (0, 1)]}
        hardware = {"launches": [launch(0, "k", timing={CYCLES: [100, 90, 500]}),
                                 launch(1, "k", timing={CYCLES: [200]})]}
        self.assertEqual(third_party_rows.rows("p", model, hardware),
                         [{"entry": "p", "time_bound": "fetch", "cycles": 150, "error": -0.175}])

    def test_are_of_launches_that_both_have(self):
        model = {"launches": [launch(0, "k", metrics={CYCLES: 1}), launch(1, "k", metrics={}),
                              launch(2, "other", metrics={CYCLES: 1})]}
        hardware = {"launches": [launch(i, "k", timing={CYCLES: [2]}) for i in (1, 2, 3)]}
        self.assertEqual(third_party_rows.rows("p", model, hardware), [])

    def test_can_bear_their_kernels_names(self):
        model = {"launches": [launch(0, "k", metrics={CYCLES: 3})]}
        hardware = {"launches": [launch(0, "k", timing={CYCLES: [2]})]}
        self.assertEqual(third_party_rows.rows("p", model, hardware, by_kernel=True),
                         [{"entry": "k", "cycles": 2, "error": 0.5}])

    def test_can_say_their_half(self):
        model = {"launches": [launch(0, "k", metrics={CYCLES: 3})]}
        hardware = {"launches": [launch(0, "k", timing={CYCLES: [2]})]}
        self.assertEqual(third_party_rows.rows("p", model, hardware, half="second"),
                         [{"entry": "p", "cycles": 2, "error": 0.5, "half": "second"}])


if __name__ == "__main__":
    unittest.main()
