"""Visibility at lighthouses, from records of any length."""

import torch


class Log:
    """What a keeper wrote down: between 10 and 40 hours."""

    count = 0

    def __init__(self, hours):
        type(self).count += 1
        self.number = type(self).count
        self.wind = torch.rand(hours).cumsum(0) / hours
        self.fog = (self.wind.flip(0) > 0.5).float()

    def tensor(self):
        return torch.stack([self.wind, self.fog], -1)


def logs(lengths):
    for hours in lengths:
        yield Log(hours)
