"""Training steps of three networks on the GPU, beside the same steps on the CPU.

    python torch_training.py mlp|cnn|transformer

Bound: each loss within 1e-4 of the CPU's, relative. Sums are added in another order.
"""

import sys

import torch
from torch import nn

# cuDNN needs NVIDIA's driver. Without it PyTorch uses its own kernels for convolutions and norms.
assert not torch.backends.cudnn.enabled


def mlp():
    model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Dropout(0.0), nn.Linear(32, 4))
    return model, torch.randn(16, 20), torch.randint(0, 4, (16,)), torch.optim.SGD, 0.1


def cnn():
    model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(),
                          nn.MaxPool2d(2), nn.Conv2d(4, 8, 3), nn.ReLU(), nn.Flatten(),
                          nn.Linear(8 * 2 * 2, 4))
    return model, torch.randn(6, 1, 8, 8), torch.randint(0, 4, (6,)), torch.optim.Adam, 0.01


class Transformer(nn.Module):
    """Says which token comes next."""

    def __init__(self, tokens=11, width=16):
        super().__init__()
        self.embedding = nn.Embedding(tokens, width)
        self.layer = nn.TransformerEncoderLayer(width, nhead=2, dim_feedforward=32, dropout=0.0,
                                                batch_first=True)
        self.last = nn.Linear(width, tokens)

    def forward(self, words):
        mask = nn.Transformer.generate_square_subsequent_mask(words.shape[1], words.device)
        return self.last(self.layer(self.embedding(words), mask, is_causal=True)).flatten(0, 1)


def transformer():
    words = torch.randint(0, 11, (3, 9))
    return Transformer(), words[:, :-1], words[:, 1:].flatten(), torch.optim.AdamW, 0.01


def losses(network, device, steps=4):
    torch.manual_seed(1)
    model, values, labels, optimiser, rate = network()
    model, values, labels = model.to(device), values.to(device), labels.to(device)
    steps_of = optimiser(model.parameters(), lr=rate)
    result = []
    for _ in range(steps):
        loss = nn.functional.cross_entropy(model(values), labels)
        steps_of.zero_grad()
        loss.backward()
        steps_of.step()
        result.append(loss.item())
    return result


if __name__ == "__main__":
    network = {"mlp": mlp, "cnn": cnn, "transformer": transformer}[sys.argv[1]]
    gpu, cpu = losses(network, "cuda"), losses(network, "cpu")
    for step, (ours, wanted) in enumerate(zip(gpu, cpu)):
        print(f"step {step}: loss {ours:.6f} on the GPU, {wanted:.6f} on the CPU")
        assert abs(ours - wanted) <= 1e-4 * abs(wanted)
    assert gpu[-1] < gpu[0]
    print("right:", sys.argv[1])
