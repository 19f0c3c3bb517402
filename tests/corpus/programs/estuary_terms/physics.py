"""What the level must satisfy: the gauge, the mass of water, and smoothness."""

import torch


def gauge(level, station, hours):
    return (level.squeeze(1) - station.observed(hours)).square().mean()


def smooth(level, station, hours):
    return 0.5 * torch.diff(level.squeeze(1), n=2).abs().mean()


def balance(level, station, hours):
    return torch.logsumexp(level, 0).squeeze().sub(3.0).square() * 0.05


def added(terms):
    """The sum of the terms, the small ones last, so that none is lost to rounding."""
    total = torch.zeros(())
    for term in sorted(terms, key=float, reverse=True):
        total = total + term
    return total


def residual(net, station, count=24):
    hours = torch.sort(24 * torch.rand(count)).values
    level = net(station, hours)
    return added([term(level, station, hours) for term in (gauge, smooth, balance)])
