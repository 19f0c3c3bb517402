import torch
from torch import nn
from torch.nn import functional as F


def conv_block(fan_in, fan_out):
    return nn.Sequential(nn.Conv2d(fan_in, fan_out, 3, padding=1), nn.LeakyReLU(0.2))


def fade(old, new, alpha):
    return torch.lerp(old, new, alpha)


class Generator(nn.Module):
    def __init__(self, latent=8, channels=(12, 8)):
        super().__init__()
        self.start = nn.Linear(latent, channels[0] * 16)
        pairs = zip((channels[0], *channels), channels, strict=False)
        self.blocks = nn.ModuleList(conv_block(a, b) for a, b in pairs)
        self.to_rgb = nn.ModuleList(nn.Conv2d(c, 3, 1) for c in channels)

    def forward(self, z, depth, alpha):
        x = self.blocks[0](self.start(z).view(len(z), -1, 4, 4))
        for i in range(1, depth + 1):
            previous, x = x, F.interpolate(x, scale_factor=2)
            x = self.blocks[i](x)
        rgb = self.to_rgb[depth](x)
        if depth > 0:
            skip = F.interpolate(self.to_rgb[depth - 1](previous), scale_factor=2)
            rgb = fade(skip, rgb, alpha)
        return torch.tanh(rgb)


class Discriminator(nn.Module):
    def __init__(self, channels=(12, 8)):
        super().__init__()
        self.from_rgb = nn.ModuleList(nn.Conv2d(3, c, 1) for c in channels)
        pairs = zip(channels, (channels[0], *channels), strict=False)
        self.blocks = nn.ModuleList(conv_block(a, b) for a, b in pairs)
        self.final = nn.Linear(channels[0] * 16, 1)

    def forward(self, image, depth, alpha):
        x = F.leaky_relu(self.from_rgb[depth](image), 0.2)
        for i in range(depth, 0, -1):
            x = F.avg_pool2d(self.blocks[i](x), 2)
            if i == depth:
                small = self.from_rgb[depth - 1](F.avg_pool2d(image, 2))
                x = fade(F.leaky_relu(small, 0.2), x, alpha)
        return self.final(self.blocks[0](x).flatten(1))
