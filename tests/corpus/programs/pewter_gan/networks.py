import torch
import torch.nn as nn


def weights_init(m):
    name = m.__class__.__name__
    if name.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif name.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


class Generator(nn.Module):
    """4x4 -> 16x16"""

    def __init__(self, nz=8, ngf=8, nc=1):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, 2 * ngf, 4, 1, 0, bias=False),
            nn.BatchNorm2d(2 * ngf),
            nn.ReLU(True),
            nn.ConvTranspose2d(2 * ngf, ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.main(z[:, :, None, None])


class Discriminator(nn.Module):
    def __init__(self, ndf=8, nc=1):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2),
            nn.Conv2d(ndf, 2 * ndf, 4, 2, 1, bias=False),
            nn.GroupNorm(2, 2 * ndf),
            nn.LeakyReLU(0.2),
        )
        self.head = nn.Conv2d(2 * ndf, 1, 4, 1, 0, bias=False)

    def features(self, x):
        return self.main(x)

    def forward(self, x):
        return self.head(self.features(x)).flatten(1).squeeze(1)


def pewter(count, seed=5):
    """Plates with a bright rim, 16 pixels wide."""
    g = torch.Generator().manual_seed(seed)
    line = torch.linspace(-1, 1, 16)
    radius = (line[:, None] ** 2 + line[None] ** 2).sqrt()
    size = 0.4 + 0.4 * torch.rand(count, 1, 1, 1, generator=g)
    return 2 * torch.exp(-30 * (radius - size) ** 2) - 1
