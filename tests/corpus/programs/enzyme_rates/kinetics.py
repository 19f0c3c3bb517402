"""Michaelis-Menten: ds/dt = -vmax s / (km + s), with a slow loss of the enzyme."""

import torch

VMAX, KM, S0, LOSS = 1.2, 0.6, 2.0, 0.15


def rate(s, t):
    return -VMAX * torch.exp(-LOSS * t) * s / (KM + s)


def reference(times, dt=1e-3):
    """Euler with small steps, good enough to compare with."""
    values, s, now = [], torch.tensor(S0), 0.0
    for t in times.tolist():
        while now < t:
            s = s + dt * rate(s, torch.tensor(now))
            now += dt
        values.append(s.clone())
    return torch.stack(values)
