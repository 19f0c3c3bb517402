import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self, latent, width, size):
        super().__init__()
        self.start = nn.Linear(latent, width * (size // 4) ** 2)
        self.side = size // 4
        self.grow = nn.Sequential(
            nn.Upsample(scale_factor=2),
            nn.Conv2d(width, width, 3, padding=1),
            nn.LeakyReLU(0.2),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(width, 3, 3, padding=1),
        )

    def forward(self, z):
        x = self.start(z).unflatten(1, (-1, self.side, self.side))
        return torch.tanh(self.grow(x))


class Critic(nn.Module):
    def __init__(self, width, size):
        super().__init__()
        self.see = nn.Sequential(
            nn.Conv2d(3, width, 4, 2, 1),
            nn.LeakyReLU(0.2),
            nn.Conv2d(width, width, 4, 2, 1),
            nn.LeakyReLU(0.2),
            nn.Flatten(),
        )
        self.judge = nn.Linear(width * (size // 4) ** 2, 1)

    def forward(self, images):
        return self.judge(self.see(images)).squeeze(1)
