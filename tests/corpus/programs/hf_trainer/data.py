"""Sentences of 8 to 24 tokens; each batch is padded to its longest."""

import torch
from torch.utils.data import Dataset


class Sentences(Dataset):
    def __init__(self, count):
        generator = torch.Generator().manual_seed(count)
        lengths = torch.randint(8, 25, (count,), generator=generator).tolist()
        self.rows = [torch.randint(1, 50, (n,), generator=generator) for n in lengths]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return {"input_ids": self.rows[index], "labels": len(self.rows[index]) % 2}


def collate(rows):
    longest = max(len(row["input_ids"]) for row in rows)
    tokens = torch.zeros(len(rows), longest, dtype=torch.long)
    for number, row in enumerate(rows):
        tokens[number, : len(row["input_ids"])] = row["input_ids"]
    return {"input_ids": tokens, "labels": torch.tensor([row["labels"] for row in rows])}
