"""Draw with a compiled denoiser, plain and then in a style."""
import torch
from torch import nn

from adapters import load_style


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.to_q = nn.Linear(width, width)
        self.to_out = nn.Linear(width, width)

    def forward(self, x):
        return x + self.to_out(torch.tanh(self.to_q(x)))


class Denoiser(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.first = Block(width)
        self.second = Block(width)

    def forward(self, x, t):
        return self.second(self.first(x + t))


class Painter:
    def __init__(self):
        self.denoiser = Denoiser().eval()
        self.run = torch.compile(self.denoiser, backend="eager")

    @torch.no_grad()
    def paint(self, seed, steps=5):
        x = torch.randn(2, 16, generator=torch.Generator().manual_seed(seed))
        for number in range(steps):
            t = torch.full((2, 1), 1 - number / steps)
            x = x - self.run(x, t) / steps
        return x


def main():
    torch.manual_seed(3)
    painter = Painter()
    plain = painter.paint(1)
    load_style(painter.denoiser, "tarot", rank=4)
    styled = painter.paint(1)
    again = painter.paint(2)
    print(f"{plain.norm().item():.4f} {styled.norm().item():.4f} {again.norm().item():.4f}")


if __name__ == "__main__":
    main()
