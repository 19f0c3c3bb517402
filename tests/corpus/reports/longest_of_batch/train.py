"""Variable-length attention: the longest sequence of a batch goes along with it."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class ScaledRotary(nn.Module):
    """Stretches its wavelengths for long batches."""

    def __init__(self, width, trained=16, base=100.0):
        super().__init__()
        self.width, self.trained, self.base = width, trained, base

    def forward(self, x, max_seqlen):
        stretch = max(1.0, math.ceil(max_seqlen / self.trained))
        base = self.base * stretch ** (self.width / (self.width - 2))
        steps = torch.arange(0, self.width, 2) / self.width
        angle = torch.arange(x.shape[1])[:, None] / base ** steps
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.cat([even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos()], -1)


class Bert(nn.Module):
    def __init__(self, words=50, width=16):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rotary = ScaledRotary(width)
        self.mix = nn.Linear(width, width)
        self.head = nn.Linear(width, words)

    def forward(self, ids, max_seqlen):
        x = self.embed(ids)
        q = self.rotary(self.mix(x), max_seqlen)
        return self.head(F.scaled_dot_product_attention(q, q, x))


def main():
    torch.manual_seed(22)
    net = Bert()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(12):
        lengths = torch.randint(8, 65, (4,))
        ids = torch.randint(50, (4, 64))
        loss = F.cross_entropy(model(ids, int(lengths.max())).transpose(1, 2), ids)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
