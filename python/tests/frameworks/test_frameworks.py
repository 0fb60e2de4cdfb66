"""Numba and CuPy under `heddle run`: python test_frameworks.py, with HEDDLE naming the command.

Run by the Python that has the packages of requirements.txt (scripts/setup_python.sh).
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
INST = "smsp__sass_inst_executed.sum"


class Frameworks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, program, *options):
        """What it printed, and its record. Fails unless it ended well."""
        record = self.folder / "record.json"
        done = subprocess.run(
            [os.path.abspath(os.environ["HEDDLE"]), "run", "--record", record, *options, "--", sys.executable,
             *(program if isinstance(program, list) else [program])],
            capture_output=True, text=True, cwd=self.folder,
            env={**os.environ, "CUPY_ACCELERATORS": "", "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0"})
        self.assertEqual(done.returncode, 0, f"{program}:\n{done.stdout}\n{done.stderr}")
        return done.stdout, json.loads(record.read_text())

    def run_seed(self, name, *changes):
        """A program of the seed with other sizes: simulated, its own would take hours."""
        text = (HERE / f"seed_{name}.py").read_text(encoding="utf-8")
        for old, new in changes:
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        program = self.folder / f"{name}.py"
        program.write_text(text, encoding="utf-8")
        return self.run_program(program)

    def test_seed_grid_stride_loop_prints_every_number(self):
        output, record = self.run_seed("grid_stride")
        self.assertEqual(sorted(int(line) for line in output.split()), list(range(32)))
        self.assertEqual(record["launches"][0]["grid"], [2, 1, 1])

    def test_seed_streams_launch_once_and_then_five_times(self):
        output, record = self.run_seed("streams", ("n = 20000000", "n = 100000"))
        self.assertIn("gpu streams vector add time", output)
        self.assertEqual([launch["grid"][0] for launch in record["launches"]], [98] + [20] * 5)

    # NumPy no longer has np.float.
    SIZES = (("M = 6000", "M = 48"), ("N = 4800", "N = 64"), ("P = 4000", "P = 32"))

    def test_seed_matrix_product_is_right(self):
        output, _ = self.run_seed("matmul", *self.SIZES, ("np.float)", "float)"))
        self.assertIn("gpu result correct", output)

    def test_seed_shared_memory_loads_less_from_global_memory(self):
        _, record = self.run_seed("matmul_shared", *self.SIZES)
        sectors = [launch["metrics"]["smsp__sass_sectors_mem_global.sum"]
                   for launch in record["launches"]]
        self.assertEqual(len(sectors), 2)
        self.assertLess(sectors[1] * 4, sectors[0])

    def test_numba_features(self):
        output, record = self.run_program(HERE / "numba_features.py")
        self.assertEqual(output.count("right:"), 9, output)
        self.assertFalse([launch for launch in record["launches"] if launch.get("fault")])

    def test_numba_grid_barrier_is_counted_once_a_warp(self):
        """However often the blocks ask whether the others have come."""
        output, record = self.run_program(HERE / "numba_grid.py", "--per-pc", "--ignore-faults")
        self.assertEqual(output, "right: rows\nended: 702\n")
        whole, alone = record["launches"]
        self.assertIn("cudaCGSynchronize", json.dumps(alone["fault"]))
        calls = [each["metrics"][INST] for each in whole["instructions"]
                 if each["function"] == "cudaCGSynchronize" and each["text"].startswith("CALL")]
        warps, synchronizations = 9, 7
        self.assertEqual(calls, [warps * synchronizations])

    def test_numba_source_lines_are_python_lines(self):
        program = HERE / "numba_lines.py"
        _, record = self.run_program(program, "--per-pc")
        lines = program.read_text().splitlines()
        seen = {each["line"].rpartition(":")[2] for each in record["launches"][0]["instructions"]
                if pathlib.Path(each.get("line", "")).name.startswith("numba_lines.py:")}
        for comment in ("# even", "# odd"):
            wanted = [str(i + 1) for i, line in enumerate(lines) if line.endswith(comment)]
            self.assertTrue(set(wanted) <= seen, f"{wanted} of {sorted(seen)}")

    def test_the_module_runs_a_kernel_call(self):
        program = self.folder / "call.py"
        program.write_text("""
import sys
import numpy as np
from numba import cuda
import heddle

@cuda.jit
def double(values):
    values[cuda.threadIdx.x] *= 2

def call(threads, value):
    values = np.full(threads, value)
    double[1, threads](values)
    assert (values == 2 * value).all()

if __name__ == "__main__":
    record = heddle.run(call, 32, value=3, options=["--gpu", "a100"])
    frame = heddle.launches(record)
    print(record["device"], len(frame), frame["block_x"][0])
    try:
        heddle.run(call, 0, value=3)
    except heddle.RunError as error:
        print("refused")
""")
        done = subprocess.run([sys.executable, program], capture_output=True, text=True,
                              env={**os.environ, "HEDDLE": os.path.abspath(os.environ["HEDDLE"]),
                                   "PYTHONPATH": str(HERE.parents[1])})
        self.assertEqual(done.stdout, "NVIDIA A100-SXM4-40GB 1 32\nrefused\n", done.stderr)

    def test_pip_installs_the_module(self):
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
                        "--no-build-isolation", "--disable-pip-version-check", "--target",
                        self.folder, self.copy_of_the_module()], check=True, capture_output=True)
        self.assertTrue((self.folder / "heddle.py").exists())

    def test_the_driver_lies_where_triton_looks_for_it(self):
        """It links with libcuda.so.1, which it takes from LD_LIBRARY_PATH."""
        program = self.folder / "search.py"
        program.write_text("""
import os
folders = os.environ["LD_LIBRARY_PATH"].split(":")
print([sum(os.path.exists(os.path.join(each, name)) for each in folders)
       for name in ("libcuda.so.1", "libcublas.so.13")])
""")
        output, _ = self.run_program(program)
        self.assertEqual(output, "[1, 1]\n")

    def copy_of_the_module(self):
        """Building leaves files beside the sources."""
        copy = self.folder / "source"
        copy.mkdir()
        for name in ("heddle.py", "pyproject.toml"):
            (copy / name).write_bytes((HERE.parents[1] / name).read_bytes())
        return copy

    def test_cublas_routines(self):
        output, record = self.run_program(HERE / "cublas_routines.py")
        self.assertIn("right: 224 routines", output)
        call = next(each for each in record["library_calls"] if each["name"] == "cublasSaxpy_v2")
        self.assertEqual((call["type"], call["shape"], call["computed"]),
                         ("float32", "n=5", "on the host"))

    def test_cublaslt_products(self):
        output, record = self.run_program(HERE / "cublaslt_matmul.py")
        self.assertIn("right: 123 products", output)
        batch = [each for each in record["library_calls"] if each["shape"].endswith("batch=3")]
        self.assertEqual({(each["name"], each["computed"]) for each in batch},
                         {("cublasLtMatmul", "on the host")})

    def test_cusolver_routines_with_types_as_arguments(self):
        output, record = self.run_program(HERE / "cusolver_generic.py")
        self.assertEqual(output.count("right:"), 7, output)
        self.assertIn("cusolverDnXpotrf", {each["name"] for each in record["library_calls"]})

    def test_cusolver_for_sparse_matrices(self):
        output, record = self.run_program(HERE / "cusolver_sparse.py")
        self.assertRegex(output, r"right: \d+ routines")
        for name in ("cusolverSpDcsrlsvqr", "cusolverSpXcsrsymamdHost", "cusolverRfSolve"):
            self.assertIn(name, {each["name"] for each in record["library_calls"]})

    def test_results_of_libraries_are_kept_and_compared(self):
        errors = HERE / "library_errors.py"
        output, _ = self.run_program([errors, "--keep", "kept.npz", "cusolver_generic"])
        self.assertIn("kept 118 results", output)
        with np.load(self.folder / "kept.npz") as kept:
            other = {key: value * 1.25 if "Xpotrs" in key else value for key, value in kept.items()}
        np.savez(self.folder / "other.npz", **other)
        rows = subprocess.check_output([sys.executable, errors, "kept.npz", "other.npz"], text=True, cwd=self.folder)
        self.assertIn("cusolverDnXpotrs,double,2,2.0e-01\n", rows)
        self.assertIn("cusolverDnXpotrf,double,2,0.0e+00\n", rows)

    def test_cusparse_routines(self):
        output, record = self.run_program(HERE / "cusparse_routines.py")
        self.assertEqual(output.count("right:"), 11, output)
        for name in ("cusparseSpVV", "cusparseSpSV_solve", "cusparseScatter", "cusparseZgtsv2", "cusparseCbsric02"):
            self.assertIn(name, {each["name"] for each in record["library_calls"]})

    def test_curand_generators_give_what_nvidias_library_gave(self):
        output, record = self.run_program(HERE / "curand_generators.py")
        for create in ("CreateGenerator", "CreateGeneratorHost"):  # 15 are MTGP32's, which needs a header
            self.assertRegex(output, f"right: (92|107) sequences by {create}\n")
        first = record["library_calls"][0]
        self.assertEqual((first["name"], first["shape"], first["type"], first["computed"]),
                         ("curandGenerate", "n=1000", "XORWOW", "on the host"))

    def test_cufft_for_two_gpus(self):
        output, record = self.run_program(HERE / "cufft_gpus.py", "--gpus", "2")
        self.assertEqual(output, "right: descriptors\nright: cupy.fft\n")
        self.assertIn(("cufftXtExecDescriptorZ2Z", "nx=5 ny=7 nz=6 batch=1", "complex128"),
                      {(each["name"], each["shape"], each["type"]) for each in record["library_calls"]})

    def test_cupy_libraries(self):
        output, record = self.run_program(HERE / "cupy_libraries.py")
        self.assertEqual(output.count("right:"), 7, output)
        for name in ("cusparseSpGEMM_compute", "cusparseZcsrgeam2", "cusparseSpSM_solve", "cusparseXcoosortByColumn"):
            self.assertIn(name, {each["name"] for each in record["library_calls"]})
        libraries = {each["name"][:6] for each in record["library_calls"]}
        self.assertEqual(libraries, {"cublas", "cusolv", "cufftE", "cuspar", "cufftX", "curand"} & libraries)
        self.assertGreaterEqual(len(libraries), 5)

    def test_cupy_features(self):
        output, record = self.run_program(HERE / "cupy_features.py")
        self.assertEqual(output.count("right:"), 6, output)
        self.assertFalse([launch for launch in record["launches"] if launch.get("fault")])
        scale, = [each for each in record["launches"] if each["kernel"] == "scale"]
        self.assertEqual(scale["metrics"]["smsp__sass_thread_inst_executed.sum"],
                         32 * scale["metrics"][INST])


if __name__ == "__main__":
    unittest.main()
