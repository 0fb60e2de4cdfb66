"""What programs use of CuPy's own kernels. Each part prints its name once its results were right."""

import cupy
import numpy as np

HOST = np.random.default_rng(0).random((20, 50), dtype=np.float32)
DEVICE = cupy.asarray(HOST)


def elementwise():
    result = cupy.sin(DEVICE) * 2 + cupy.sqrt(DEVICE)
    assert np.allclose(result.get(), np.sin(HOST) * 2 + np.sqrt(HOST), rtol=1e-5)
    square = cupy.ElementwiseKernel("T x, T y", "T z", "z = x * x + y", "square")
    assert np.allclose(square(DEVICE, DEVICE).get(), HOST * HOST + HOST)


def reduction():
    assert np.allclose(DEVICE.sum(axis=0).get(), HOST.sum(axis=0))
    assert DEVICE.argmax() == HOST.argmax()
    squares = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
    assert np.allclose(squares(DEVICE).get(), (HOST * HOST).sum())


def raw_kernels():
    scale = cupy.RawKernel(
        r"""extern "C" __global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }""", "scale")
    values = cupy.ones(32, cupy.float32)
    scale((1,), (32,), (values, np.float32(3)))
    assert (values.get() == 3).all()
    module = cupy.RawModule(
        code="template <class T> __global__ void shift(T* x, T by) { x[threadIdx.x] += by; }",
        name_expressions=["shift<double>"])
    values = cupy.zeros(32)
    module.get_function("shift<double>")((1,), (32,), (values, 2.5))
    assert (values.get() == 2.5).all()


def sorting():
    assert (cupy.sort(DEVICE.ravel()).get() == np.sort(HOST.ravel())).all()
    assert (cupy.argsort(DEVICE.ravel()).get() == np.argsort(HOST.ravel())).all()


def memory_pool():
    pool = cupy.get_default_memory_pool()
    before = pool.used_bytes()
    values = cupy.empty(1000, cupy.float32)
    assert pool.used_bytes() == before + 4096
    del values
    assert pool.used_bytes() == before
    with cupy.cuda.using_allocator(cupy.cuda.MemoryAsyncPool().malloc):
        assert (cupy.ones(10) + 1 == 2).all()


def streams():
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        values = cupy.arange(100, dtype=cupy.float32) * 2
        done = stream.record()
    done.synchronize()
    assert (values.get() == np.arange(100) * 2).all()


for part in (elementwise, reduction, raw_kernels, sorting, memory_pool, streams):
    part()
    print("right:", part.__name__)
