"""python3 -m unittest discover -s python/tests"""

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import heddle  # noqa: E402

RECORD = ROOT / "validation/records/h200/simple_divergence.sm_90.G.json.zst"
CAN_DECOMPRESS = importlib.util.find_spec("zstandard") is not None or shutil.which("zstd") is not None
INST = "smsp__sass_inst_executed.sum"

SMALL = {
    "schema": "heddle.record/1",
    "source": "model",
    "device": "NVIDIA H200",
    "launches": [
        {
            "index": 0,
            "kernel": "k",
            "grid": [2, 1, 1],
            "block": [64, 1, 1],
            "metrics": {INST: 30, "x": 4},
            "instructions": [
                {"function": "k", "pc": 0, "line": "k.cu:1", "metrics": {INST: 2}},
                {"function": "k", "pc": 16, "metrics": {INST: 2, "x": 4}},
            ],
        }
    ],
}


class Read(unittest.TestCase):
    def write(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".json", delete=False)
        with file:
            file.write(text)
        self.addCleanup(pathlib.Path(file.name).unlink)
        return file.name

    def test_gives_what_was_written(self):
        self.assertEqual(heddle.read(self.write(json.dumps(SMALL))), SMALL)

    def test_gives_launches_told_as_others_in_full(self):
        first = SMALL["launches"][0]
        told = dict(SMALL, launches=[first, {"index": 1, "as": 0}])
        read = heddle.read(self.write(json.dumps(told)))
        self.assertEqual(read["launches"], [first, {**first, "index": 1}])
        told["launches"] = [{"index": 1, "as": 0}]
        with self.assertRaises(heddle.RecordError):
            heddle.read(self.write(json.dumps(told)))

    def test_refuses_what_is_no_record(self):
        for text in ("", "[]", "{}", '{"schema": "heddle.record/2"}'):
            with self.assertRaises(heddle.RecordError):
                heddle.read(self.write(text))

    @unittest.skipUnless(CAN_DECOMPRESS, "neither zstandard nor zstd is here")
    def test_reads_compressed_records(self):
        record = heddle.read(RECORD)
        self.assertEqual(record["source"], "hardware")
        rows = heddle.launches_rows(record)
        self.assertEqual(len(rows), len(record["launches"]))
        self.assertEqual(rows[1]["kernel"], "_Z11mathKernel1Pf")
        per_pc = heddle.instructions_rows(record)
        total = sum(row[INST] for row in per_pc if row["launch"] == 1)
        self.assertEqual(total, rows[1][INST])


class Rows(unittest.TestCase):
    def test_have_a_column_per_metric(self):
        (row,) = heddle.launches_rows(SMALL)
        self.assertEqual((row["kernel"], row["grid_x"], row["block_x"], row[INST]), ("k", 2, 64, 30))

    def test_of_instructions_have_zeros_where_metrics_are_left_out(self):
        first, second = heddle.instructions_rows(SMALL)
        self.assertEqual((first["pc"], first["line"], first["x"]), (0, "k.cu:1", 0))
        self.assertEqual((second["pc"], second["line"], second["x"]), (16, None, 4))

    def test_of_two_records_join_by_launch(self):
        other = json.loads(json.dumps(SMALL))
        other["launches"][0]["metrics"] = {INST: 15, "y": 1}
        (row,) = heddle.compare_rows(SMALL, other)
        self.assertEqual((row["metric"], row["model"], row["hardware"], row["ratio"]), (INST, 30, 15, 2.0))


@unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not here")
class Frames(unittest.TestCase):
    def test_hold_the_rows(self):
        frame = heddle.instructions(SMALL)
        self.assertEqual(frame[INST].sum(), 4)
        self.assertEqual(list(frame["pc"]), [0, 16])
        self.assertEqual(heddle.launches(SMALL).loc[0, "x"], 4)
        self.assertEqual(heddle.compare(SMALL, SMALL)["ratio"].max(), 1.0)


SKETCH = """__global__ void k(float *c, int n) {
  float x = 0.0f;
  for (int i = 0; i < n; i++) x = x + 2.0f;
  c[threadIdx.x] = x;
}
k<<<1, 64>>>(zeros(4096), 8);
"""


@unittest.skipUnless(os.environ.get("HEDDLE"), "HEDDLE names no command")
class Sweep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sketch = pathlib.Path(folder.name) / "k.warp"
        self.sketch.write_text(SKETCH)

    def sweep(self, blocks, executor=None):
        return heddle.sweep_rows([self.sketch], {"--block": blocks, "n": [4, 8]}, executor=executor)

    def test_has_a_row_for_each_combination_in_order(self):
        rows = self.sweep([32, 64])
        self.assertEqual([(row["--block"], row["n"]) for row in rows], [(32, 4), (32, 8), (64, 4), (64, 8)])
        self.assertEqual([row["block_x"] for row in rows], [32, 32, 64, 64])
        self.assertLess(rows[0][INST], rows[1][INST])
        self.assertEqual(2 * rows[0][INST], rows[2][INST])

    def test_is_the_same_on_other_processes(self):
        with concurrent.futures.ProcessPoolExecutor(2) as processes:
            self.assertEqual(self.sweep([32, 64], processes), self.sweep([32, 64]))

    def test_keeps_failed_runs_as_rows(self):
        rows = self.sweep([32, 2048])
        self.assertNotIn("failed", rows[0])
        self.assertIn("1024 threads at most", rows[2]["failed"])
        self.assertEqual(len(rows), 4)

    def test_fills_places_in_words(self):
        rows = heddle.sweep_rows(["--param", "n={rounds}", self.sketch], {"rounds": [4, 8]})
        self.assertLess(rows[0][INST], rows[1][INST])


if __name__ == "__main__":
    unittest.main()
