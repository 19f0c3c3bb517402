"""Drivers of the simulated hexapod; the slow sensors answer less often."""

import torch

LEGS = 6


class Imu:
    period = 1

    def read(self, state):
        return torch.cat([state[:4], 0.1 * state[:4].cumsum(0)])


class Encoders:
    period = 1

    def read(self, state):
        return state[4 : 4 + 3 * LEGS]


class FootContact:
    period = 4

    def read(self, state):
        return (state[4 : 4 + LEGS] > 0).float()


class SensorBus:
    """Collects what the drivers have at this tick."""

    def __init__(self):
        self.drivers = {"imu": Imu(), "joints": Encoders(), "feet": FootContact()}
        self.tick = 0

    def reset(self):
        self.tick = 0

    def poll(self, state):
        reading = {}
        for name, driver in self.drivers.items():
            if self.tick % driver.period == 0:
                reading[name] = driver.read(state).unsqueeze(0)
        self.tick += 1
        return reading
