"""cublasLtMatmul in its types, orders, batches and epilogues, beside plain sums by NumPy.

Bounds: 8 k eps of the type, times the largest number of the result.
"""

import ctypes
import itertools
import math

import cupy
import numpy as np

LT = ctypes.CDLL("libcublasLt.so.13")
HANDLE = ctypes.c_void_p()
assert LT.cublasLtCreate(ctypes.byref(HANDLE)) == 0
RANDOM = np.random.default_rng(11)
M, N, K = 6, 5, 7
F32, F64, F16, I8, C64, C128, I32, BF16 = 0, 1, 2, 3, 4, 5, 10, 14
NUMPY = {F32: np.float32, F64: np.float64, F16: np.float16, I8: np.int8, C64: np.complex64,
         C128: np.complex128, I32: np.int32}
COMPUTE_16F, COMPUTE_32F, COMPUTE_64F, COMPUTE_32I, COMPUTE_TF32 = 64, 68, 70, 72, 77
# Attributes of products.
POINTER_MODE, TRANSA, TRANSB, EPILOGUE, BIAS, AUX, AUX_LD = 2, 3, 4, 7, 8, 11, 12
# Attributes of layouts.
ORDER, BATCH_COUNT, BATCH_STEP = 1, 5, 6
COLUMNS, ROWS = 0, 1
NOT_SUPPORTED = 15
checked = []


def made(name, *arguments):
    thing = ctypes.c_void_p()
    status = getattr(LT, f"cublasLt{name}Create")(ctypes.byref(thing), *arguments)
    assert status == 0, f"{name}: {status}"
    return thing


def set_attribute(name, thing, number, kind, value):
    value = kind(value)
    status = getattr(LT, f"cublasLt{name}SetAttribute")(
        thing, number, ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value)))
    assert status == 0, f"{name}, attribute {number}: {status}"


def layout(kind, rows, columns, order=COLUMNS, batch=1):
    result = made("MatrixLayout", kind, ctypes.c_uint64(rows), ctypes.c_uint64(columns),
                  ctypes.c_int64(columns if order == ROWS else rows))
    set_attribute("MatrixLayout", result, ORDER, ctypes.c_int32, order)
    set_attribute("MatrixLayout", result, BATCH_COUNT, ctypes.c_int32, batch)
    set_attribute("MatrixLayout", result, BATCH_STEP, ctypes.c_int64, rows * columns)
    return result


def draw(kind, *shape):
    if kind == I8:
        return RANDOM.integers(-8, 8, shape).astype(np.int8)
    values = RANDOM.random(shape) - 0.5
    if kind in (C64, C128):
        values = values + 1j * (RANDOM.random(shape) - 0.5)
    return values.astype(np.float32) if kind == BF16 else values.astype(NUMPY[kind])


def bfloat16_bits(values):
    """Rounded to the nearest, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def widened(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def put(kind, matrices, order=COLUMNS):
    """A batch of matrices on the device, in an order, and what they are after rounding."""
    stored = matrices if order == ROWS else matrices.swapaxes(1, 2)
    stored = np.ascontiguousarray(stored)
    if kind == BF16:
        stored = bfloat16_bits(stored)
    return cupy.asarray(stored.ravel())


def get(kind, memory, shape, order=COLUMNS):
    values = memory.get()
    values = widened(values) if kind == BF16 else values
    batch, rows, columns = shape
    if order == ROWS:
        return values.reshape(shape)
    return values.reshape(batch, columns, rows).swapaxes(1, 2)


def rounded(kind, values):
    return widened(bfloat16_bits(values)) if kind == BF16 else values


def pointer(memory):
    return ctypes.c_void_p(memory.data.ptr)


class Matmul:
    """One product; `result` is D."""

    def __init__(self, kind, out, compute, scale, *, op_a=0, op_b=0, orders=(0, 0, 0), batch=1,
                 alpha=1, beta=0, on_device=False, attributes=(), a=None, b=None):
        self.a = draw(kind, batch, *((M, K) if op_a == 0 else (K, M))) if a is None else a
        self.b = draw(kind, batch, *((K, N) if op_b == 0 else (N, K))) if b is None else b
        self.c = draw(out, batch, M, N)
        self.a, self.b, self.c = rounded(kind, self.a), rounded(kind, self.b), rounded(out, self.c)
        product = made("MatmulDesc", compute, scale)
        set_attribute("MatmulDesc", product, TRANSA, ctypes.c_int32, op_a)
        set_attribute("MatmulDesc", product, TRANSB, ctypes.c_int32, op_b)
        set_attribute("MatmulDesc", product, POINTER_MODE, ctypes.c_int32, on_device)
        for number, ctype, value in attributes:
            set_attribute("MatmulDesc", product, number, ctype, value)
        layouts = [layout(kind, *self.a.shape[1:], orders[0], batch),
                   layout(kind, *self.b.shape[1:], orders[1], batch),
                   layout(out, M, N, orders[2], batch)]
        memory = [put(kind, self.a, orders[0]), put(kind, self.b, orders[1]),
                  put(out, self.c, orders[2])]
        d = cupy.empty_like(memory[2])
        scalars = [np.array([each], NUMPY[scale]) for each in (alpha, beta)]
        if on_device:
            scalars = [cupy.asarray(each) for each in scalars]
        at = [pointer(each) if on_device else each.ctypes.data_as(ctypes.c_void_p)
              for each in scalars]
        preference = made("MatmulPreference")
        answer, given = ctypes.create_string_buffer(96), ctypes.c_int()
        self.chosen = LT.cublasLtMatmulAlgoGetHeuristic(
            HANDLE, product, *layouts, layouts[2], preference, 1, answer, ctypes.byref(given))
        assert given.value == (self.chosen == 0)
        self.status = LT.cublasLtMatmul(
            HANDLE, product, at[0], pointer(memory[0]), layouts[0], pointer(memory[1]), layouts[1],
            at[1], pointer(memory[2]), layouts[2], pointer(d), layouts[2], answer, None,
            ctypes.c_size_t(0), None)
        self.result = get(out, d, (batch, M, N), orders[2]) if self.status == 0 else None
        assert LT.cublasLtMatmulDescDestroy(product) == 0

    def plain(self, op_a=0, op_b=0, alpha=1, beta=0):
        exact = np.complex128 if np.iscomplexobj(self.a) else np.float64

        def applied(op, batch):
            batch = batch.astype(exact)
            return (batch, batch.swapaxes(1, 2), batch.conj().swapaxes(1, 2))[op]

        return alpha * (applied(op_a, self.a) @ applied(op_b, self.b)) + beta * self.c


def close(what, found, wanted, eps):
    bound = 8 * K * eps * max(1, np.abs(wanted).max())
    assert np.abs(found - wanted).max() <= bound, f"{what}:\n{found}\n{wanted}"
    checked.append(what)


def types():
    rows = [(F32, F32, COMPUTE_32F, F32, 1.2e-7), (F32, F32, COMPUTE_TF32, F32, 1e-3),
            (F64, F64, COMPUTE_64F, F64, 2.3e-16), (F16, F16, COMPUTE_32F, F32, 1e-3),
            (F16, F16, COMPUTE_16F, F16, 1e-3), (F16, F32, COMPUTE_32F, F32, 1.2e-7),
            (BF16, BF16, COMPUTE_32F, F32, 8e-3), (BF16, F32, COMPUTE_32F, F32, 1.2e-7),
            (C64, C64, COMPUTE_32F, C64, 1.2e-7), (C128, C128, COMPUTE_64F, C128, 2.3e-16),
            (I8, I32, COMPUTE_32I, I32, 0)]
    for kind, out, compute, scale, eps in rows:
        alpha, beta = (1, 0) if kind == I8 else (1.5, -0.5)
        for op_a, op_b in itertools.product((0, 1, 2), repeat=2):
            found = Matmul(kind, out, compute, scale, op_a=op_a, op_b=op_b, alpha=alpha, beta=beta)
            assert found.status == 0, (kind, out, compute, found.status)
            close(f"types {kind} to {out} by {compute}, ops {op_a} {op_b}", found.result,
                  found.plain(op_a, op_b, alpha, beta), eps)


def orders_batches_scalars():
    for orders in itertools.product((COLUMNS, ROWS), repeat=3):
        found = Matmul(F32, F32, COMPUTE_32F, F32, orders=orders, batch=3, alpha=2, beta=3)
        close(f"orders {orders}", found.result, found.plain(alpha=2, beta=3), 1.2e-7)
    found = Matmul(F64, F64, COMPUTE_64F, F64, alpha=2, beta=3, on_device=True)
    close("scalars on the device", found.result, found.plain(alpha=2, beta=3), 2.3e-16)


def gelu(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu_gradient(x):
    step = 1e-5
    return (gelu(x + step) - gelu(x - step)) / (2 * step)


def epilogues():
    eps = 1.2e-7

    def run(epilogue, *attributes, **more):
        return Matmul(F32, F32, COMPUTE_32F, F32, **more, attributes=[
            (EPILOGUE, ctypes.c_uint32, epilogue), *attributes])

    bias = draw(F32, M)
    on_device = cupy.asarray(bias)
    of_bias = (BIAS, ctypes.c_uint64, on_device.data.ptr)
    column = bias[None, :, None]
    found = run(4, of_bias)
    close("BIAS", found.result, found.plain() + column, eps)
    found = run(6, of_bias)
    close("RELU_BIAS", found.result, np.maximum(found.plain() + column, 0), eps)
    found = run(36, of_bias)
    close("GELU_BIAS", found.result, gelu(found.plain() + column), eps)
    close("RELU", (found := run(2)).result, np.maximum(found.plain(), 0), eps)
    close("GELU", (found := run(32)).result, gelu(found.plain()), eps)

    # ReLU's mask, then the gradient that it gates, with the bias's gradient.
    leading = 128
    mask = cupy.zeros(leading // 8 * N, cupy.uint8)
    of_mask = [(AUX, ctypes.c_uint64, mask.data.ptr), (AUX_LD, ctypes.c_int64, leading)]
    found = run(2 | 128 | 4, of_bias, *of_mask)
    before = found.plain()[0] + bias[:, None]
    close("RELU_AUX_BIAS", found.result[0], np.maximum(before, 0), eps)
    bits = np.unpackbits(mask.get(), bitorder="little").reshape(N, leading).T[:M]
    assert (bits == (before > 0)).all()
    gradient = cupy.zeros(M, cupy.float32)
    found = run(8 | 128 | 16, (BIAS, ctypes.c_uint64, gradient.data.ptr), *of_mask)
    close("DRELU_BGRAD", found.result[0], found.plain()[0] * bits, eps)
    close("DRELU_BGRAD, bias", gradient.get(), (found.plain()[0] * bits).sum(axis=1), eps)

    leading = 8
    input_of = cupy.zeros(leading * N, cupy.float32)
    of_input = [(AUX, ctypes.c_uint64, input_of.data.ptr), (AUX_LD, ctypes.c_int64, leading)]
    found = run(32 | 128 | 4, of_bias, *of_input)
    before = found.plain()[0] + bias[:, None]
    close("GELU_AUX_BIAS", found.result[0], gelu(before), eps)
    close("GELU_AUX_BIAS, input", input_of.get().reshape(N, leading).T[:M], before, eps)
    found = run(64 | 128 | 16, (BIAS, ctypes.c_uint64, gradient.data.ptr), *of_input)
    wanted = found.plain()[0] * gelu_gradient(before)
    close("DGELU_BGRAD", found.result[0], wanted, 1e-6)
    close("DGELU_BGRAD, bias", gradient.get(), wanted.sum(axis=1), 1e-6)

    found = run(256, (BIAS, ctypes.c_uint64, gradient.data.ptr), op_a=1)
    close("BGRADA", gradient.get(), found.a[0].sum(axis=0), eps)
    of_columns = cupy.zeros(N, cupy.float32)
    found = run(512, (BIAS, ctypes.c_uint64, of_columns.data.ptr))
    close("BGRADB", of_columns.get(), found.b[0].sum(axis=0), eps)


def transform():
    what = made("MatrixTransformDesc", F32)
    a = draw(F32, 1, M, N)
    memory = put(F32, a)
    to = cupy.zeros(M * N, cupy.float32)
    one, none = np.array([2], np.float32), np.array([0], np.float32)
    status = LT.cublasLtMatrixTransform(
        HANDLE, what, one.ctypes.data_as(ctypes.c_void_p), pointer(memory), layout(F32, M, N),
        none.ctypes.data_as(ctypes.c_void_p), None, None, pointer(to), layout(F32, M, N, ROWS),
        None)
    assert status == 0
    close("transform to rows", get(F32, to, (1, M, N), ROWS), 2 * a, 1.2e-7)


def refusals():
    found = Matmul(F32, F32, COMPUTE_32F, F32, attributes=[(17, ctypes.c_uint64, 64)])
    assert (found.chosen, found.status) == (NOT_SUPPORTED, NOT_SUPPORTED)
    found = Matmul(F32, F32, COMPUTE_32F, F32, b=draw(F32, 1, K + 1, N))
    assert found.chosen != 0 and found.status != 0


types()
orders_batches_scalars()
epilogues()
transform()
refusals()
assert LT.cublasLtDestroy(HANDLE) == 0
print(f"right: {len(checked)} products")
