"""An engine with small compiled helpers: prefill of any length, then decode."""
import torch
import torch.nn.functional as F
from torch import nn


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    @torch.compile(backend="eager")
    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight


class Gate(nn.Module):
    @torch.compile(backend="eager")
    def forward(self, x):
        value, gate = x.chunk(2, -1)
        return F.silu(gate) * value


class Engine(nn.Module):
    def __init__(self, words=64, width=16):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.norm = Norm(width)
        self.up = nn.Linear(width, 2 * width)
        self.gate = Gate()
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, ids):
        return self.head(self.gate(self.up(self.norm(self.embed(ids)))))


@torch.inference_mode()
def main():
    torch.manual_seed(48)
    engine = Engine().eval()
    total = 0
    for tokens in (37, 12, 64, 5, 90, 21):
        total += int(engine(torch.randint(64, (tokens,))).argmax(-1).sum())
        for _ in range(3):
            total += int(engine(torch.randint(64, (8,))).argmax(-1).sum())
    print("total", total)


if __name__ == "__main__":
    main()
