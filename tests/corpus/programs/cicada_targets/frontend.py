"""From sound to bands."""

import functools

import torch


def finite(function):
    """What `function` gives, without infinities and without what is no number."""

    @functools.wraps(function)
    def checked(*arguments, **options):
        found = function(*arguments, **options)
        if not torch.isfinite(found).all():
            found = torch.nan_to_num(found)
        return found

    return checked


@finite
def log_bands(clip, bands=16):
    power = torch.view_as_real(torch.fft.rfft(clip)).square().sum(-1)
    power = power[:, 1:].unflatten(1, (bands, -1)).mean(-1)
    return power.log()
