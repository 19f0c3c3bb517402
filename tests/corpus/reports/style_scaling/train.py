"""Swap styles of a compiled painter in place."""
import torch
from torch import nn

STYLES = {"megaphone": 0.5, "coloring": 1.0, "duck": 0.8, "fantasy": 1.25, "ink": 0.65}


class LowRank(nn.Module):
    def __init__(self, width, rank=4):
        super().__init__()
        self.base = nn.Linear(width, width)
        self.down = nn.Linear(width, rank, bias=False)
        self.up = nn.Linear(rank, width, bias=False)
        self.scaling = {"default": 1.0}

    def forward(self, x):
        return self.base(x) + self.up(self.down(x)) * self.scaling["default"]


class Painter(nn.Module):
    def __init__(self, width=12, depth=2):
        super().__init__()
        self.layers = nn.ModuleList(LowRank(width) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
        return x


@torch.no_grad()
def hotswap(painter, name):
    generator = torch.Generator().manual_seed(len(name))
    for layer in painter.layers:
        layer.down.weight.copy_(torch.randn(layer.down.weight.shape, generator=generator))
        layer.up.weight.copy_(torch.randn(layer.up.weight.shape, generator=generator))
        layer.scaling["default"] = STYLES[name]


def main():
    torch.manual_seed(43)
    painter = Painter().eval()
    run = torch.compile(painter, backend="eager")
    total = 0.0
    for name in STYLES:
        hotswap(painter, name)
        with torch.no_grad():
            for _ in range(3):
                total += run(torch.randn(4, 12)).abs().mean().item()
    print(f"total {total:.5f}")


if __name__ == "__main__":
    main()
