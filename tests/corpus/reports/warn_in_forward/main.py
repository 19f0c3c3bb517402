"""A mixer with a soft limit on its activations that warns when the limit is low."""
import warnings

import torch
from torch import nn
import torch.nn.functional as F

warnings.filterwarnings("ignore", message="soft limit")


class SoftLimit(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        if self.limit < 5:
            warnings.warn("soft limit %.1f is below the recommended 5.0" % self.limit)
        return self.limit * torch.tanh(x / self.limit)


class Mixer(nn.Module):
    def __init__(self, dim=20, limit=3.0):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, 1)
        self.limit = SoftLimit(limit)

    def forward(self, x):
        x = self.limit(self.a(x))
        x = self.limit(self.b(x) + x)
        return self.c(x).squeeze(-1)


def main():
    torch.manual_seed(22)
    generator = torch.Generator().manual_seed(22)
    model = Mixer()
    compiled = torch.compile(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(6):
        x = torch.randn(32, 20, generator=generator)
        loss = F.mse_loss(compiled(x), x.square().mean(dim=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
