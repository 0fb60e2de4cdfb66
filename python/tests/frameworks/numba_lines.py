"""A kernel whose source lines test_frameworks.py looks up."""

import numpy as np
from numba import cuda


@cuda.jit(lineinfo=True)
def diverge(values):
    i = cuda.threadIdx.x
    if i % 2 == 0:
        values[i] = values[i] * 3  # even
    else:
        values[i] = values[i] + 5  # odd


values = np.arange(32, dtype=np.float32)
diverge[1, 32](values)
assert (values[::2] == np.arange(0, 32, 2) * 3).all() and (values[1::2] == np.arange(1, 32, 2) + 5).all()
