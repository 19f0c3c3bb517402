import torch
from torch import nn


class Fbank(nn.Module):
    """Log-power spectra."""

    def __init__(self, n_fft, hop):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))

    def forward(self, wav):
        frames = wav.unfold(-1, self.n_fft, self.hop) * self.window
        return torch.fft.rfft(frames).abs().square().add(1e-5).log().transpose(1, 2)


class SpecAugment(nn.Module):
    """Zero a band of frequencies of each item; its place is random, its width is `width`."""

    def __init__(self, n_bands, width):
        super().__init__()
        self.n_bands = n_bands
        self.width = width

    def forward(self, feats):
        low = torch.randint(self.n_bands, (feats.shape[0], 1, 1), device=feats.device)
        band = torch.arange(self.n_bands, device=feats.device).view(1, -1, 1)
        masked = (band >= low) & (band < low + self.width)
        return feats.masked_fill(masked, 0.0)


class EventNet(nn.Module):
    def __init__(self, n_fft, hop, channels, n_labels, mask_width):
        super().__init__()
        n_bands = n_fft // 2 + 1
        self.fbank = Fbank(n_fft, hop)
        self.augment = SpecAugment(n_bands, mask_width)
        layers = []
        for fan_in, fan_out in zip([n_bands, *channels], channels, strict=False):
            conv = nn.Conv1d(fan_in, fan_out, 3, padding=1)
            layers += [conv, nn.LeakyReLU(0.1), nn.GroupNorm(4, fan_out)]
        self.encoder = nn.Sequential(*layers)
        self.head = nn.Linear(2 * channels[-1], n_labels)

    def forward(self, wav):
        feats = self.fbank(wav)
        feats = feats - feats.mean(-1, keepdim=True)
        if self.training:
            feats = self.augment(feats)
        x = self.encoder(feats)
        return self.head(torch.cat([x.mean(-1), x.std(-1)], -1))
