"""What programs use of Numba. Each part prints its name once its results were right."""

import math

import numpy as np
from numba import cuda, int32, vectorize
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

GENERATOR = np.random.default_rng(1)
FACTORS = np.arange(32, dtype=np.float32)


@cuda.jit
def histogram(values, counts):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(counts, values[i], 1)


@cuda.jit
def largest(values, result):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.max(result, 0, values[i])


def atomics():
    values = GENERATOR.integers(0, 16, 1000).astype(np.int32)
    counts = np.zeros(16, np.int32)
    histogram[8, 128](values, counts)
    assert (counts == np.bincount(values, minlength=16)).all()
    doubles, result = GENERATOR.random(1000), np.zeros(1)
    largest[8, 128](doubles, result)
    assert result[0] == doubles.max()


@cuda.reduce
def total(a, b):
    return a + b


def reduction():
    values = np.arange(5000, dtype=np.float64)
    assert total(values) == values.sum()


@cuda.jit
def reverse(values):
    shared = cuda.shared.array(0, int32)
    i = cuda.threadIdx.x
    shared[i] = values[i]
    cuda.syncthreads()
    values[i] = shared[cuda.blockDim.x - 1 - i]


def dynamic_shared_memory():
    values = np.arange(64, dtype=np.int32)
    on_device = cuda.to_device(values)
    reverse[1, 64, 0, values.nbytes](on_device)
    assert (on_device.copy_to_host() == values[::-1]).all()


@cuda.jit
def add_neighbour(values):
    i = cuda.threadIdx.x
    value = values[i]
    values[i] = value + cuda.shfl_xor_sync(0xFFFFFFFF, value, 1)


def shuffles():
    values = np.arange(32, dtype=np.int32)
    add_neighbour[1, 32](values)
    assert (values == np.arange(32) // 2 * 4 + 1).all()


@cuda.jit
def add(a, b, result):
    i = cuda.grid(1)
    if i < result.size:
        result[i] = a[i] + b[i]


def streams():
    values = np.arange(5000, dtype=np.float64)
    results = []
    begin, end = cuda.event(), cuda.event()
    begin.record()
    for stream in [cuda.stream() for _ in range(3)]:
        with stream.auto_synchronize():
            on_device = cuda.to_device(values, stream=stream)
            result = cuda.device_array_like(values, stream=stream)
            add[40, 128, stream](on_device, on_device, result)
            results.append(result)
    end.record()
    end.synchronize()
    assert cuda.event_elapsed_time(begin, end) >= 0
    for result in results:
        assert (result.copy_to_host() == 2 * values).all()


def host_memory():
    mapped, managed = cuda.mapped_array(10), cuda.managed_array(10)
    mapped[:] = 1
    add[1, 32](mapped, mapped, managed)
    cuda.synchronize()
    assert (managed == 2).all()


@cuda.jit
def scale_sine(values):
    factors = cuda.const.array_like(FACTORS)
    i = cuda.threadIdx.x
    values[i] = factors[i] * math.sin(values[i])


def constant_memory():
    values = np.ones(32, np.float32)
    scale_sine[1, 32](values)
    assert np.allclose(values, FACTORS * np.sin(1))


@vectorize(["float32(float32, float32)"], target="cuda")
def product(a, b):
    return a * b


def universal_functions():
    assert np.allclose(product(FACTORS, FACTORS), FACTORS * FACTORS)


@cuda.jit
def draw(states, values):
    i = cuda.grid(1)
    values[i] = xoroshiro128p_uniform_float32(states, i)


def random_numbers():
    values = np.zeros(64, np.float32)
    draw[1, 64](create_xoroshiro128p_states(64, seed=1), values)
    assert 0 <= values.min() < values.max() < 1


for part in (atomics, reduction, dynamic_shared_memory, shuffles, streams, host_memory,
             constant_memory, universal_functions, random_numbers):
    part()
    print("right:", part.__name__)
