import torch


def spectral(guess, truth):
    gap = torch.fft.rfft(guess).abs() - torch.fft.rfft(truth).abs()
    return gap.square().mean()


def robust(guess, truth, exponent):
    return ((guess - truth).abs() + 1e-3).pow(exponent).mean()


def objective(guess, truth, exponent, spectral_weight):
    return robust(guess, truth, exponent) + spectral_weight * spectral(guess, truth)
