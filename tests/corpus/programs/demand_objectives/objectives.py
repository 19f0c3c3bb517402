"""Losses by name."""

import torch

OBJECTIVES = {}


def objective(function):
    OBJECTIVES[function.__name__] = function
    return function


@objective
def absolute(error):
    return error.abs().mean()


@objective
def squared(error):
    return error.square().mean()


@objective
def log_cosh(error):
    return torch.log(torch.cosh(error)).mean()


@objective
def pinball(error, quantile=0.9):
    return torch.maximum(quantile * error, (quantile - 1) * error).mean()
