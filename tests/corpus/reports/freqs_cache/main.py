"""Sample with a tiny video transformer; the rotary table is made when it is first needed."""
import torch
import torch.nn as nn


class Rotary(nn.Module):
    def __init__(self, dim, theta=10000.0):
        super().__init__()
        self.dim = dim
        self.theta = theta
        self.table = None

    def build(self, length):
        inv = 1.0 / self.theta ** (torch.arange(0, self.dim, 2).float() / self.dim)
        angle = torch.outer(torch.arange(length).float(), inv)
        return torch.stack((angle.cos(), angle.sin()))

    def forward(self, x):
        if self.table is None:
            self.table = self.build(x.shape[1])
        cos, sin = self.table
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.cat((even * cos - odd * sin, even * sin + odd * cos), dim=-1)


class VideoModel(nn.Module):
    def __init__(self, width=16, frames=12):
        super().__init__()
        self.frames = frames
        self.rope = Rotary(width)
        self.inner = nn.Linear(width, width)
        self.outer = nn.Linear(width, width)

    def forward(self, x, t):
        h = self.rope(self.inner(x)) + t[:, None, None]
        return self.outer(torch.tanh(h))


@torch.inference_mode()
def main():
    torch.manual_seed(5)
    model = VideoModel().eval()
    step = torch.compile(model, backend="eager")
    x = torch.randn(2, model.frames, 16)
    for t in torch.linspace(1, 0, 8):
        x = x - 0.1 * step(x, t.expand(2))
    print(f"FINAL {x.norm().item():.5f}")


if __name__ == "__main__":
    main()
