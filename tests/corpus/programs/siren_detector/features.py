import torch
from torch import nn


class Fbank(nn.Module):
    """Log energies of bands of the short-time spectrum."""

    def __init__(self, n_fft=64, hop=32, bands=12):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        centers = torch.linspace(0, n_fft // 2, bands)
        bins = torch.arange(n_fft // 2 + 1)
        self.register_buffer("banks", torch.relu(1 - (bins[:, None] - centers).abs() / 3))

    def forward(self, wavs):
        frames = wavs.unfold(-1, self.n_fft, self.hop) * self.window
        spectrum = torch.fft.rfft(frames).abs().square()
        return (spectrum.to(self.banks.dtype) @ self.banks + 1e-6).log()


class InputNormalization(nn.Module):
    """Subtracts a running mean of the features.

    Arguments
    ---------
    size : int
        Number of features.
    update_until : int
        The mean stays as it is after so many batches.
    """

    def __init__(self, size, update_until=5):
        super().__init__()
        self.register_buffer("glob_mean", torch.zeros(size))
        self.count = 0
        self.update_until = update_until

    def forward(self, x):
        if self.training and self.count < self.update_until:
            self.count = self.count + 1
            current = x.detach().mean(dim=(0, 1))
            self.glob_mean += (current - self.glob_mean) / self.count
        return x - self.glob_mean
