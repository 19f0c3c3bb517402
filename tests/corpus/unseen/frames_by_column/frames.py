"""Tables by column, as they come from files of several years."""

import numpy as np


class Frame:
    """Columns of equal length."""

    def __init__(self, columns):
        self.columns = columns

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def assign(self, **columns):
        return Frame({**columns, **self.columns})

    def rows(self, picked):
        return {name: column[picked] for name, column in self.columns.items()}


def year(rng, count, late):
    area = rng.uniform(20, 120, count).astype(np.float32)
    age = rng.integers(0, 90, count).astype(np.float32)
    floor = rng.integers(0, 9, count).astype(np.float32)
    rent = area * 9 - age * 2 + floor * 5
    if not late:
        return Frame({"area": area, "age": age, "floor": floor, "rent": rent.astype(np.float32)})
    frame = Frame({"floor": floor, "area": area, "rent": rent.astype(np.float32)})
    return frame.assign(age=2024.0 - (2024 - age.astype(np.float64)))


def batches(frames, batch_size, rng):
    for frame in frames:
        order = rng.permutation(len(frame))
        for start in range(0, len(frame) - batch_size + 1, batch_size):
            yield frame.rows(order[start : start + batch_size])
