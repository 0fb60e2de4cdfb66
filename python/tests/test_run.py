"""Programs in Python under heddle run. HEDDLE names the command; it cannot be a sanitizer build,
since Python is none."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

# What PyTorch does with entry points when it is imported.
LOADS_ENTRY_POINTS = """
import importlib.metadata
import types
backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(enabled=True))
for each in importlib.metadata.entry_points(group="torch.backends"):
    each.load()()
"""


@unittest.skipUnless(os.environ.get("HEDDLE"), "HEDDLE names no command")
@unittest.skipIf(sys.version_info < (3, 10), "entry_points takes no group")
class Torch(unittest.TestCase):
    def test_does_without_cudnn(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "torch.py").write_text(LOADS_ENTRY_POINTS)
            script = "import torch; print(torch.backends.cudnn.enabled)"
            for words, wanted in ((), "True"), ((os.environ["HEDDLE"], "run", "--quiet", "--"), "False"):
                printed = subprocess.run([*words, sys.executable, "-c", script], check=True, text=True,
                                         stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": folder}).stdout
                self.assertEqual(printed.strip(), wanted)


if __name__ == "__main__":
    unittest.main()
