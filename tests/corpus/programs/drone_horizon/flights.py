"""Logged flights: positions and speeds of a drone, and what its rotors did."""

import torch

HORIZON_MAX = 8


def simulate(n, generator, dt=0.1):
    state = torch.randn(n, 4, generator=generator)
    controls = torch.randn(HORIZON_MAX, n, 2, generator=generator)
    states = [state]
    for control in controls:
        position, speed = states[-1].chunk(2, dim=-1)
        speed = 0.97 * speed + dt * control
        states.append(torch.cat([position + dt * speed, speed], dim=-1))
    return torch.stack(states), controls


class FlightLog:
    def __init__(self, flights=60, batch=15, seed=6):
        self.generator = torch.Generator().manual_seed(seed)
        self.states, self.controls = simulate(flights, self.generator)
        self.flights, self.batch = flights, batch

    def __iter__(self):
        order = torch.randperm(self.flights, generator=self.generator)
        for rows in order.split(self.batch):
            yield self.states[:, rows], self.controls[:, rows]
