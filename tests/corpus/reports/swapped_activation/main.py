"""Fits a small regression net while its activation is sharpened from stage to stage."""
import torch
from torch import nn

activation = torch.tanh
SHARPNESS = [1.0, 1.5, 2.0, 3.0, 4.0]


class Regressor(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.first = nn.Linear(4, width)
        self.second = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = activation(self.first(x))
        x = activation(self.second(x))
        return self.out(x).squeeze(-1)


def sharpen(amount):
    global activation
    activation = lambda value: torch.tanh(amount * value)


def main():
    torch.manual_seed(17)
    generator = torch.Generator().manual_seed(17)
    x = torch.randn(64, 4, generator=generator)
    y = torch.sin(x.sum(dim=1))
    model = Regressor()
    compiled = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for stage, amount in enumerate(SHARPNESS):
        sharpen(amount)
        for _ in range(5):
            loss = (compiled(x) - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"stage {stage} sharpness {amount} loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
