"""SoundStream-like pieces: strided encoder, one quantizer, mirrored decoder."""

import torch
import torch.nn.functional as F
from torch import nn


class ResidualUnit(nn.Module):
    def __init__(self, dim, dilation=1):
        super().__init__()
        self.conv = nn.Conv1d(dim, dim, 3, padding=dilation, dilation=dilation)
        self.proj = nn.Conv1d(dim, dim, 1)

    def forward(self, x):
        return x + self.proj(F.elu(self.conv(F.elu(x))))


class Encoder(nn.Module):
    def __init__(self, channels, strides):
        super().__init__()
        layers, dim = [nn.Conv1d(1, channels, 7, padding=3)], channels
        for stride in strides:
            layers += [
                ResidualUnit(dim),
                nn.Conv1d(dim, 2 * dim, 2 * stride, stride, padding=stride // 2),
            ]
            dim *= 2
        self.net = nn.Sequential(*layers)
        self.dim = dim

    def forward(self, wave):
        return self.net(wave)


class Decoder(nn.Module):
    def __init__(self, dim, strides):
        super().__init__()
        layers = []
        for stride in reversed(strides):
            layers += [
                nn.ConvTranspose1d(dim, dim // 2, 2 * stride, stride, padding=stride // 2),
                ResidualUnit(dim // 2),
            ]
            dim //= 2
        layers.append(nn.Conv1d(dim, 1, 7, padding=3))
        self.net = nn.Sequential(*layers)

    def forward(self, z):
        return torch.tanh(self.net(z))


class Quantizer(nn.Module):
    """Straight-through nearest neighbour; the codebook follows by moving averages."""

    def __init__(self, size, dim, decay=0.95):
        super().__init__()
        self.decay = decay
        self.register_buffer("codebook", torch.randn(size, dim))
        self.register_buffer("usage", torch.ones(size))

    def forward(self, z):
        flat = z.transpose(1, 2)
        indices = torch.cdist(flat.detach(), self.codebook.expand(len(z), -1, -1)).argmin(-1)
        codes = F.embedding(indices, self.codebook)
        if self.training:
            self._follow(flat.detach(), indices)
        commit = F.mse_loss(flat, codes)
        return (flat + (codes - flat).detach()).transpose(1, 2), commit

    @torch.no_grad()
    def _follow(self, flat, indices):
        hot = F.one_hot(indices.flatten(), len(self.usage)).float()
        self.usage.lerp_(hot.sum(0), 1 - self.decay)
        means = hot.t() @ flat.flatten(0, 1) / hot.sum(0).clamp(min=1).unsqueeze(1)
        seen = hot.sum(0, keepdim=True).t() > 0
        self.codebook.copy_(torch.where(seen, self.codebook.lerp(means, 0.1), self.codebook))


class Codec(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = Encoder(cfg.channels, cfg.strides)
        self.quantizer = Quantizer(cfg.codebook_size, self.encoder.dim)
        self.decoder = Decoder(self.encoder.dim, cfg.strides)

    def forward(self, wave):
        z = self.encoder(wave)
        quantized, commit = self.quantizer(z)
        return self.decoder(quantized), z, commit


class WaveDiscriminator(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(1, channels, 15, 4, padding=7),
            nn.LeakyReLU(0.2),
            nn.Conv1d(channels, 2 * channels, 15, 4, padding=7),
            nn.LeakyReLU(0.2),
            nn.Conv1d(2 * channels, 1, 3, padding=1),
        )

    def forward(self, wave):
        return self.net(wave)
