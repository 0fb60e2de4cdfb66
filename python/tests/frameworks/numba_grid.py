"""A cooperative launch: every thread reads what one of another block wrote before grid.sync()."""

import numpy as np
from numba import cuda

ROWS, BLOCKS, THREADS = 8, 3, 96


@cuda.jit
def reflect(values):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    for row in range(1, values.shape[0]):
        values[row, i] = values[row - 1, values.shape[1] - i - 1] + 1
        grid.sync()


@cuda.jit
def one_block_ends_early(values):
    if cuda.blockIdx.x > 0:
        cuda.cg.this_grid().sync()
        values[cuda.blockIdx.x] = 1


values = np.zeros((ROWS, BLOCKS * THREADS), np.int32)
reflect[BLOCKS, THREADS](values)
assert (values == np.arange(ROWS)[:, None]).all()
print("right: rows")

try:
    one_block_ends_early[BLOCKS, THREADS](np.zeros(BLOCKS, np.int32))
    cuda.synchronize()
except cuda.cudadrv.driver.CudaAPIError as error:
    print("ended:", int(error.code))
