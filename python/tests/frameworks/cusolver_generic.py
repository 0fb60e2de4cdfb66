"""cuSOLVER's routines that take types as arguments, and those for batches, beside NumPy.

Bounds are relative to the largest number: 2e-4 in single precision, 1e-10 in double.
"""

import ctypes

import cupy
import numpy as np

LIBRARY = ctypes.CDLL("libcusolver.so.12")
TYPES = {"f": 0, "d": 1, "F": 4, "D": 5}
COMPLEX = {"f": 4, "d": 5, "F": 4, "D": 5}
REAL = {"f": "f", "d": "d", "F": "f", "D": "d"}
BOUNDS = {"f": 2e-4, "d": 1e-10, "F": 2e-4, "D": 1e-10}
RANDOM = np.random.default_rng(11)
HANDLE = ctypes.c_void_p()
LOWER, WANTED, NONE = 0, 1, 0
N = 12


def call(name, *arguments):
    """Whole numbers go as 64 bits unless they are ctypes' own; arrays by their addresses."""
    def as_c(value):
        if isinstance(value, cupy.ndarray):
            return ctypes.c_void_p(value.data.ptr)
        return ctypes.c_longlong(value) if isinstance(value, int) else value
    status = getattr(LIBRARY, "cusolverDn" + name)(HANDLE, *map(as_c, arguments))
    assert status == 0, f"{name}: {status}"


def both(name, middle, before=(), batch=(), info=None):
    """A routine after its question for workspaces. `middle`: what both take."""
    sizes = [ctypes.c_size_t(), ctypes.c_size_t()]
    call(name + "_bufferSize", *before, *middle, *map(ctypes.byref, sizes), *batch)
    work = cupy.zeros(max(1, sizes[0].value), "b")
    info = cupy.full(1, 7, "i") if info is None else info
    call(name, *before, *middle, work, sizes[0], ctypes.create_string_buffer(max(1, sizes[1].value)), sizes[1], info,
         *batch)
    assert not cupy.asnumpy(info).any(), (name, info)


def draw(kind, *shape):
    values = RANDOM.random(shape) + (1j * RANDOM.random(shape) if kind in "FD" else 0)
    return values.astype(kind)


def there(values):
    """By columns, as cuSOLVER has them."""
    return cupy.asarray(np.asarray(values), order="F")


def close(found, wanted, kind):
    found = cupy.asnumpy(found)
    assert np.abs(found - wanted).max() <= BOUNDS[kind] * max(1, np.abs(wanted).max()), (kind, found, wanted)


def positive(kind):
    a = draw(kind, N, N)
    return (a @ a.conj().T + N * np.eye(N)).astype(kind)


def cholesky(kind):
    a, b = positive(kind), draw(kind, N, 3)
    on_device, side, info = there(a), there(b), cupy.full(1, 7, "i")
    both("Xpotrf", (ctypes.c_int(LOWER), N, TYPES[kind], on_device, N, TYPES[kind]), before=(None, ))
    close(np.tril(cupy.asnumpy(on_device)), np.linalg.cholesky(a), kind)
    call("Xpotrs", None, ctypes.c_int(LOWER), N, 3, TYPES[kind], on_device, N, TYPES[kind], side, N, info)
    close(a @ cupy.asnumpy(side), b, kind)


def factors(kind):
    a, b = draw(kind, N, N), draw(kind, N, 3)
    on_device, side, info = there(a), there(b), cupy.full(1, 7, "i")
    pivots = cupy.zeros(N, "q")
    sizes = [ctypes.c_size_t(), ctypes.c_size_t()]
    call("Xgetrf_bufferSize", None, N, N, TYPES[kind], on_device, N, TYPES[kind], *map(ctypes.byref, sizes))
    call("Xgetrf", None, N, N, TYPES[kind], on_device, N, pivots, TYPES[kind], cupy.zeros(sizes[0].value, "b"),
         sizes[0], ctypes.create_string_buffer(max(1, sizes[1].value)), sizes[1], info)
    call("Xgetrs", None, 0, N, 3, TYPES[kind], on_device, N, pivots, TYPES[kind], side, N, info)
    close(a @ cupy.asnumpy(side), b, kind)
    tall, tau = there(draw(kind, N, 5)), cupy.zeros(5, kind)
    r = np.linalg.qr(cupy.asnumpy(tall), mode="r")
    both("Xgeqrf", (N, 5, TYPES[kind], tall, N, TYPES[kind], tau, TYPES[kind]), before=(None, ))
    close(np.abs(np.triu(cupy.asnumpy(tall)[:5])), np.abs(r), kind)


def symmetric(kind):
    a = draw(kind, N, N)
    a, b = a + a.T, draw(kind, N, 2)
    on_device, side, pivots, info = there(a), there(b), cupy.zeros(N, "i"), cupy.full(1, 7, "i")
    call(LETTERS[kind] + "sytrf", ctypes.c_int(LOWER), ctypes.c_int(N), on_device,
         ctypes.c_int(N), pivots, cupy.zeros(64 * N, kind), ctypes.c_int(64 * N), info)
    both("Xsytrs", (ctypes.c_int(LOWER), N, 2, TYPES[kind], on_device, N, pivots.astype("q"), TYPES[kind], side, N))
    close(a @ cupy.asnumpy(side), b, kind)


def eigenvalues(kind):
    a = [positive(kind) for _ in range(3)]
    stacked = cupy.asarray(np.stack([each.T for each in a]))
    w = cupy.zeros((3, N), REAL[kind])
    both("XsyevBatched", (ctypes.c_int(NONE), ctypes.c_int(LOWER), N, TYPES[kind], stacked, N, TYPES[REAL[kind]], w,
                          TYPES[kind]), before=(None, ), batch=(3, ), info=cupy.full(3, 7, "i"))
    close(w, np.stack([np.linalg.eigvalsh(each) for each in a]), kind)
    one, w = there(a[0]), cupy.zeros(N, REAL[kind])
    both("Xsyevd", (ctypes.c_int(WANTED), ctypes.c_int(LOWER), N, TYPES[kind], one, N, TYPES[REAL[kind]], w,
                    TYPES[kind]), before=(None, ))
    close(a[0] @ cupy.asnumpy(one), cupy.asnumpy(one) * cupy.asnumpy(w), kind)
    general = draw(kind, N, N)
    one, w, vectors = there(general), cupy.zeros(N, "F" if kind in "fF" else "D"), there(draw(kind, N, N))
    both("Xgeev", (ctypes.c_int(NONE), ctypes.c_int(WANTED), N, TYPES[kind], one, N, COMPLEX[kind], w, TYPES[kind],
                   None, N, TYPES[kind], vectors, N, TYPES[kind]), before=(None, ))
    found, wanted = (sorted(np.round(each, 2), key=lambda z: (z.real, z.imag)) for each in (
        cupy.asnumpy(w), np.linalg.eigvals(general)))
    assert np.abs(np.array(found) - np.array(wanted)).max() < 0.02
    if kind in "FD":
        close(general @ cupy.asnumpy(vectors), cupy.asnumpy(vectors) * cupy.asnumpy(w), kind)


LETTERS = {"f": "S", "d": "D", "F": "C", "D": "Z"}


def named(kind, name):
    return LETTERS[kind] + ("sy" if kind in "fd" else "he") + name


def sized(name, middle, last=()):
    """A routine with types in its name after its question for a workspace, which takes the same but `last`."""
    size, info = ctypes.c_int(), cupy.full(1, 7, "i")
    call(name + "_bufferSize", *middle, ctypes.byref(size), *last)
    call(name, *middle, cupy.zeros(max(1, size.value), "D"), size, info, *last)
    assert info[0] == 0, (name, info)


def some_eigenvalues(kind):
    """The third to the fifth, and those in an interval."""
    a, integer = positive(kind), ctypes.c_int
    every = np.linalg.eigvalsh(a)
    real = ctypes.c_float if kind in "fF" else ctypes.c_double
    low, high = real((every[1] + every[2]) / 2), real((every[4] + every[5]) / 2)
    for kept in (1002, 1003):
        one, w, count = there(a), cupy.zeros(N, REAL[kind]), ctypes.c_int(-1)
        sized(named(kind, "evdx"), (integer(WANTED), integer(kept), integer(LOWER), integer(N), one, integer(N), low,
                                    high, integer(3), integer(5), ctypes.byref(count), w))
        assert count.value == 3
        close(w[:3], every[2:5], kind)
        close(a @ cupy.asnumpy(one)[:, :3], cupy.asnumpy(one)[:, :3] * cupy.asnumpy(w)[:3], kind)
        one, w, count = there(a), cupy.zeros(N, REAL[kind]), ctypes.c_longlong(-1)
        both("Xsyevdx", (integer(NONE), integer(kept), integer(LOWER), N, TYPES[kind], one, N, ctypes.byref(low),
                         ctypes.byref(high), 3, 5, ctypes.byref(count), TYPES[REAL[kind]], w, TYPES[kind]),
             before=(None, ))
        assert count.value == 3
        close(w[:3], every[2:5], kind)


def eigenvalues_of_two(kind):
    """A x = w B x, A B x = w x, B A x = w x."""
    a, b, integer = positive(kind), positive(kind), ctypes.c_int
    for problem in (1, 2, 3):
        for name, last in (("gvd", ()), ("gvj", (None, ))):
            one, two, w = there(a), there(b), cupy.zeros(N, REAL[kind])
            sized(named(kind, name), (integer(problem), integer(WANTED), integer(LOWER), integer(N), one, integer(N),
                                      two, integer(N), w), last)
            x, w = map(cupy.asnumpy, (one, w))
            left, right = {1: (a @ x, b @ x * w), 2: (a @ b @ x, x * w), 3: (b @ a @ x, x * w)}[problem]
            close(left, right, kind)
            close(np.tril(cupy.asnumpy(two)), np.linalg.cholesky(b), kind)


def singular_values(kind):
    a, rank, integer = draw(kind, 2, 8, 6), 4, ctypes.c_int
    on_device = cupy.asarray(np.stack([each.T for each in a]))
    s, u, v = cupy.zeros((2, rank), REAL[kind]), cupy.zeros((2, rank, 8), kind), cupy.zeros((2, rank, 6), kind)
    name, size = LETTERS[kind] + "gesvdaStridedBatched", ctypes.c_int()
    middle = (integer(WANTED), integer(rank), integer(8), integer(6), on_device, integer(8), 48, s, rank, u, integer(8),
              8 * rank, v, integer(6), 6 * rank)
    call(name + "_bufferSize", *middle, ctypes.byref(size), integer(2))
    residuals, info = (ctypes.c_double * 2)(), cupy.full(2, 7, "i")
    call(name, *middle, cupy.zeros(size.value, kind), size, info, residuals, integer(2))
    assert not info.any()
    for each, values, left, right in zip(a, *map(cupy.asnumpy, (s, u, v))):
        close(values, np.linalg.svd(each, compute_uv=False)[:rank], kind)
        close(each @ right.T, left.T * values, kind)


status = LIBRARY.cusolverDnCreate(ctypes.byref(HANDLE))
assert status == 0
for part in (cholesky, factors, symmetric, eigenvalues, some_eigenvalues, eigenvalues_of_two, singular_values):
    for kind in "fdFD":
        part(kind)
    print("right:", part.__name__)
