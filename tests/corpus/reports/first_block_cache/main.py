"""Skips the later blocks of a transformer when the first block's residual hardly changed."""
import torch
from torch import nn
import torch.nn.functional as F

THRESHOLD = 0.08


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.body = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        return x + self.body(x)


class CachedTransformer(nn.Module):
    def __init__(self, dim=24, depth=3):
        super().__init__()
        self.first = Block(dim)
        self.rest = nn.ModuleList(Block(dim) for _ in range(depth))
        self.reset()

    def reset(self):
        self.seen = None
        self.kept = None

    def forward(self, x, t):
        start = self.first(x + t)
        residual = start - x
        if self.seen is not None:
            change = (residual - self.seen).abs().mean() / self.seen.abs().mean()
            if float(change) < THRESHOLD:
                return start + self.kept
        y = start
        for block in self.rest:
            y = block(y)
        self.seen, self.kept = residual, y - start
        return y


@torch.no_grad()
def main():
    torch.manual_seed(48)
    model = CachedTransformer().eval()
    compiled = torch.compile(model, backend="eager")
    for request in range(2):
        model.reset()
        x = torch.randn(2, 10, 24, generator=torch.Generator().manual_seed(request))
        for t in torch.linspace(1, 0, 8):
            x = x - 0.1 * compiled(x, t)
        print(f"request {request}: {x.mean():.6f} {x.std():.6f}")


if __name__ == "__main__":
    main()
