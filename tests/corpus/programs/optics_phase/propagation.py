"""Light that travels through free space, by a separable real kernel."""

import torch


def kernel(pixels, wavelength=0.3, distance=2.0):
    at = torch.arange(pixels) - pixels // 2
    chirp = torch.pi * (at[:, None] - at[None, :]).square() / (wavelength * distance * pixels)
    return chirp.cos() / pixels**0.5, chirp.sin() / pixels**0.5


def travel(field, transfer):
    real, imaginary = field
    c, s = transfer
    return c @ real - s @ imaginary, s @ real + c @ imaginary


def intensity(field):
    real, imaginary = field
    return real.square() + imaginary.square()
