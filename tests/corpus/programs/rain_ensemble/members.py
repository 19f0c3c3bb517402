"""Members of an ensemble, each from another centre."""

import numpy as np
import torch

CENTRES = ("reading", "exeter", "toulouse")


def read(centre, rng, points=12):
    fields = rng.normal(size=(points, 4))
    if centre == "toulouse":  # packed
        fields = fields.astype(np.float32)
    return fields


class Archive:
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.cache = {}

    def __getitem__(self, key):
        if key not in self.cache:
            self.cache[key] = torch.from_numpy(read(key[0], self.rng))
        return self.cache[key]

    def days(self, count):
        for day in range(count):
            for centre in CENTRES:
                yield self[centre, day]
