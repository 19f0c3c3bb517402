"""Pairs of questions of different lengths, and their batches."""

import torch
from torch.utils.data import Dataset

LENGTH = 14


class Questions(Dataset):
    def __init__(self, count, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.rows = []
        for number in range(count):
            lengths = torch.randint(4, LENGTH + 1, (2,), generator=generator).tolist()
            pair = [torch.randint(1, 50, (n,), generator=generator) for n in lengths]
            if number % 2:
                pair[1] = pair[0].flip(0)
            self.rows.append((*pair, float(number % 2)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        first, second, same = self.rows[index]
        return {"first": first, "second": second, "labels": same}


def collate(rows):
    batch = {"labels": torch.tensor([row["labels"] for row in rows])}
    for name in ("first", "second"):
        batch[name] = torch.zeros(len(rows), LENGTH, dtype=torch.long)
        for place, row in enumerate(rows):
            batch[name][place, : len(row[name])] = row[name]
    return batch
