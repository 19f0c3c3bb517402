"""Methane of peat: measured at the surface, balanced between the depths."""

import settings
from meters import Worst

worst = Worst()


def ramp():
    """The balance counts little at first."""
    return min(1.0, settings.STEP / settings.WARMUP)


def balance_of(made, flux):
    """What is made at each depth must rise or be consumed there."""
    rising = flux[:, 1:] - flux[:, :-1]
    return (rising - made[:, 1:]).square().mean()


def objective(model, soil, measured):
    made, flux = model(soil)
    error = flux[:, -1] - measured
    worst.add(float(error.detach().abs().max()))
    data = error.square().mean()
    balance = balance_of(made, flux)
    return data + ramp() * balance
