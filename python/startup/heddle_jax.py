"""Lets JAX find the simulated GPU where the machine has none.

`heddle run` puts this folder into PYTHONPATH. JAX calls `initialize` of what the group jax_plugins
names before it looks for devices. It takes a machine for one with a GPU by the driver's device
files, whose list is JAX's own: where a version has no such list, nothing is changed.
"""
import os


def initialize():
    from jax._src import hardware_utils

    places = getattr(hardware_utils, "_NVIDIA_GPU_DEVICES", None)
    if isinstance(places, list):
        places.append(os.devnull)
