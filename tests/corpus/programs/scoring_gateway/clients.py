"""What clients send: each serializes its features in its own way."""

import json

import numpy as np
import torch

FEATURES = 12


def from_json(rng, rows):
    text = json.dumps(rng.random((rows, FEATURES)).tolist())
    return torch.from_numpy(np.array(json.loads(text)))


def from_arrow(rng, rows):
    return torch.from_numpy(rng.random((rows, FEATURES), dtype=np.float32))


def from_edge(rng, rows):
    return torch.from_numpy(rng.random((rows, FEATURES)).astype(np.float16))


CLIENTS = {"web": from_json, "warehouse": from_arrow, "partner": from_arrow, "edge": from_edge}


def traffic(names, rows=8, seed=5):
    rng = np.random.default_rng(seed)
    for name in names:
        yield name, CLIENTS[name](rng, rows)
