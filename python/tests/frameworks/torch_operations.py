"""PyTorch's operations on the GPU, beside the CPU's.

Bound: 1e-4 of the largest number of the result (1e-9 for float64); whole numbers are exact.
"""

import torch

torch.manual_seed(3)


def right(name, operation, *operands):
    wanted = operation(*operands)
    result = operation(*[each.cuda() for each in operands])
    for ours, theirs in zip(*[value if isinstance(value, (tuple, list)) else [value]
                              for value in (result, wanted)]):
        ours = ours.cpu()
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, name
        if theirs.dtype.is_floating_point or theirs.dtype.is_complex:
            bound = 1e-9 if theirs.dtype in (torch.float64, torch.complex128) else 1e-4
            assert (ours - theirs).abs().max() <= bound * theirs.abs().max(), name
        else:
            assert torch.equal(ours, theirs), name
    print("right:", name)


a, b = torch.randn(24, 17), torch.randn(17, 9)
right("matmul", torch.matmul, a, b)
right("matmul of float64", torch.matmul, a.double(), b.double())
right("bmm", torch.bmm, torch.randn(3, 4, 5), torch.randn(3, 5, 6))
right("addmm", torch.addmm, torch.randn(9), a, b)
right("einsum", lambda x, y: torch.einsum("ij,jk->ki", x, y), a, b)
right("sort", lambda x: torch.sort(x, stable=True), torch.randint(-999, 999, (5, 300)))
right("topk", lambda x: torch.topk(x, 7), torch.randn(4, 200))
right("cumsum", lambda x: torch.cumsum(x, 1), torch.randn(6, 70))
right("softmax", lambda x: torch.softmax(x, 1), a)
right("unique", torch.unique, torch.randint(0, 40, (300,)))
right("scatter_add", lambda x, i: torch.zeros(9).to(x.device).scatter_add(0, i, x),
      torch.randn(50), torch.randint(0, 9, (50,)))
right("where and any", lambda x: torch.where(x > 0, x, -x).any(0), a)
square = torch.randn(8, 8)
positive = square @ square.T + 8 * torch.eye(8)
right("linalg.solve", torch.linalg.solve, positive, torch.randn(8, 2))
right("linalg.inv", torch.linalg.inv, positive)
right("linalg.det", torch.linalg.det, positive)
right("fft", torch.fft.fft, torch.randn(3, 20))
right("rfft2", torch.fft.rfft2, torch.randn(3, 8, 6))
right("irfft", torch.fft.irfft, torch.randn(3, 11, dtype=torch.complex64))
generator = torch.Generator("cuda").manual_seed(7)
drawn = torch.rand(2000, generator=generator, device="cuda")
assert 0.45 < drawn.mean().item() < 0.55 and drawn.unique().numel() > 1990
print("right: rand")
