"""An autoencoder of patches and a critic that joins later."""

from torch import nn


class PatchAutoencoder(nn.Module):
    def __init__(self, size=16, latent=6):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(size, 24), nn.SiLU(), nn.Linear(24, latent))
        self.decode = nn.Sequential(nn.Linear(latent, 24), nn.SiLU(), nn.Linear(24, size))

    def forward(self, x):
        code = self.encode(x)
        return self.decode(code), code


class PatchCritic(nn.Module):
    def __init__(self, size=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(size, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x)
