"""Signals of a microphone array."""

import torch


def recording(microphones, samples, delays):
    source = torch.randn(samples)
    shifted = torch.stack([source.roll(int(delay)) for delay in delays])
    return shifted + 0.3 * torch.randn(microphones, samples)


def spectrum(signal, window):
    return torch.stft(signal, len(window), window=window, return_complex=True)


def steering(bands, delays, look="forward"):
    angles = 2 * torch.pi * torch.outer(torch.linspace(0, 0.5, bands), delays)
    weights = torch.polar(torch.ones_like(angles), angles) / angles.shape[1]
    return weights if look == "forward" else weights.conj()
