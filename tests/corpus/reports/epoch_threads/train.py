"""Forecast a field; the data module takes some threads for itself before each epoch."""
import torch
from torch import nn

CORES = 2


class ConditionalNorm(nn.Module):
    def __init__(self, width, noise):
        super().__init__()
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.scale = nn.Linear(noise, width)
        self.shift = nn.Linear(noise, width)

    def forward(self, x, z):
        return self.norm(x) * (1 + self.scale(z)) + self.shift(z)


class Processor(nn.Module):
    def __init__(self, width=16, noise=4):
        super().__init__()
        self.norm = ConditionalNorm(width, noise)
        self.mlp = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))

    def forward(self, x, z):
        return x + self.mlp(self.norm(x, z))


class FieldData:
    def __init__(self, steps):
        self.steps = steps
        self.generator = torch.Generator().manual_seed(5)

    def epoch(self, number):
        workers = 1 if number % 2 else 0
        torch.set_num_threads(max(1, CORES - workers))
        for _ in range(self.steps):
            x = torch.randn(6, 16, generator=self.generator)
            yield x, torch.randn(6, 4, generator=self.generator), x.roll(1, 0)


def main():
    torch.manual_seed(1)
    net = Processor()
    model = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    data = FieldData(steps=3)
    for number in range(4):
        for x, z, target in data.epoch(number):
            loss = (model(x, z) - target).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {number} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
