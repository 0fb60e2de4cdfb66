"""Kernels in Triton, of the kinds that its tutorials are about, beside PyTorch on the CPU."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def add(x_at, y_at, to, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < n
    tl.store(to + places, tl.load(x_at + places, inside) + tl.load(y_at + places, inside), inside)


@triton.jit
def softmax(x_at, to, columns, BLOCK: tl.constexpr):
    places = tl.arange(0, BLOCK)
    x = tl.load(x_at + tl.program_id(0) * columns + places, places < columns, other=-float("inf"))
    powers = tl.exp(x - tl.max(x, 0))
    tl.store(to + tl.program_id(0) * columns + places, powers / tl.sum(powers, 0), places < columns)


@triton.jit
def matmul(a_at, b_at, c_at, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, k, K):
        a = tl.load(a_at + rows[:, None] * k + begin + depth[None, :])
        b = tl.load(b_at + (begin + depth[:, None]) * n + columns[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_at + rows[:, None] * n + columns[None, :], total.to(tl.float16))


@triton.jit
def layer_norm(x_at, weight_at, bias_at, to, columns, BLOCK: tl.constexpr):
    places = tl.arange(0, BLOCK)
    inside = places < columns
    x = tl.load(x_at + tl.program_id(0) * columns + places, inside, other=0.0)
    mean = tl.sum(x, 0) / columns
    apart = tl.where(inside, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(apart * apart, 0) / columns + 1e-5)
    tl.store(to + tl.program_id(0) * columns + places,
             apart * scale * tl.load(weight_at + places, inside) + tl.load(bias_at + places, inside), inside)


@triton.jit
def attention(q_at, k_at, v_at, to, length, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    across = tl.arange(0, D)
    q = tl.load(q_at + rows[:, None] * D + across[None, :])
    greatest = tl.full((M, ), -float("inf"), tl.float32)
    weights = tl.zeros((M, ), tl.float32)
    total = tl.zeros((M, D), tl.float32)
    for begin in range(0, length, N):
        keys = begin + tl.arange(0, N)
        k = tl.load(k_at + keys[None, :] * D + across[:, None])
        score = tl.dot(q, k) * scale
        above = tl.maximum(greatest, tl.max(score, 1))
        powers = tl.exp(score - above[:, None])
        fade = tl.exp(greatest - above)
        weights = weights * fade + tl.sum(powers, 1)
        v = tl.load(v_at + keys[:, None] * D + across[None, :])
        total = tl.dot(powers.to(tl.float16), v, total * fade[:, None])
        greatest = above
    tl.store(to + rows[:, None] * D + across[None, :], total / weights[:, None])


def draw(*shape, dtype=torch.float32):
    values = torch.randn(*shape, generator=torch.Generator().manual_seed(len(shape) + shape[0])).to(dtype)
    return values, values.cuda()


def vector_addition():
    (x, x_there), (y, y_there) = draw(3000), draw(3000)
    to = torch.empty_like(x_there)
    add[(3, )](x_there, y_there, to, 3000, BLOCK=1024)
    return to, x + y, 0


def fused_softmax():
    x, there = draw(5, 200)
    to = torch.empty_like(there)
    softmax[(5, )](there, to, 200, BLOCK=256)
    return to, torch.softmax(x, 1), 1e-6


def matrix_product():
    (a, a_there), (b, b_there) = draw(128, 64, dtype=torch.float16), draw(64, 128, dtype=torch.float16)
    to = torch.empty(128, 128, dtype=torch.float16, device="cuda")
    matmul[(2, 2)](a_there, b_there, to, 128, 64, M=64, N=64, K=32)
    return to, a.float() @ b.float(), 2e-2


def layer_normalisation():
    (x, there), (w, w_there), (b, b_there) = draw(4, 100), draw(100), draw(100)
    to = torch.empty_like(there)
    layer_norm[(4, )](there, w_there, b_there, to, 100, BLOCK=128)
    return to, torch.nn.functional.layer_norm(x, (100, ), w, b), 1e-5


def fused_attention():
    q, k, v = (draw(64 + 64 * i, 32, dtype=torch.float16) for i in range(3))
    k, v = draw(128, 32, dtype=torch.float16), (k[0].flip(0).contiguous(), k[1].flip(0).contiguous())
    to = torch.empty(64, 32, device="cuda")
    attention[(1, )](q[1], k[1], v[1], to, 128, 32**-0.5, M=64, N=64, D=32)
    return to, torch.softmax(q[0].float() @ k[0].float().T * 32**-0.5, 1) @ v[0].float(), 1e-2


def tensor_descriptors():
    """Copies of boxes, as the tutorial on persistent products makes them."""
    (a, a_there), (b, b_there) = draw(128, 64, dtype=torch.float16), draw(64, 128, dtype=torch.float16)
    to = torch.empty(128, 128, dtype=torch.float16, device="cuda")
    triton.set_allocator(lambda bytes, alignment, stream: torch.empty(bytes, device="cuda", dtype=torch.int8))
    persistent[(2, )](a_there, b_there, to, 128, 128, 64, M=64, N=64, K=64)
    return to, a.float() @ b.float(), 2e-2


@triton.jit
def persistent(a_at, b_at, c_at, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a_boxes = tl.make_tensor_descriptor(a_at, [m, k], [k, 1], [M, K])
    b_boxes = tl.make_tensor_descriptor(b_at, [k, n], [n, 1], [K, N])
    c_boxes = tl.make_tensor_descriptor(c_at, [m, n], [n, 1], [M, N])
    across = n // N
    for tile in range(tl.program_id(0), m // M * across, tl.num_programs(0)):
        row, column = tile // across * M, tile % across * N
        total = tl.zeros((M, N), tl.float32)
        for begin in range(0, k, K):
            total = tl.dot(a_boxes.load([row, begin]), b_boxes.load([begin, column]), total)
        c_boxes.store([row, column], total.to(tl.float16))


def compiled_function():
    """A function that PyTorch compiles to Triton."""
    x, there = draw(40, 30)

    def body(values):
        return torch.nn.functional.gelu(values * 2 + 1).sum(1)

    return torch.compile(body)(there), body(x), 1e-4


PARTS = {each.__name__: each for each in (vector_addition, fused_softmax, matrix_product, layer_normalisation,
                                          fused_attention, tensor_descriptors, compiled_function)}

for name in sys.argv[1:] or PARTS:
    found, wanted, bound = PARTS[name]()
    apart = float((found.cpu().float() - wanted.float()).abs().max())
    assert apart <= bound, (name, apart, bound)
    print("right:", name)
