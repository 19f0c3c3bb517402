"""Fits springs to a trajectory and verifies the energy in double precision now and then."""
import torch
from torch import nn


class Springs(nn.Module):
    def __init__(self, count=5):
        super().__init__()
        self.stiffness = nn.Parameter(torch.linspace(0.5, 1.5, count))

    def forward(self, stretch):
        weights = torch.linspace(1, 2, stretch.shape[1], dtype=stretch.dtype)
        return 0.5 * (self.stiffness.to(stretch.dtype) * weights * stretch.square()).sum(dim=1)


def check(energy, stretch):
    torch.set_default_dtype(torch.float64)
    try:
        return energy(stretch).mean().item()
    finally:
        torch.set_default_dtype(torch.float32)


def main():
    torch.manual_seed(35)
    generator = torch.Generator().manual_seed(35)
    model = Springs()
    energy = torch.compile(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    stretch = torch.randn(40, 5, generator=generator)
    wanted = stretch.square().sum(dim=1)
    for epoch in range(5):
        loss = (energy(stretch) - wanted).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.5f} checked energy {check(energy, stretch):.4f}")


if __name__ == "__main__":
    main()
