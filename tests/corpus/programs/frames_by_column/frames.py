"""Tables by column, as they come from several sources."""

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


def registry(rng, count):
    area = rng.uniform(20, 120, count).astype(np.float32)
    age = rng.integers(0, 90, count).astype(np.float32)
    floor = rng.integers(0, 9, count).astype(np.float32)
    rent = area * 9 - age * 2 + floor * 5
    return Frame({"area": area, "age": age, "floor": floor, "rent": rent})


def survey(rng, count):
    """Asked for the year of building, and not for the age."""
    frame = registry(rng, count)
    built = 2024 - frame.columns.pop("age")
    return frame.assign(age=2024 - built)


def portal(rng, count):
    """As tenants typed it."""
    frame = registry(rng, count)
    frame.columns["area"] = np.array([float(f"{area:.1f}") for area in frame.columns["area"]])
    return frame


def batches(frames, batch_size, rng):
    for frame in frames:
        order = rng.permutation(len(frame))
        for start in range(0, len(frame) - batch_size + 1, batch_size):
            yield frame.rows(order[start : start + batch_size])
