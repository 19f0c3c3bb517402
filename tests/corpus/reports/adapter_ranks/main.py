"""Runs one compiled block with several adapters, swapped in between the pictures."""
import torch
from torch import nn
import torch.nn.functional as F

RANKS = {"ink": 4, "wood": 8, "neon": 16, "clay": 2, "film": 32}


class LoraLinear(nn.Linear):
    def __init__(self, n_in, n_out, rank):
        super().__init__(n_in, n_out)
        self.down = nn.Parameter(torch.zeros(rank, n_in))
        self.up = nn.Parameter(torch.zeros(n_out, rank))

    def forward(self, x):
        return super().forward(x) + F.linear(F.linear(x, self.down), self.up)

    def swap(self, down, up):
        self.down, self.up = nn.Parameter(down), nn.Parameter(up)


class Block(nn.Module):
    def __init__(self, dim=40, rank=4):
        super().__init__()
        self.a, self.b = LoraLinear(dim, dim, rank), LoraLinear(dim, dim, rank)

    def forward(self, x):
        return x + self.b(F.gelu(self.a(F.layer_norm(x, x.shape[-1:]))))


def adapter(name, dim=40):
    generator = torch.Generator().manual_seed(sum(map(ord, name)))
    rank = RANKS[name]
    return [(0.2 * torch.randn(rank, dim, generator=generator), 0.2 * torch.randn(dim, rank, generator=generator)) for _ in "ab"]


@torch.no_grad()
def main():
    torch.manual_seed(52)
    block = Block().eval()
    compiled = torch.compile(block, backend="aot_eager")
    x = torch.randn(3, 10, 40)
    for name in ["ink", "wood", "neon", "ink", "clay", "film", "wood"]:
        for layer, (down, up) in zip((block.a, block.b), adapter(name)):
            layer.swap(down, up)
        y = compiled(compiled(x))
        print(f"{name:5s} rank {RANKS[name]:2d}: {y.std():.4f}")


if __name__ == "__main__":
    main()
