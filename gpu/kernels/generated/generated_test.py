"""Programs drawn at random: the same ones for the same numbers, and on the model the same output from every build.

HEDDLE names the command; without it, or without nvcc, nothing is compiled.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


def generate(script, folder):
    """The program that SCRIPT 5 1 makes in the folder."""
    subprocess.run([sys.executable, "-B", HERE / script, "5", "1", folder], check=True)
    return next(Path(folder).glob("*_5_0/*.cu"))


class Generators(unittest.TestCase):
    def test_numbers_say_which_program(self):
        for script in ["generate.py", "generate_wide.py"]:
            with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
                self.assertEqual(generate(script, one).read_text(), generate(script, other).read_text(), script)

    @unittest.skipUnless("HEDDLE" in os.environ and shutil.which("nvcc"), "needs HEDDLE and nvcc")
    def test_every_build_prints_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(HERE.parent / "common", Path(folder) / "common")
            program = generate("generate_wide.py", folder)
            subprocess.run([HERE / "compare_builds.py", "--builds", "O3,G", os.environ["HEDDLE"], program], check=True)


if __name__ == "__main__":
    unittest.main()
