"""What a robot in a field senses each minute."""

import random

import torch

SENSORS = {"camera": 32, "lidar": 16, "gps": 3, "wheels": 4}


class Drive:
    def __init__(self, dropped=0.3, seed=1):
        self.random = random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.dropped = dropped

    def read(self, name):
        return torch.randn(SENSORS[name], generator=self.generator)

    def minutes(self, count):
        for _ in range(count):
            arrived = list(SENSORS)
            if self.random.random() < self.dropped:
                arrived.remove("lidar")
            if self.random.random() < 0.5:
                self.random.shuffle(arrived)
            reading = {name: self.read(name) for name in arrived}
            steering = reading["camera"][:8].mean() - reading["wheels"][0]
            yield reading, steering
