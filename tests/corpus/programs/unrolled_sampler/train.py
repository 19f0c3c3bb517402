"""A denoiser is unrolled for more and more steps as the training goes on."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass
class Settings:
    steps: int = 2
    width: int = 10


class Denoiser(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.net = nn.Linear(settings.width, settings.width)

    def forward(self, x, settings):
        for _ in range(settings.steps):
            x = x - 0.3 * torch.tanh(self.net(x))
        return x


def main():
    torch.manual_seed(0)
    settings = Settings()
    denoiser = Denoiser(settings)
    compiled = torch.compile(denoiser, backend="eager")
    optimizer = torch.optim.Adam(denoiser.parameters(), lr=1e-3)
    for epoch in range(5):
        settings.steps = 2 + epoch
        for _ in range(2):
            clean = torch.randn(8, settings.width)
            loss = functional.mse_loss(compiled(clean + torch.randn(8, 10), settings), clean)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
