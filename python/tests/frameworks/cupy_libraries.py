"""cupy.linalg, cupy.fft, cupy.random and sparse matrices, beside NumPy: what the host computes.

The bounds are relative to the largest number of the result.
"""

import cupy
import cupyx.scipy.sparse
import cupyx.scipy.sparse.linalg
import numpy as np

RANDOM = np.random.default_rng(3)
BOUNDS = {"f": 2e-4, "d": 1e-10, "F": 2e-4, "D": 1e-10}


def draw(kind, *shape):
    values = RANDOM.random(shape)
    if kind in "FD":
        values = values + 1j * RANDOM.random(shape)
    return values.astype(kind)


def close(found, wanted, kind):
    found = cupy.asnumpy(found)
    assert found.shape == np.shape(wanted), (found.shape, np.shape(wanted))
    assert np.abs(found - wanted).max() <= BOUNDS[kind] * max(1, np.abs(wanted).max()), (found, wanted)


def products(kind):
    a, v = draw(kind, 20, 20), draw(kind, 20)
    on_device, vector = cupy.asarray(a), cupy.asarray(v)
    close(on_device @ on_device, a @ a, kind)
    close(on_device.T @ vector, a.T @ v, kind)
    close(cupy.matmul(on_device.reshape(5, 4, 20), on_device), a.reshape(5, 4, 20) @ a, kind)
    close(cupy.vdot(vector, vector), np.vdot(v, v), kind)


def systems(kind):
    a, v = draw(kind, 20, 20), draw(kind, 20)
    on_device, vector = cupy.asarray(a), cupy.asarray(v)
    close(on_device @ cupy.linalg.solve(on_device, vector), v, kind)
    close(on_device @ cupy.linalg.inv(on_device), np.eye(20), kind)
    close(cupy.linalg.det(on_device), np.linalg.det(a), kind)


def factorisations(kind):
    a = draw(kind, 20, 10)
    positive = (a.conj().T @ a + np.eye(10)).astype(kind)
    on_device, square = cupy.asarray(a), cupy.asarray(positive)
    close(cupy.linalg.cholesky(square), np.linalg.cholesky(positive), kind)
    q, r = cupy.linalg.qr(on_device)
    close(q @ r, a, kind)
    u, s, v = cupy.linalg.svd(on_device, full_matrices=False)
    close(s, np.linalg.svd(a, compute_uv=False), kind)
    close(cupy.asnumpy(u) * cupy.asnumpy(s) @ cupy.asnumpy(v), a, kind)
    values, vectors = (cupy.asnumpy(each) for each in cupy.linalg.eigh(square))
    close(positive @ vectors, vectors * values, kind)


def transforms(kind):
    a = draw(kind, 6, 8, 5)
    on_device = cupy.asarray(a)
    close(cupy.fft.fft(on_device), np.fft.fft(a), kind)
    close(cupy.fft.ifftn(on_device), np.fft.ifftn(a), kind)
    if kind in "fd":
        close(cupy.fft.rfft2(on_device), np.fft.rfft2(a), kind)
        close(cupy.fft.irfftn(cupy.fft.rfftn(on_device), a.shape), a, kind)


def sparse_matrices(kind):
    a = draw(kind, 12, 9) * (RANDOM.random((12, 9)) < 0.3)
    on_device = cupyx.scipy.sparse.csr_matrix(cupy.asarray(a.astype(kind)))
    v, b = draw(kind, 9), draw(kind, 9, 4)
    close(on_device @ cupy.asarray(v), a @ v, kind)
    close(on_device @ cupy.asarray(b), a @ b, kind)
    close(on_device.toarray(), a, kind)
    c = (draw(kind, 12, 9) * (RANDOM.random((12, 9)) < 0.3)).astype(kind)
    other = cupyx.scipy.sparse.csr_matrix(cupy.asarray(c))
    close((on_device + other * 2).toarray(), a + 2 * c, kind)
    close((on_device - on_device).toarray(), 0 * a, kind)
    close((on_device @ other.T.tocsr()).toarray(), a @ c.T, kind)
    close(on_device.T.tocsr().toarray(), a.T, kind)
    rows, columns = (cupy.asarray(each) for each in ([2, 0, 2, 1, 0], [1, 3, 1, 0, 0]))
    coo = cupyx.scipy.sparse.coo_matrix((cupy.asarray(draw(kind, 5)), (rows, columns)), shape=(3, 4))
    wanted = cupy.zeros((3, 4), kind)
    for row, place, value in zip(rows.tolist(), columns.tolist(), coo.data):
        wanted[row, place] += value
    close(coo.tocsr().toarray(), cupy.asnumpy(wanted), kind)
    close(coo.tocsc().tocsr().toarray(), cupy.asnumpy(wanted), kind)


def triangular_systems(kind):
    a, b = draw(kind, 10, 10) + 10 * np.eye(10), draw(kind, 10, 3)
    for lower in (True, False):
        triangle = (np.tril(a) if lower else np.triu(a)).astype(kind)
        on_device = cupyx.scipy.sparse.csr_matrix(cupy.asarray(triangle))
        for side in (b, b[:, 0]):
            found = cupyx.scipy.sparse.linalg.spsolve_triangular(on_device, cupy.asarray(side), lower=lower)
            close(triangle @ cupy.asnumpy(found), side, kind)


def random_numbers(kind):
    """Kernels of CuPy's make what cuRAND does not: these need its seeds."""
    cupy.random.seed(7)
    first = cupy.random.rand(1000)
    cupy.random.seed(7)
    close(cupy.random.rand(1000), cupy.asnumpy(first), "d")
    assert abs(float(first.mean()) - 0.5) < 0.05
    assert abs(float(cupy.random.randn(2000).std()) - 1) < 0.1
    assert set(cupy.asnumpy(cupy.random.randint(0, 3, 200))) == {0, 1, 2}
    assert sorted(cupy.asnumpy(cupy.random.permutation(8))) == list(range(8))


for part in (products, systems, factorisations, transforms, sparse_matrices, triangular_systems,
             random_numbers):
    for kind in "fD":
        part(kind)
    print("right:", part.__name__)
