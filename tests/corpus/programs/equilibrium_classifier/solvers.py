"""Fixed-point solvers."""

import torch


def simple_iteration(function, start, steps=8):
    z = start
    for _ in range(steps):
        z = function(z)
    return z


def damped_iteration(function, start, steps=8, damping=0.7):
    z = start
    for _ in range(steps):
        z = torch.lerp(z, function(z), damping)
    return z


SOLVERS = {"simple": simple_iteration, "damped": damped_iteration}
