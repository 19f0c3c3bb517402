import numpy as np
import torch

NUMERIC = ["rain", "heat", "acid", "slope", "depth"]
CATEGORIES = {"soil": 5, "crop": 4}


def make_frame(rows, seed):
    rng = np.random.default_rng(seed)
    frame = {name: rng.normal(size=rows) for name in NUMERIC}
    frame |= {name: rng.integers(0, size, rows) for name, size in CATEGORIES.items()}
    frame["yield"] = frame["rain"] - frame["heat"] ** 2 + 0.5 * frame["soil"]
    return frame


def to_tensors(frame):
    numbers = torch.from_numpy(np.stack([frame[name] for name in NUMERIC], 1)).float()
    codes = torch.from_numpy(np.stack([frame[name] for name in CATEGORIES], 1))
    return numbers, codes, torch.from_numpy(frame["yield"])


def standardized(numbers, like):
    return (numbers - like.mean(0)) / like.std(0)
