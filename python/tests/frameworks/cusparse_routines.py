"""cuSPARSE's routines by their names, beside NumPy.

Bounds are relative to the largest number: 2e-4 in single precision, 1e-10 in double.
"""

import ctypes

import cupy
import numpy as np

LIBRARY = ctypes.CDLL("libcusparse.so.12")
TYPES = {"S": ("f", 0), "D": ("d", 1), "C": ("F", 4), "Z": ("D", 5)}
BOUNDS = {"S": 2e-4, "D": 1e-10, "C": 2e-4, "Z": 1e-10}
RANDOM = np.random.default_rng(5)
PLAIN, TRANSPOSE, CONJUGATE = 0, 1, 2
LOWER, UPPER, ONES = 0, 1, 1
ZERO_PIVOT = 9
BITS32, CSR, CSC, COO = 2, 1, 2, 3
HANDLE = ctypes.c_void_p()
COMPUTED = set()
ROOM = cupy.zeros(1 << 20, "b")  # more than any workspace here takes


def as_c(value):
    if isinstance(value, cupy.ndarray):
        return ctypes.c_void_p(value.data.ptr)
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    return ctypes.c_longlong(value) if isinstance(value, int) else value


def call(name, *arguments, status=0):
    """Arrays go by their addresses: CuPy's on the device, NumPy's (alpha, beta) on the host."""
    given = getattr(LIBRARY, "cusparse" + name)(HANDLE, *map(as_c, arguments))
    assert given == status, f"{name}: {given}"
    COMPUTED.add(name)


def plain(name, *arguments):
    """A function without a handle."""
    given = getattr(LIBRARY, "cusparse" + name)(*map(as_c, arguments))
    assert given == 0, f"{name}: {given}"
    COMPUTED.add(name)


def make(name, *arguments):
    made = ctypes.c_void_p()
    plain(name, ctypes.byref(made), *arguments)
    return made


def draw(kind, *shape):
    values = RANDOM.random(shape) + (1j * RANDOM.random(shape) if kind in "CZ" else 0)
    return values.astype(TYPES[kind][0])


def number(kind, value):
    return np.array([value], TYPES[kind][0])


def close(found, wanted, kind):
    found = cupy.asnumpy(found)
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    assert np.abs(found - wanted).max() <= BOUNDS[kind] * max(1, np.abs(wanted).max()), (kind, found, wanted)


def applied(op, a):
    return (a, a.T, a.conj().T)[op]


def some(kind, rows, columns, share=0.5):
    """A dense matrix with zeros, whose diagonal is large."""
    a = draw(kind, rows, columns) * (RANDOM.random((rows, columns)) < share)
    k = min(rows, columns)
    a[range(k), range(k)] += 4
    return a.astype(TYPES[kind][0])


def rows_of(a):
    """CSR: where rows begin, columns, values."""
    rows, columns = np.nonzero(a)
    begin = np.searchsorted(rows, np.arange(a.shape[0] + 1))
    return begin.astype("i"), columns.astype("i"), a[rows, columns]


def blocks_of(a, side, by_columns):
    """BSR: where rows of blocks begin, columns of blocks, values."""
    tall, wide = a.shape[0] // side, a.shape[1] // side
    parts = a.reshape(tall, side, wide, side).transpose(0, 2, 1, 3)
    begin, columns, _ = rows_of((parts != 0).any((2, 3)))
    kept = parts[np.repeat(np.arange(tall), np.diff(begin)), columns]
    return begin, columns, (kept.transpose(0, 2, 1) if by_columns else kept).copy()


def there(*arrays):
    return [cupy.asarray(each) for each in arrays]


def csr(kind, a):
    begin, columns, values = kept = there(*rows_of(a))
    made = make("CreateCsr", *map(int, a.shape), values.size, begin, columns, values, ctypes.c_int(BITS32),
                ctypes.c_int(BITS32), ctypes.c_int(0), ctypes.c_int(TYPES[kind][1]))
    return made, kept


def dense(kind, values):
    """By columns."""
    return make("CreateDnMat", *map(int, values.shape), values.shape[0], values,
                ctypes.c_int(TYPES[kind][1]), ctypes.c_int(1))


def vector(kind, values):
    return make("CreateDnVec", values.size, values, ctypes.c_int(TYPES[kind][1]))


def sparse_vectors(kind):
    places, values, wide = np.array([1, 4, 7], "i"), draw(kind, 3), draw(kind, 9)
    on_device = there(places, values, wide)
    sparse = make("CreateSpVec", 9, 3, *on_device[:2], ctypes.c_int(BITS32), ctypes.c_int(0),
                  ctypes.c_int(TYPES[kind][1]))
    full = vector(kind, on_device[2])
    size, result = ctypes.c_size_t(), number(kind, 0)
    for op in (PLAIN, CONJUGATE) if kind in "CZ" else (PLAIN, ):
        call("SpVV_bufferSize", op, sparse, full, result, TYPES[kind][1], ctypes.byref(size))
        call("SpVV", op, sparse, full, result, TYPES[kind][1], ROOM)
        close(result, np.array([applied(op, values[:, None]).ravel() @ wide[places]]), kind)
    stream, result[0] = cupy.cuda.Stream(non_blocking=True), 0
    call("SetStream", stream.ptr)
    stream.begin_capture()
    call("SpVV", PLAIN, sparse, full, result, TYPES[kind][1], ROOM)
    graph = stream.end_capture()
    assert result[0] == 0
    graph.launch(stream)
    stream.synchronize()
    close(result, np.array([values @ wide[places]]), kind)
    call("SetStream", 0)
    call("Scatter", sparse, full)
    wide[places] = values
    close(on_device[2], wide, kind)
    on_device[2] *= 2
    call("Gather", full, sparse)
    close(on_device[1], values * 2, kind)
    count, base, at = ctypes.c_int64(), ctypes.c_int(7), ctypes.c_void_p()
    places_at, index, kind_of, length = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int(), ctypes.c_int64()
    plain("SpVecGet", sparse, *map(ctypes.byref, (length, count, places_at, at, index, base, kind_of)))
    assert (length.value, count.value, places_at.value, at.value, index.value, base.value, kind_of.value) == (
        9, 3, on_device[0].data.ptr, on_device[1].data.ptr, BITS32, 0, TYPES[kind][1])
    plain("SpVecSetValues", sparse, on_device[2])
    plain("SpVecGetValues", sparse, ctypes.byref(at))
    assert at.value == on_device[2].data.ptr
    plain("SpVecGetIndexBase", sparse, ctypes.byref(base))
    plain("DestroySpVec", sparse)


def triangular_systems(kind):
    a, b = some(kind, 6, 6), draw(kind, 6)
    matrix, kept = csr(kind, a)
    for fill, diagonal in ((LOWER, 0), (UPPER, 0), (LOWER, ONES)):
        for which, value in enumerate((fill, diagonal)):
            plain("SpMatSetAttribute", matrix, which, ctypes.byref(ctypes.c_int(value)), 4)
        triangle = np.tril(a) if fill == LOWER else np.triu(a)
        if diagonal == ONES:
            np.fill_diagonal(triangle, 1)
        for op in range(3):
            side, found = there(b, np.zeros_like(b))
            x, y, system = vector(kind, side), vector(kind, found), make("SpSV_createDescr")
            size, alpha = ctypes.c_size_t(), number(kind, 2)
            shared = (op, alpha, matrix, x, y, TYPES[kind][1], 0, system)
            call("SpSV_bufferSize", *shared, ctypes.byref(size))
            call("SpSV_analysis", *shared, ROOM)
            call("SpSV_solve", *shared)
            close(applied(op, triangle) @ cupy.asnumpy(found), 2 * b, kind)
            plain("SpSV_destroyDescr", system)


def getters(kind):
    a = some(kind, 4, 6)
    dual = np.ascontiguousarray(a.T)
    begin, columns, values = there(*rows_of(dual))  # of the transpose, by rows: CSC
    which = tuple(ctypes.c_int(each) for each in (BITS32, BITS32, 0, TYPES[kind][1]))
    by_columns = make("CreateCsc", 4, 6, values.size, begin, columns, values, *which)
    by_rows, kept = csr(kind, a)
    rows = there(np.nonzero(a)[0].astype("i"))[0]
    by_places = make("CreateCoo", 4, 6, kept[2].size, rows, kept[1], kept[2], *which[1:])
    for matrix, format_is, first in ((by_rows, CSR, kept[0]), (by_columns, CSC, begin), (by_places, COO, rows)):
        format_of, base = ctypes.c_int(), ctypes.c_int(9)
        plain("SpMatGetFormat", matrix, ctypes.byref(format_of))
        plain("SpMatGetIndexBase", matrix, ctypes.byref(base))
        assert (format_of.value, base.value) == (format_is, 0)
        sizes = [ctypes.c_int64() for _ in range(3)]
        pointers = [ctypes.c_void_p() for _ in range(3)]
        numbers = [ctypes.c_int() for _ in range(3 if format_is == COO else 4)]
        plain(("", "CsrGet", "CscGet", "CooGet")[format_is], matrix, *map(ctypes.byref, sizes + pointers + numbers))
        assert [each.value for each in sizes] == [4, 6, kept[2].size]
        assert pointers[0].value == first.data.ptr and numbers[-1].value == TYPES[kind][1]
        for op, size in ((PLAIN, 6), (TRANSPOSE, 4)):
            x, y = there(draw(kind, size), np.zeros(10 - size, TYPES[kind][0]))
            call("SpMV", op, number(kind, 1), matrix, vector(kind, x), number(kind, 0), vector(kind, y),
                 TYPES[kind][1], 0, ROOM)
            close(y, applied(op, a) @ cupy.asnumpy(x), kind)
    target = cupy.zeros((4, 6), TYPES[kind][0], order="F")
    call("SparseToDense", by_columns, dense(kind, target), 0, ROOM)
    close(target, a, kind)
    found = there(np.zeros(7, "i"), np.zeros(values.size, "i"), np.zeros(values.size, TYPES[kind][0]))
    fresh = make("CreateCsc", 4, 6, 0, found[0], None, None, *which)
    call("DenseToSparse_analysis", dense(kind, target), fresh, 0, ROOM)
    plain("CscSetPointers", fresh, *found)
    call("DenseToSparse_convert", dense(kind, target), fresh, 0, ROOM)
    assert all((one == other).all() for one, other in zip(found, (begin, columns, values)))


def sorts(kind):
    del kind
    rows, columns = np.array([2, 0, 2, 1, 0], "i"), np.array([3, 1, 0, 2, 0], "i")
    for name, keys in (("XcoosortByRow", (columns, rows)), ("XcoosortByColumn", (rows, columns))):
        r, c, order = there(rows, columns, np.zeros(5, "i"))
        call("CreateIdentityPermutation", 5, order)
        size = ctypes.c_size_t()
        call("Xcoosort_bufferSizeExt", 3, 4, 5, r, c, ctypes.byref(size))
        call(name, 3, 4, 5, r, c, order, ROOM)
        wanted = np.lexsort(keys)
        for found, given in ((r, rows), (c, columns), (order, np.arange(5))):
            assert (cupy.asnumpy(found) == given[wanted]).all(), name
    description, size = make("CreateMatDescr"), ctypes.c_size_t()
    for name in ("csr", "csc"):
        begin, places, order = there(*(np.array(each, "i") for each in ([0, 3, 5], [4, 0, 2, 3, 1], range(5))))
        shape = (2, 5, 5) if name == "csr" else (5, 2, 5)
        call(f"X{name}sort_bufferSizeExt", *shape, begin, places, ctypes.byref(size))
        call(f"X{name}sort", *shape, description, begin, places, order, ROOM)
        assert places.tolist() == [0, 2, 4, 1, 3] and order.tolist() == [1, 2, 0, 4, 3]


def tridiagonal(bands, n):
    return sum(np.diag(band[max(0, -k):n - max(0, k)], k) for k, band in bands.items())


def systems_with_diagonals(kind):
    n, size = 7, ctypes.c_size_t()
    lower, middle, upper = draw(kind, n), draw(kind, n), draw(kind, n)
    middle[2] = 0  # elimination without exchanges of rows goes on with what is left here
    a, b = tridiagonal({-1: lower, 0: middle, 1: upper}, n), draw(kind, n, 3)
    for name in ("gtsv2", "gtsv2_nopivot"):
        if name.endswith("pivot"):
            middle += 3
            a = tridiagonal({-1: lower, 0: middle, 1: upper}, n)
        given = there(lower, middle, upper) + [cupy.asarray(b, order="F")]
        call(f"{kind}{name}_bufferSizeExt", n, 3, *given, n, ctypes.byref(size))
        call(f"{kind}{name}", n, 3, *given, n, ROOM)
        close(a @ cupy.asnumpy(given[3]), b, kind)
    sides, count, stride = draw(kind, 2, n), 2, n + 2
    padded = [np.zeros((2, stride), TYPES[kind][0]) for _ in range(4)]
    for target, values in zip(padded, (lower, middle, upper, sides)):
        target[:, :n] = values
    given = there(*padded)
    call(f"{kind}gtsv2StridedBatch_bufferSizeExt", n, *given, count, stride, ctypes.byref(size))
    call(f"{kind}gtsv2StridedBatch", n, *given, count, stride, ROOM)
    close(cupy.asnumpy(given[3])[:, :n] @ a.T, sides, kind)
    given = [cupy.asarray(np.repeat(each[:, None], 2, 1)) for each in (lower, middle, upper)]
    x = cupy.asarray(np.ascontiguousarray(sides.T))
    call(f"{kind}gtsvInterleavedBatch_bufferSizeExt", 0, n, *given, x, count, ctypes.byref(size))
    call(f"{kind}gtsvInterleavedBatch", 0, n, *given, x, count, ROOM)
    close(a @ cupy.asnumpy(x), sides.T, kind)
    bands = {k: draw(kind, n) + (4 if k == 0 else 0) for k in range(-2, 3)}
    given = [cupy.asarray(np.repeat(bands[k][:, None], 2, 1).astype(TYPES[kind][0])) for k in range(-2, 3)]
    x = cupy.asarray(np.ascontiguousarray(sides.T))
    call(f"{kind}gpsvInterleavedBatch_bufferSizeExt", 0, n, *given, x, count, ctypes.byref(size))
    call(f"{kind}gpsvInterleavedBatch", 0, n, *given, x, count, ROOM)
    close(tridiagonal(bands, n) @ cupy.asnumpy(x), sides.T, kind)


def lu_in_pattern(a, pattern):
    """By definition: the product equals the matrix wherever that has an element."""
    lu = a.copy()
    for i in range(1, len(a)):
        for k in range(i):
            if pattern[i, k]:
                lu[i, k] /= lu[k, k]
                later = np.arange(len(a)) > k
                lu[i] -= np.where(pattern[i] & later, lu[i, k] * lu[k] * pattern[k], 0)
    return lu


def incomplete_factors(kind):
    side, size, position = 2, ctypes.c_int(), ctypes.c_int(7)
    a = some(kind, 8, 8, 0.4)
    symmetric = (a + a.conj().T + 4 * np.eye(8)).astype(TYPES[kind][0])
    description = make("CreateMatDescr")
    for blocks in (0, 1, 2):  # rows of elements; blocks by rows, by columns
        for name, given in (("ilu02", a), ("ic02", symmetric)):
            form = "bsr" if blocks else "csr"
            info = make(f"Create{form.capitalize()}{name}Info")
            begin, columns, values = there(*(blocks_of(given, side, blocks == 2) if blocks else rows_of(given)))
            before = ((blocks - 1, ) if blocks else ()) + (8 // (side if blocks else 1), columns.size, description)
            matrix = (values, begin, columns) + ((side, ) if blocks else ()) + (info, )
            call(f"{kind}{form}{name}_bufferSize", *before, *matrix, ctypes.byref(size))
            call(f"{kind}{form}{name}_analysis", *before, *matrix, 0, ROOM)
            call(f"{kind}{form}{name}", *before, *matrix, 0, ROOM)
            call(f"X{form}{name}_zeroPivot", info, ctypes.byref(position))
            assert position.value == -1
            pattern = given != 0
            if blocks:
                pattern = np.kron((given.reshape(4, 2, 4, 2) != 0).any((1, 3)), np.ones((2, 2))) > 0
            if name == "ilu02":
                wanted = lu_in_pattern(given, pattern)
            else:
                lower = np.tril(pattern)
                wanted = np.where(lower, cholesky_in_pattern(given, lower), given)
            kept = blocks_of(np.where(pattern, wanted, 0), side, blocks == 2) if blocks else rows_of(wanted)
            close(values, kept[2], kind)


def cholesky_in_pattern(a, pattern):
    l = np.zeros_like(a)
    for i in range(len(a)):
        for k in range(i + 1):
            if pattern[i, k]:
                rest = a[i, k] - l[i, :k] @ l[k, :k].conj()
                l[i, k] = np.sqrt(rest) if i == k else rest / l[k, k]
    return l


def pivots(kind):
    a = np.diag(draw(kind, 4) + 1)
    a[2, 2], a[3, 2] = 1e-9, 1
    description, info, position = make("CreateMatDescr"), make("CreateCsrilu02Info"), ctypes.c_int()
    begin, columns, values = there(*rows_of(a))
    call(f"{kind}csrilu02_analysis", 4, 5, description, values, begin, columns, info, 0, ROOM)
    call(f"{kind}csrilu02_numericBoost", info, 1, np.array([1e-6]), number(kind, 5))
    call(f"{kind}csrilu02", 4, 5, description, values, begin, columns, info, 0, ROOM)
    assert cupy.asnumpy(values)[2] == 5
    values[2] = 0
    call(f"{kind}csrilu02_numericBoost", info, 0, None, None)
    call(f"{kind}csrilu02", 4, 5, description, values, begin, columns, info, 0, ROOM)
    call("Xcsrilu02_zeroPivot", info, ctypes.byref(position), status=ZERO_PIVOT)
    assert position.value == 2
    plain("DestroyCsrilu02Info", info)


def blocks(kind):
    side, description = 2, make("CreateMatDescr")
    alpha, beta = number(kind, 2), number(kind, 3)
    a = some(kind, 6, 8)
    for direction in (0, 1):
        begin, columns, values = there(*blocks_of(a, side, direction == 1))
        for op in range(3):
            x, y = draw(kind, 8 if op == PLAIN else 6), draw(kind, 6 if op == PLAIN else 8)
            given = there(x, y)
            call(f"{kind}bsrmv", direction, op, 3, 4, columns.size, alpha, description, values, begin, columns,
                 side, given[0], beta, given[1])
            close(given[1], 2 * applied(op, a) @ x + 3 * y, kind)
        for op_b in (PLAIN, TRANSPOSE):
            b, c = draw(kind, 8, 5), draw(kind, 6, 5)
            x, y = cupy.asarray(applied(op_b, b), order="F"), cupy.asarray(c, order="F")
            call(f"{kind}bsrmm", direction, PLAIN, op_b, 3, 5, 4, columns.size, alpha, description, values, begin,
                 columns, side, x, x.shape[0], beta, y, 6)
            close(y, 2 * a @ b + 3 * c, kind)
    block_systems(kind, description, alpha)


def block_systems(kind, description, alpha):
    side, size, position = 2, ctypes.c_int(), ctypes.c_int()
    a, b = some(kind, 6, 6), draw(kind, 6, 4)
    begin, columns, values = there(*blocks_of(a, side, False))
    matrix = (description, values, begin, columns, side)
    for fill in (LOWER, UPPER):
        plain("SetMatFillMode", description, fill)
        triangle = np.tril(a) if fill == LOWER else np.triu(a)
        for op in range(3):
            info, (f, x) = make("CreateBsrsv2Info"), there(b[:, 0].copy(), b[:, 1].copy())
            call(f"{kind}bsrsv2_bufferSize", 0, op, 3, columns.size, *matrix, info, ctypes.byref(size))
            call(f"{kind}bsrsv2_analysis", 0, op, 3, columns.size, *matrix, info, 0, ROOM)
            call(f"{kind}bsrsv2_solve", 0, op, 3, columns.size, alpha, *matrix, info, f, x, 0, ROOM)
            call("Xbsrsv2_zeroPivot", info, ctypes.byref(position))
            close(applied(op, triangle) @ cupy.asnumpy(x), 2 * b[:, 0], kind)
            plain("DestroyBsrsv2Info", info)
        for op_b in (PLAIN, TRANSPOSE):
            info, given = make("CreateBsrsm2Info"), cupy.asarray(applied(op_b, b), order="F")
            x = cupy.zeros_like(given)
            before = (0, PLAIN, op_b, 3, 4, columns.size)
            call(f"{kind}bsrsm2_bufferSize", *before, *matrix, info, ctypes.byref(size))
            call(f"{kind}bsrsm2_analysis", *before, *matrix, info, 0, ROOM)
            call(f"{kind}bsrsm2_solve", *before, alpha, *matrix, info, given, given.shape[0], x, x.shape[0], 0, ROOM)
            call("Xbsrsm2_zeroPivot", info, ctypes.byref(position))
            close(triangle @ applied(op_b, cupy.asnumpy(x)), 2 * b, kind)


def counts(kind):
    a, description, total = some(kind, 5, 6), make("CreateMatDescr"), np.zeros(1, "i")
    on_device = cupy.asarray(a, order="F")
    for direction, axis in ((0, 1), (1, 0)):
        found = cupy.zeros(5 if direction == 0 else 6, "i")
        call(f"{kind}nnz", direction, 5, 6, description, on_device, 5, found, total)
        assert found.tolist() == (a != 0).sum(axis).tolist() and total[0] == (a != 0).sum()
    begin, columns, values = there(*rows_of(a))
    tolerance = {"S": ctypes.c_float, "D": ctypes.c_double}.get(kind)
    if tolerance is None:  # passed in registers as a pair, which ctypes cannot say
        return
    found, kept = cupy.zeros(5, "i"), np.abs(a) > 1
    call(f"{kind}nnz_compress", 5, description, values, begin, found, total, tolerance(1))
    assert found.tolist() == kept.sum(1).tolist() and total[0] == kept.sum()
    less = there(np.zeros(total[0], TYPES[kind][0]), np.zeros(total[0], "i"), np.zeros(6, "i"))
    call(f"{kind}csr2csr_compress", 5, 6, description, values, columns, begin, values.size, found, *less, tolerance(1))
    wanted = rows_of(np.where(kept, a, 0))
    assert all((cupy.asnumpy(one) == other).all() for one, other in zip(less, wanted[::-1]))


def sampled_products(kind):
    c, b = some(kind, 4, 5), draw(kind, 3, 5)
    for op in (PLAIN, TRANSPOSE):
        a = draw(kind, 4, 3)
        stored = applied(op, a)
        matrix, kept = csr(kind, c)
        keep = [cupy.asarray(each, order="F") for each in (stored, b)]
        sides = [dense(kind, each) for each in keep]
        size, shared = ctypes.c_size_t(), (op, PLAIN, number(kind, 2), *sides, number(kind, 3), matrix, TYPES[kind][1], 0)
        call("SDDMM_bufferSize", *shared, ctypes.byref(size))
        call("SDDMM_preprocess", *shared, ROOM)
        call("SDDMM", *shared, ROOM)
        close(kept[2], (2 * a @ b + 3 * c)[np.nonzero(c)], kind)


def batches(kind):
    a = [some(kind, 4, 4, 1) for _ in range(2)]
    parts = [rows_of(each) for each in a]
    begin, columns, values = there(*(np.concatenate(each) for each in zip(*parts)))
    which = tuple(ctypes.c_int(each) for each in (BITS32, BITS32, 0, TYPES[kind][1]))
    matrix = make("CreateCsr", 4, 4, 16, begin, columns, values, *which)
    plain("CsrSetStridedBatch", matrix, 2, 5, 16)
    b, c = draw(kind, 2, 4, 3), np.zeros((2, 4, 3), TYPES[kind][0])
    on_device = there(np.ascontiguousarray(b.transpose(0, 2, 1)), np.ascontiguousarray(c.transpose(0, 2, 1)))
    sides = [make("CreateDnMat", 4, 3, 4, each, which[3], ctypes.c_int(1)) for each in on_device]
    for each in sides:
        plain("DnMatSetStridedBatch", each, 2, 12)
    count, between = ctypes.c_int(), ctypes.c_int64()
    plain("DnMatGetStridedBatch", sides[0], ctypes.byref(count), ctypes.byref(between))
    assert (count.value, between.value) == (2, 12)
    plain("SpMatGetStridedBatch", matrix, ctypes.byref(count))
    assert count.value == 2
    call("SpMM", PLAIN, PLAIN, number(kind, 1), matrix, sides[0], number(kind, 0), sides[1], TYPES[kind][1], 0, ROOM)
    close(on_device[1].transpose(0, 2, 1), np.array([x @ y for x, y in zip(a, b)]), kind)


plain("Create", ctypes.byref(HANDLE))
for part in (sparse_vectors, triangular_systems, getters, sorts, systems_with_diagonals, incomplete_factors, pivots,
             blocks, counts, sampled_products, batches):
    for letter in TYPES:
        part(letter)
    print("right:", part.__name__)
print("routines:", len(COMPUTED))
