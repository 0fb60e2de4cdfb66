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

# What JAX does with them, and where it then looks for a GPU.
STARTS_PLUGINS = """
import importlib
import importlib.metadata
import os
from jax._src import hardware_utils
for each in importlib.metadata.entry_points(group="jax_plugins"):
    importlib.import_module(each.value).initialize()
print([os.path.exists(place) for place in getattr(hardware_utils, LIST, [])])
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


@unittest.skipUnless(os.environ.get("HEDDLE"), "HEDDLE names no command")
@unittest.skipIf(sys.version_info < (3, 10), "entry_points takes no group")
class Jax(unittest.TestCase):
    def places(self, name, *words):
        """Whether each device file of a list of that name is there."""
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "jax" / "_src"
            package.mkdir(parents=True)
            (package.parent / "__init__.py").touch()
            (package / "__init__.py").touch()
            (package / "hardware_utils.py").write_text(f"{name} = ['/nowhere/nvidia0']")
            script = STARTS_PLUGINS.replace("LIST", repr(name))
            return subprocess.run([*words, sys.executable, "-c", script], check=True, text=True,
                                  stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": folder}).stdout

    def test_finds_a_gpu(self):
        under_heddle = (os.environ["HEDDLE"], "run", "--quiet", "--")
        self.assertEqual(self.places("_NVIDIA_GPU_DEVICES"), "[False]\n")
        self.assertEqual(self.places("_NVIDIA_GPU_DEVICES", *under_heddle), "[False, True]\n")
        self.assertEqual(self.places("_ANOTHER_LIST", *under_heddle), "[False]\n")


if __name__ == "__main__":
    unittest.main()
