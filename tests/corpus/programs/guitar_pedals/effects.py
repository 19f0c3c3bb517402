"""Effects by name; `effect` enters one in the table."""

import torch

EFFECTS = {}


def effect(name):
    def entered(function):
        EFFECTS[name] = function
        return function

    return entered


@effect("overdrive")
def overdrive(signal):
    return torch.tanh(4.0 * signal)


@effect("fuzz")
def fuzz(signal):
    return signal.sign() * (1 - torch.exp(-8.0 * signal.abs()))


@effect("tremolo")
def tremolo(signal):
    time = torch.linspace(0, 25.0, signal.shape[-1])
    return signal * (0.7 + 0.3 * torch.sin(time))


@effect("echo")
def echo(signal):
    delayed = torch.nn.functional.pad(signal, (300, 0))[..., : signal.shape[-1]]
    return signal + 0.4 * delayed


@effect("cabinet")
def cabinet(signal):
    taps = torch.hann_window(31)
    smooth = torch.nn.functional.conv1d(signal[:, None], taps[None, None] / taps.sum(), padding=15)
    return smooth[:, 0]
