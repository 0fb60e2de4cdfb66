"""cuBLAS's routines of levels 1 to 3 in all four types, beside the same computed by NumPy; those of level
3 by cuBLAS-XT too, whose matrices are in the program's memory, or some of them.

Sums of n products differ by the order in which they are added: the bound is 8 n eps of the largest
number of the result.
"""

import ctypes

import cupy
import numpy as np

BLAS = ctypes.CDLL("libcublas.so.13")
HANDLE = ctypes.c_void_p()
assert BLAS.cublasCreate_v2(ctypes.byref(HANDLE)) == 0
TYPES = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
RANDOM = np.random.default_rng(7)
M, N, K, BAND = 7, 5, 6, 2
done = set()
across = None  # the handle of cuBLAS-XT, where its routines are called


def draw(letter, *shape):
    values = RANDOM.random(shape) - 0.5
    if letter in "CZ":
        values = values + 1j * (RANDOM.random(shape) - 0.5)
    return values.astype(TYPES[letter])


class Device:
    """An array on the device, matrices by columns; for cuBLAS-XT every second one in the program's memory.
    A packed one has to be there."""

    made = 0

    def __init__(self, values):
        Device.made += 1
        self.shape = values.shape
        self.memory = np.array(values.ravel(order="F"))
        self.on_host = across is not None and (Device.made % 2 == 0 or values.ndim == 1)
        if not self.on_host:
            self.memory = cupy.asarray(self.memory)

    def get(self):
        values = self.memory if self.on_host else self.memory.get()
        return values.reshape(self.shape, order="F")

    def pointer(self):
        return ctypes.c_void_p(self.memory.ctypes.data if self.on_host else self.memory.data.ptr)


def argument(value):
    if isinstance(value, Device):
        return value.pointer()
    if isinstance(value, np.ndarray):  # a scalar, or a result, in the program's memory
        return value.ctypes.data_as(ctypes.c_void_p)
    return ctypes.c_int64(value)


def call(name, *arguments):
    handle = HANDLE
    if across is not None:
        handle, name = across, name.replace("cublas", "cublasXt").replace("_v2", "")
    status = getattr(BLAS, name)(handle, *[argument(each) for each in arguments])
    assert status == 0, f"{name}: status {status}"


def close(name, found, wanted):
    wanted = np.asarray(wanted)
    bound = 8 * max(M, N, K) * np.finfo(wanted.dtype).eps * max(1, np.abs(wanted).max())
    assert np.abs(found - wanted).max() <= bound, f"{name}:\n{found}\n{wanted}"
    done.add(name if across is None else name.replace("cublas", "cublasXt"))


def triangle(matrix, upper, unit=False):
    result = np.triu(matrix) if upper else np.tril(matrix)
    if unit:
        np.fill_diagonal(result, 1)
    return result


def packed(matrix, upper):
    n = len(matrix)
    return np.concatenate([matrix[: j + 1, j] if upper else matrix[j:, j] for j in range(n)])


def banded(matrix, below, above):
    """Columns of the band, the diagonal in row `above`."""
    m, n = matrix.shape
    band = np.zeros((below + above + 1, n), matrix.dtype)
    for j in range(n):
        for i in range(max(0, j - above), min(m, j + below + 1)):
            band[above + i - j, j] = matrix[i, j]
    return band


def apply(op, matrix):
    return (matrix, matrix.T, matrix.conj().T)[op]


def level_1(t):
    x, y = draw(t, N), draw(t, N)
    real = TYPES[t](0).real.dtype
    alpha = draw(t, 1)
    wide = {"C": "Sc", "Z": "Dz"}.get(t, t)

    def vectors(name, *scalars):
        a, b = Device(x), Device(y)
        call(f"cublas{t}{name}_v2", N, *scalars, a, 1, b, 1)
        return a.get(), b.get()

    close(f"cublas{t}copy", vectors("copy")[1], x)
    close(f"cublas{t}swap", np.concatenate(vectors("swap")), np.concatenate([y, x]))
    close(f"cublas{t}axpy", vectors("axpy", alpha)[1], alpha * x + y)
    a = Device(x)
    call(f"cublas{t}scal_v2", N, alpha, a, 1)
    close(f"cublas{t}scal", a.get(), alpha * x)
    for name in ("dot",) if t in "SD" else ("dotu", "dotc"):
        result = np.zeros(1, TYPES[t])
        call(f"cublas{t}{name}_v2", N, Device(x), 1, Device(y), 1, result)
        close(f"cublas{t}{name}", result, (x.conj() if name == "dotc" else x) @ y)
    sizes = np.abs(x.real) + np.abs(x.imag)
    for name, wanted in ("nrm2", np.linalg.norm(x)), ("asum", sizes.sum()):
        result = np.zeros(1, real)
        call(f"cublas{wide}{name}_v2", N, Device(x), 1, result)
        close(f"cublas{wide}{name}", result, real.type(wanted))
    for name, wanted in ("amax", sizes.argmax()), ("amin", sizes.argmin()):
        result = np.zeros(1, np.int32)
        call(f"cublasI{t.lower()}{name}_v2", N, Device(x), 1, result)
        assert result[0] == wanted + 1, name
        done.add(f"cublasI{t.lower()}{name}")
    cosine, sine = np.array([0.6], real), draw(t, 1)
    a, b = Device(x), Device(y)
    call(f"cublas{t}rot_v2", N, a, 1, b, 1, cosine, sine)
    close(f"cublas{t}rot", np.concatenate([a.get(), b.get()]),
          np.concatenate([cosine * x + sine * y, cosine * y - sine.conj() * x]))


def level_2(t):
    alpha, beta = draw(t, 1), draw(t, 1)
    a, x, y = draw(t, M, N), draw(t, N), draw(t, M)
    for op in range(3):
        u, v = (x, y) if op == 0 else (y, x)
        result = Device(v)
        call(f"cublas{t}gemv_v2", op, M, N, alpha, Device(a), M, Device(u), 1, beta, result, 1)
        close(f"cublas{t}gemv", result.get(), alpha * (apply(op, a) @ u) + beta * v)
        band = np.triu(np.tril(a, BAND), -1)
        result = Device(v)
        call(f"cublas{t}gbmv_v2", op, M, N, 1, BAND, alpha, Device(banded(a, 1, BAND)), BAND + 2,
             Device(u), 1, beta, result, 1)
        close(f"cublas{t}gbmv", result.get(), alpha * (apply(op, band) @ u) + beta * v)
    for name in ("ger",) if t in "SD" else ("geru", "gerc"):
        result = Device(a)
        call(f"cublas{t}{name}_v2", M, N, alpha, Device(y), 1, Device(x), 1, result, M)
        close(f"cublas{t}{name}", result.get(),
              a + alpha * np.outer(y, x.conj() if name == "gerc" else x))
    symmetric, triangular = symmetric_2, triangular_2
    for fill in range(2):
        symmetric(t, fill, alpha, beta)
        triangular(t, fill)


def symmetric_2(t, fill, alpha, beta):
    he, hp, hb = ("sy", "sp", "sb") if t in "SD" else ("he", "hp", "hb")
    a, x, y = draw(t, N, N), draw(t, N), draw(t, N)
    a = a + a.conj().T
    wanted = alpha * (a @ x) + beta * y
    for name, stored in (he + "mv", (Device(a), N)), (hp + "mv", (Device(packed(a, fill)),)):
        result = Device(y)
        call(f"cublas{t}{name}_v2", fill, N, alpha, *stored, Device(x), 1, beta, result, 1)
        close(f"cublas{t}{name}", result.get(), wanted)
    band = np.triu(np.tril(a, BAND), -BAND)
    result = Device(y)
    stored = banded(triangle(band, fill), 0 if fill else BAND, BAND if fill else 0)
    call(f"cublas{t}{hb}mv_v2", fill, N, BAND, alpha, Device(stored), BAND + 1, Device(x), 1, beta,
         result, 1)
    close(f"cublas{t}{hb}mv", result.get(), alpha * (band @ x) + beta * y)
    if t in "CZ":
        complex_symmetric_2(t, fill, alpha, beta)
    real = alpha.real.copy()
    one = a + real * np.outer(x, x.conj())
    two = a + alpha * np.outer(x, y.conj()) + alpha.conj() * np.outer(y, x.conj())
    for suffix, scalar, vectors, wanted in (("r", real, (Device(x), 1), one),
                                            ("r2", alpha, (Device(x), 1, Device(y), 1), two)):
        result = Device(a)
        call(f"cublas{t}{he}{suffix}_v2", fill, N, scalar, *vectors, result, N)
        close(f"cublas{t}{he}{suffix}", triangle(result.get(), fill), triangle(wanted, fill))
        result = Device(packed(a, fill))
        call(f"cublas{t}{hp}{suffix}_v2", fill, N, scalar, *vectors, result)
        close(f"cublas{t}{hp}{suffix}", result.get(), packed(wanted, fill))


def complex_symmetric_2(t, fill, alpha, beta):
    """Those that are not Hermitian; x from its end to its beginning, y with gaps."""
    a, x, y = draw(t, N, N), draw(t, N), draw(t, 2 * N - 1)
    a = a + a.T
    result = Device(y)
    call(f"cublas{t}symv_v2", fill, N, alpha, Device(a), N, Device(x[::-1]), -1, beta, result, 2)
    close(f"cublas{t}symv", result.get()[::2], alpha * (a @ x) + beta * y[::2])
    assert (result.get()[1::2] == y[1::2]).all()
    y = y[::2]
    one = a + alpha * np.outer(x, x)
    two = a + alpha * (np.outer(x, y) + np.outer(y, x))
    for name, vectors, wanted in (("syr", (Device(x[::-1]), -1), one), ("syr2", (Device(x), 1, Device(y), 1), two)):
        result = Device(a)
        call(f"cublas{t}{name}_v2", fill, N, alpha, *vectors, result, N)
        close(f"cublas{t}{name}", triangle(result.get(), fill), triangle(wanted, fill))
        assert (triangle(result.get(), not fill) - np.diag(result.get().diagonal())
                == triangle(a, not fill) - np.diag(a.diagonal())).all()


def triangular_2(t, fill):
    a, x = draw(t, N, N) + 2 * np.eye(N, dtype=TYPES[t]), draw(t, N)
    band = np.triu(np.tril(a, BAND), -BAND)
    for op in range(3):
        for unit in range(2):
            full = apply(op, triangle(a, fill, unit))
            narrow = apply(op, triangle(band, fill, unit))
            stored = banded(triangle(band, fill), 0 if fill else BAND, BAND if fill else 0)
            for letter, memory, matrix in (("tr", (Device(a), N), full),
                                           ("tp", (Device(packed(a, fill)),), full),
                                           ("tb", (Device(stored), BAND + 1), narrow)):
                size = (N, BAND) if letter == "tb" else (N,)
                for name, wanted in ("mv", matrix @ x), ("sv", np.linalg.solve(matrix, x)):
                    result = Device(x)
                    call(f"cublas{t}{letter}{name}_v2", fill, op, unit, *size, *memory, result, 1)
                    close(f"cublas{t}{letter}{name}", result.get(), wanted)


def level_3(t):
    alpha, beta = draw(t, 1), draw(t, 1)
    c = draw(t, M, N)
    products_3(t, alpha, beta, c)
    a, b = draw(t, M, N), draw(t, N, M)
    result = Device(c)
    call(f"cublas{t}geam", 0, 2, M, N, alpha, Device(a), M, beta, Device(b), N, result, M)
    close(f"cublas{t}geam", result.get(), alpha * a + beta * b.conj().T)
    x = draw(t, M)
    call(f"cublas{t}dgmm", 0, M, N, Device(a), M, Device(x), 1, result, M)
    close(f"cublas{t}dgmm", result.get(), x[:, None] * a)


def products_3(t, alpha, beta, c):
    for op_a in range(3):
        for op_b in range(3):
            a, b = draw(t, M, K), draw(t, K, N)
            left, right = (a, a.T, a.conj().T)[op_a], (b, b.T, b.conj().T)[op_b]
            result = Device(c)
            call(f"cublas{t}gemm_v2", op_a, op_b, M, N, K, alpha, Device(left), left.shape[0],
                 Device(right), right.shape[0], beta, result, M)
            close(f"cublas{t}gemm", result.get(), alpha * (a @ b) + beta * c)
    for fill in range(2):
        for side in range(2):
            sided_3(t, fill, side, alpha, beta, c)
        for op in (0, 1):
            ranked_3(t, fill, op, alpha, beta)


def sided_3(t, fill, side, alpha, beta, c):
    order = N if side else M
    a, b = draw(t, order, order) + 2 * np.eye(order, dtype=TYPES[t]), draw(t, M, N)
    product = lambda matrix: b @ matrix if side else matrix @ b
    for name, mirrored in ("symm", a + a.T), ("hemm", a + a.conj().T):
        if name == "hemm" and t in "SD":
            continue
        result = Device(c)
        call(f"cublas{t}{name}_v2", side, fill, M, N, alpha, Device(mirrored), order, Device(b), M,
             beta, result, M)
        close(f"cublas{t}{name}", result.get(), alpha * product(mirrored) + beta * c)
    for op in range(3):
        matrix = apply(op, triangle(a, fill))
        result = Device(c)
        call(f"cublas{t}trmm_v2", side, fill, op, 0, M, N, alpha, Device(a), order, Device(b), M,
             result, M)
        close(f"cublas{t}trmm", result.get(), alpha * product(matrix))
        result = Device(b)
        call(f"cublas{t}trsm_v2", side, fill, op, 0, M, N, alpha, Device(a), order, result, M)
        close(f"cublas{t}trsm", product_of_solution(result.get(), matrix, side), alpha * b)


def product_of_solution(x, matrix, side):
    return x @ matrix if side else matrix @ x


def ranked_3(t, fill, op, alpha, beta):
    c = draw(t, N, N)
    for kind, mirror in ("sy", lambda m: m.T), ("he", lambda m: m.conj().T):
        if kind == "he" and t in "SD":
            continue
        code = op if kind == "sy" or op == 0 else 2
        a, b = draw(t, N, K), draw(t, N, K)
        sums = c + mirror(c)
        first, second = (a, b) if op == 0 else (mirror(a), mirror(b))
        lead = first.shape[0]
        factor, keep = (alpha, beta) if kind == "sy" else (alpha.real.copy(), beta.real.copy())
        result = Device(sums)
        call(f"cublas{t}{kind}rk_v2", fill, code, N, K, factor, Device(first), lead, keep, result, N)
        close(f"cublas{t}{kind}rk", triangle(result.get(), fill),
              triangle(factor * (a @ mirror(a)) + keep * sums, fill))
        result = Device(sums)
        call(f"cublas{t}{kind}r2k_v2", fill, code, N, K, alpha, Device(first), lead, Device(second),
             lead, keep, result, N)
        other = alpha if kind == "sy" else alpha.conj()
        close(f"cublas{t}{kind}r2k", triangle(result.get(), fill),
              triangle(alpha * (a @ mirror(b)) + other * (b @ mirror(a)) + keep * sums, fill))
        result = Device(sums)
        call(f"cublas{t}{kind}rkx", fill, code, N, K, alpha, Device(first), lead, Device(second),
             lead, keep, result, N)
        wanted = alpha * (a @ mirror(b)) + keep * sums
        if kind == "he":  # the diagonal counts as real, whatever the product gives
            wanted[range(N), range(N)] = wanted.diagonal().real
        close(f"cublas{t}{kind}rkx", triangle(result.get(), fill), triangle(wanted, fill))


def smaller_types():
    """cublasGemmEx: FP16, BF16 by their bits, TF32, and whole numbers, which are exact."""
    half, single, whole, sums = 2, 0, 3, 10
    a, b = RANDOM.integers(-9, 9, (M, K)).astype(np.int8), RANDOM.integers(-9, 9, (K, N)).astype(np.int8)

    def product(a, type_a, b, type_b, c, type_c, compute, one, zero):
        result = Device(c)
        call("cublasGemmEx", 0, 0, M, N, K, one, Device(a), type_a, M, Device(b), type_b, K, zero,
             result, type_c, M, compute, -1)
        return result.get()

    exact = a.astype(np.int32) @ b.astype(np.int32)
    found = product(a, whole, b, whole, np.zeros((M, N), np.int32), sums, 72,
                    np.array([1], np.int32), np.array([0], np.int32))
    assert (found == exact).all()
    one, zero = np.ones(1, np.float32), np.zeros(1, np.float32)
    found = product(a.astype(np.float16), half, b.astype(np.float16), half,
                    np.zeros((M, N), np.float16), half, 68, one, zero)
    assert (found == exact).all()
    bits = lambda values: (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    found = product(bits(a), 14, bits(b), 14, np.zeros((M, N), np.float32), single, 68, one, zero)
    assert (found == exact).all()
    x, y = draw("S", M, K), draw("S", K, N)
    found = product(x, single, y, single, np.zeros((M, N), np.float32), single, 77, one, zero)
    difference = np.abs(found - x @ y).max()
    assert 0 < difference < K * 2**-10, difference  # TF32 keeps 10 bits
    done.add("cublasGemmEx")


def types_as_arguments():
    """Of vectors: cublasDotEx and its like."""
    kinds = {np.float16: (2, 0), np.float32: (0, 0), np.float64: (1, 1), np.complex64: (4, 4), np.complex128: (5, 5)}
    for dtype, (kind, execution) in kinds.items():
        letter = {np.float64: "D", np.complex64: "C", np.complex128: "Z"}.get(dtype, "S")
        x, y, alpha = (draw(letter, size).astype(dtype) for size in (N, 2 * N - 1, 1))
        second = y[::2]
        scale = alpha.astype(np.float32) if dtype == np.float16 else alpha
        kind_of_scale = 0 if dtype == np.float16 else kind
        for name, wanted in (("Dot", x @ second), ("Dotc", x.conj() @ second)):
            result = np.zeros(1, dtype)
            call(f"cublas{name}Ex", N, Device(x), kind, 1, Device(y), kind, 2, result, kind, execution)
            close(f"cublas{name}Ex", result, np.asarray([wanted], dtype))
        real = x.real.dtype
        result = np.zeros(1, real)
        real_kind = {np.float16: 2, np.float32: 0, np.float64: 1}[real.type]
        call("cublasNrm2Ex", N, Device(x), kind, 1, result, real_kind, {4: 0, 5: 1}.get(kind, execution))
        close("cublasNrm2Ex", result, np.asarray([np.linalg.norm(x.astype(np.complex128))], real))
        result = Device(y)
        call("cublasAxpyEx", N, scale, kind_of_scale, Device(x), kind, 1, result, kind, 2, execution)
        close("cublasAxpyEx", result.get()[::2], alpha * x + second)
        result = Device(x)
        call("cublasScalEx", N, scale, kind_of_scale, result, kind, 1, execution)
        close("cublasScalEx", result.get(), alpha * x)


def least_squares(t):
    batch, columns = 3, 2
    a, c = draw(t, batch, M, N), draw(t, batch, M, columns)
    matrices, sides = [Device(each) for each in a], [Device(each) for each in c]
    addresses = [Device(np.array([each.pointer().value for each in both])) for both in (matrices, sides)]
    wrong, failures = np.ones(1, np.int32), Device(np.ones(batch, np.int32))
    call(f"cublas{t}gelsBatched", 0, M, N, columns, addresses[0], M, addresses[1], M, wrong, failures, batch)
    assert wrong[0] == 0 and not failures.get().any()
    for i in range(batch):
        close(f"cublas{t}gelsBatched", sides[i].get()[:N], np.linalg.lstsq(a[i], c[i], rcond=None)[0])


def copies():
    """Between the program's memory and the device's; these take no handle, sizes of elements, and strides."""
    host, size = np.asfortranarray(draw("D", M, N)), ctypes.c_int64(8)
    for ending in ("", "Async", "_64", "Async_64"):
        more = (ctypes.c_void_p(),) if "Async" in ending else ()
        device, back = Device(np.zeros((M + 2, N))), np.zeros((M + 1, N), order="F")
        for name, source, its, target, other in (("Set", host, M, device, M + 2), ("Get", device, M + 2, back, M + 1)):
            status = getattr(BLAS, f"cublas{name}Matrix{ending}")(
                *map(argument, (M, N)), size, argument(source), argument(its), argument(target), argument(other), *more)
            assert status == 0, (name, ending)
            cupy.cuda.runtime.deviceSynchronize()
            done.add(f"cublas{name}Matrix{ending}")
        assert (back[:M] == host).all() and (back[M:] == 0).all(), ending
        vector, found = Device(np.zeros(2 * M)), np.zeros(M)
        for name, source, its, target, other in (("Set", host, 1, vector, 2), ("Get", vector, 2, found, 1)):
            status = getattr(BLAS, f"cublas{name}Vector{ending}")(
                argument(M), size, argument(source), argument(its), argument(target), argument(other), *more)
            assert status == 0, (name, ending)
            cupy.cuda.runtime.deviceSynchronize()
            done.add(f"cublas{name}Vector{ending}")
        assert (found == host[:, 0]).all(), ending


def level_3_across():
    """cuBLAS-XT: the same products, and those of packed symmetric matrices."""
    global across
    handle, ids = ctypes.c_void_p(), (ctypes.c_int * 1)(0)
    assert BLAS.cublasXtCreate(ctypes.byref(handle)) == 0
    assert BLAS.cublasXtDeviceSelect(handle, 1, ids) == 0
    ids[0] = 7
    assert BLAS.cublasXtDeviceSelect(handle, 1, ids) != 0
    assert BLAS.cublasXtSetBlockDim(handle, 64) == 0
    across = handle
    for t in TYPES:
        alpha, beta, c = draw(t, 1), draw(t, 1), draw(t, M, N)
        products_3(t, alpha, beta, c)
        for fill in range(2):
            a, b = draw(t, M, M), draw(t, M, N)
            a = a + a.T
            result = Device(c)
            call(f"cublas{t}spmm", 0, fill, M, N, alpha, Device(packed(a, fill)), Device(b), M, beta, result, M)
            close(f"cublas{t}spmm", result.get(), alpha * (a @ b) + beta * c)
    across = None
    assert BLAS.cublasXtDestroy(handle) == 0


for letter in TYPES:
    level_1(letter)
    level_2(letter)
    level_3(letter)
    least_squares(letter)
level_3_across()
copies()
smaller_types()
types_as_arguments()
print("right:", len(done), "routines")
