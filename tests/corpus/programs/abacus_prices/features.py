import numpy as np
import torch
from listings import COLUMNS


def to_tensors(frame, scale):
    numbers = np.stack([(frame[n] - scale[n][0]) / scale[n][1] for n in COLUMNS], axis=1)
    return {
        "numbers": torch.from_numpy(numbers).float(),
        "wood": torch.from_numpy(frame["wood"]),
        "place": torch.from_numpy(frame["place"]),
        "price": torch.from_numpy(frame["price"]).float(),
    }


def iterate(tensors, batch_size, shuffle, generator=None):
    rows = len(tensors["price"])
    order = torch.randperm(rows, generator=generator) if shuffle else torch.arange(rows)
    whole = rows - rows % batch_size
    for part in order[:whole].split(batch_size):
        yield {name: column[part] for name, column in tensors.items()}
