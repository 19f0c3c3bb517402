"""Losses of forecasts."""

import settings


def poisson(log_rate, calls):
    return (log_rate.exp() - calls * log_rate).mean()


def objective(log_rate, calls):
    rough = log_rate.diff(dim=1).square().mean()
    return poisson(log_rate, calls) + settings.SMOOTHNESS * rough
