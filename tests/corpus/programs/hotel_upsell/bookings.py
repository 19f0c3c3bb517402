import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Bookings(Dataset):
    """Guests, their rooms, and which of the offers they took."""

    def __init__(self, rows, offers, seed):
        rng = np.random.default_rng(seed)
        self.nights = rng.poisson(2, rows) + 1
        self.numbers = rng.standard_normal((rows, 6))
        self.country = rng.integers(0, 12, rows)
        taste = rng.standard_normal((6, offers))
        self.taken = (self.numbers @ taste + 0.3 * rng.standard_normal((rows, offers))).argmax(1)

    def __len__(self):
        return len(self.nights)

    def __getitem__(self, i):
        row = {
            "numbers": torch.as_tensor(self.numbers[i], dtype=torch.float32),
            "country": int(self.country[i]),
            "nights": float(self.nights[i]),
        }
        return row, int(self.taken[i])


def as_float32(rows):
    batch, taken = torch.utils.data.default_collate(rows)
    batch["nights"] = batch["nights"].float()
    return batch, taken


def loaders(cfg):
    train = Bookings(cfg["rows"], cfg["offers"], cfg["seed"])
    test = Bookings(2 * cfg["eval_batch_size"], cfg["offers"], cfg["seed"])
    common = {"collate_fn": as_float32}
    return (
        DataLoader(train, cfg["batch_size"], shuffle=True, drop_last=True, **common),
        DataLoader(test, cfg["eval_batch_size"], **common),
    )
