"""cuSOLVER for sparse matrices, beside NumPy: systems by LU, Cholesky and QR, orders, low-level
factors, refactorisation, eigenvalues. Arrays lie on the host or on the device.

Bounds are relative to the largest number: 2e-3 in single precision, 1e-9 in double.
"""

import ctypes

import cupy
import numpy as np

LIBRARY, SPARSE = ctypes.CDLL("libcusolver.so.12"), ctypes.CDLL("libcusparse.so.12")
TYPES = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
BOUNDS = {"S": 2e-3, "D": 1e-9, "C": 2e-3, "Z": 1e-9}
RANDOM = np.random.default_rng(5)
N = 60
HANDLE, DESCRIPTION = ctypes.c_void_p(), ctypes.c_void_p()
assert LIBRARY.cusolverSpCreate(ctypes.byref(HANDLE)) == 0
assert SPARSE.cusparseCreateMatDescr(ctypes.byref(DESCRIPTION)) == 0
done = set()


def as_c(value):
    """Whole numbers go as 64 bits unless they are ctypes' own; arrays by their addresses."""
    if isinstance(value, cupy.ndarray):
        return ctypes.c_void_p(value.data.ptr)
    if isinstance(value, np.ndarray):
        return value.ctypes.data_as(ctypes.c_void_p)
    return ctypes.c_longlong(value) if isinstance(value, int) else value


def call(name, *arguments, handle=True, wanted=0):
    status = getattr(LIBRARY, "cusolver" + name)(*([HANDLE] if handle else []), *map(as_c, arguments))
    assert status == wanted, f"{name}: {status}"
    done.add(name)


def real(t, value):
    return ctypes.c_float(value) if t in "SC" else ctypes.c_double(value)


def close(t, found, wanted, what):
    found, wanted = np.asarray(found), np.asarray(wanted)
    worst = np.abs(found - wanted).max() / max(1, np.abs(wanted).max())
    assert worst <= BOUNDS[t], f"{what}: {worst}"


class Csr:
    def __init__(self, dense, base=0):
        rows, columns = np.nonzero(dense)
        self.dense, self.m, self.n, self.count = dense, *dense.shape, len(rows)
        self.values = dense[rows, columns]
        self.first = (np.searchsorted(rows, np.arange(self.m + 1)) + base).astype(np.int32)
        self.columns = (columns + base).astype(np.int32)

    def arrays(self, place=np.array):
        return place(self.values), place(self.first), place(self.columns)


def draw(t, *shape):
    values = RANDOM.random(shape) - 0.5
    return (values + 1j * (RANDOM.random(shape) - 0.5) if t in "CZ" else values).astype(TYPES[t])


def sparse(t, m=N, n=N):
    """With a strong diagonal, though some of its numbers are small: LU has to exchange rows."""
    dense = draw(t, m, n) * (RANDOM.random((m, n)) < 0.08) + np.eye(m, n, dtype=TYPES[t])[RANDOM.permutation(m)] * 3
    return dense.astype(TYPES[t])


def positive(t):
    a = sparse(t)
    return (a @ a.conj().T + 0.5 * np.eye(N)).astype(TYPES[t])


def singular(t):
    """Row 7 is twice row 3."""
    a = sparse(t)
    a[7] = 2 * a[3]
    return a


def systems(t):
    for routine, matrix in (("lu", sparse(t)), ("qr", sparse(t)), ("chol", positive(t))):
        for base in (0, 1):
            SPARSE.cusparseSetMatIndexBase(DESCRIPTION, base)
            assert SPARSE.cusparseGetMatIndexBase(DESCRIPTION) == base
            a, b = Csr(matrix, base), draw(t, N)
            for order in range(4):
                for place in (np.array,) if routine == "lu" else (np.array, cupy.array):
                    host = "Host" if place is np.array else ""
                    x, zero = place(np.zeros(N, TYPES[t])), np.full(1, 77, np.int32)
                    call(f"Sp{t}csrlsv{routine}{host}", N, a.count, DESCRIPTION, *a.arrays(place), place(b),
                         real(t, 1e-12), order, x, zero)
                    assert zero[0] == -1
                    close(t, matrix @ cupy.asnumpy(x), b, (routine, base, order))
    SPARSE.cusparseSetMatIndexBase(DESCRIPTION, 0)
    for routine, matrix in (("lu", singular(t)), ("qr", singular(t)), ("chol", -positive(t))):
        a, zero = Csr(matrix), np.full(1, 77, np.int32)
        call(f"Sp{t}csrlsv{routine}Host", N, a.count, DESCRIPTION, *a.arrays(), draw(t, N), real(t, 1e-4), 0,
             np.zeros(N, TYPES[t]), zero)
        assert 0 <= zero[0] < N, (routine, zero)


def eigenvalue(t):
    matrix = np.diag(np.arange(1, N + 1)).astype(TYPES[t]) + 0.01 * positive(t)
    matrix = (matrix + matrix.conj().T) / 2
    a, mu, x = Csr(matrix), np.zeros(1, TYPES[t]), np.zeros(N, TYPES[t])
    wanted = np.linalg.eigvalsh(matrix.astype(np.complex128))
    near = TYPES[t](wanted[9] + 0.05)
    by_value = {"S": ctypes.c_float, "D": ctypes.c_double}
    if t in by_value:  # ctypes passes no complex numbers by value
        call(f"Sp{t}csreigvsiHost", N, a.count, DESCRIPTION, *a.arrays(), by_value[t](near), draw(t, N), 100,
             real(t, 1e-4), mu, x)
        close(t, mu[0], wanted[9], "eigenvalue")
        x *= np.sign(x[np.abs(x).argmax()])  # which is free
        close("S", matrix @ x, mu[0] * x, "eigenvector")


def orders():
    """Permutations that leave fewer entries in the factor of a grid's matrix than its rows' own order."""
    side = 16
    grid = np.eye(side * side) * 4
    for i in range(side * side):
        for j in (i + 1 if (i + 1) % side else i, i + side):
            if i != j < side * side:
                grid[i, j] = grid[j, i] = -1
    shuffled = RANDOM.permutation(side * side)
    grid = grid[np.ix_(shuffled, shuffled)]
    a = Csr(grid)
    filled = lambda order: np.count_nonzero(np.abs(np.linalg.cholesky(grid[np.ix_(order, order)])) > 1e-14)
    before = filled(np.arange(side * side))
    for name, most in ("symrcm", 0.7), ("symamd", 0.4), ("symmdq", 0.4), ("metisnd", 0.5):
        p = np.zeros(side * side, np.int32)
        options = (ctypes.c_void_p(),) if name == "metisnd" else ()
        call(f"SpXcsr{name}Host", side * side, a.count, DESCRIPTION, *a.arrays()[1:], *options, p)
        assert sorted(p) == list(range(side * side)), name
        assert filled(p) < most * before, (name, filled(p), before)
    symmetric = np.zeros(1, np.int32)
    first, columns = a.arrays()[1:]
    end = ctypes.c_void_p(first.ctypes.data + 4)
    call("SpXcsrissymHost", side * side, a.count, DESCRIPTION, first, end, columns, symmetric)
    assert symmetric[0] == 1
    one_sided = Csr(np.triu(grid))
    first, columns = one_sided.arrays()[1:]
    end = ctypes.c_void_p(first.ctypes.data + 4)
    call("SpXcsrissymHost", side * side, one_sided.count, DESCRIPTION, first, end, columns, symmetric)
    assert symmetric[0] == 0


def permutation():
    a = Csr(sparse("D"))
    p, q = (RANDOM.permutation(N).astype(np.int32) for _ in range(2))
    _, first, columns = a.arrays()
    origin, size = np.arange(a.count, dtype=np.int32), np.zeros(1, np.int64)
    call("SpXcsrperm_bufferSizeHost", N, N, a.count, DESCRIPTION, first, columns, p, q, size)
    call("SpXcsrpermHost", N, N, a.count, DESCRIPTION, first, columns, p, q, origin, np.zeros(size[0], np.int8))
    found = np.zeros((N, N))
    for row in range(N):
        for i in range(first[row], first[row + 1]):
            found[row, columns[i]] = a.values[origin[i]]
    assert (found == a.dense[np.ix_(p, q)]).all()


def low_level(t):
    internal, work = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for routine, host, matrix in (("lu", "Host", sparse(t)), ("chol", "Host", positive(t)), ("chol", "", positive(t)),
                                  ("qr", "Host", sparse(t, N + 20)), ("qr", "", sparse(t))):
        place = np.array if host else cupy.array
        a, info, m = Csr(matrix), ctypes.c_void_p(), matrix.shape[0]
        sizes = (m, N) if routine == "qr" else (N,)
        call(f"SpCreateCsr{routine}Info{host}", ctypes.byref(info), handle=False)
        values, first, columns = a.arrays(place)
        call(f"SpXcsr{routine}Analysis{host}", *sizes, a.count, DESCRIPTION, first, columns, info)
        call(f"Sp{t}csr{routine}BufferInfo{host}", *sizes, a.count, DESCRIPTION, values, first, columns, info,
             internal, work)
        buffer = place(np.zeros(work[0], np.int8))
        if routine == "qr":
            zero = {"S": ctypes.c_float(0), "D": ctypes.c_double(0)}.get(t)
            if zero is None:  # ctypes passes no complex numbers by value
                continue
            call(f"Sp{t}csrqrSetup{host}", *sizes, a.count, DESCRIPTION, values, first, columns, zero, info)
            call(f"Sp{t}csrqrFactor{host}", *sizes, a.count, ctypes.c_void_p(), ctypes.c_void_p(), info, buffer)
        else:
            threshold = (real(t, 1.0),) if routine == "lu" else ()
            call(f"Sp{t}csr{routine}Factor{host}", N, a.count, DESCRIPTION, values, first, columns, info, *threshold,
                 buffer)
        position = np.full(1, 77, np.int32)
        call(f"Sp{t}csr{routine}ZeroPivot{host}", info, real(t, 1e-12), position)
        assert position[0] == -1
        b, x = draw(t, m), place(np.zeros(N, TYPES[t]))
        call(f"Sp{t}csr{routine}Solve{host}", *sizes, place(b), x, info, buffer)
        wanted = np.linalg.lstsq(matrix, b, rcond=None)[0]
        close(t, cupy.asnumpy(x), wanted, (routine, host))
        if routine == "lu":
            refactor(t, a, info, buffer)
        if routine == "chol" and not host:
            diagonal = cupy.zeros(N, TYPES[t](0).real.dtype)
            call(f"Sp{t}csrcholDiag", info, diagonal)
            # NVIDIA's library may eliminate rows in another order.
            close(t, np.sort(cupy.asnumpy(diagonal)), np.sort(np.diag(np.linalg.cholesky(matrix)).real), "diagonal")
        call(f"SpDestroyCsr{routine}Info{host}", info, handle=False)


def dense_of(first, columns, values):
    made = np.zeros((N, N), values.dtype)
    for row in range(N):
        made[row, columns[first[row]:first[row + 1]]] = values[first[row]:first[row + 1]]
    return made


def refactor(t, a, info, buffer):
    """P A Q' = L U; in double precision then with other numbers in A."""
    counts = np.zeros(2, np.int32)
    call("SpXcsrluNnzHost", counts[:1], counts[1:], info)
    p, q = np.zeros(N, np.int32), np.zeros(N, np.int32)
    lower, upper = ([np.zeros(count, TYPES[t]), np.zeros(N + 1, np.int32), np.zeros(count, np.int32)]
                    for count in counts)
    call(f"Sp{t}csrluExtractHost", p, q, DESCRIPTION, *lower, DESCRIPTION, *upper, info, buffer)
    l, u = (dense_of(first, columns, values) for values, first, columns in (lower, upper))
    assert (np.triu(l) == 0).all() and (np.tril(u, -1) == 0).all()
    close(t, (l + np.eye(N)) @ u, a.dense[np.ix_(p, q)], "factors")
    if t != "D":
        return
    rf = ctypes.c_void_p()
    call("RfCreate", ctypes.byref(rf), handle=False)
    call("RfSetMatrixFormat", rf, 0, 2, handle=False)
    call("RfSetNumericProperties", rf, ctypes.c_double(0), ctypes.c_double(0), handle=False)
    parts = [part for values, first, columns in (lower, upper) for part in (len(values), first, columns, values)]
    values, first, columns = a.arrays()
    call("RfSetupHost", N, a.count, first, columns, values, *parts, p, q, rf, handle=False)
    call("RfAnalyze", rf, handle=False)
    other = values * (1 + 0.1 * RANDOM.random(len(values)))
    on_device = [cupy.array(each) for each in (first, columns, other, p, q)]
    call("RfResetValues", N, a.count, *on_device, rf, handle=False)
    call("RfRefactor", rf, handle=False)
    b = draw(t, N)
    x = cupy.array(b)
    call("RfSolve", rf, *on_device[3:], 1, cupy.zeros(N), N, x, N, handle=False)
    close(t, dense_of(first, columns, other) @ cupy.asnumpy(x), b, "refactored")
    call("RfDestroy", rf, handle=False)


orders()
permutation()
for letter in TYPES:
    systems(letter)
    eigenvalue(letter)
    low_level(letter)
print("right:", len(done), "routines")
