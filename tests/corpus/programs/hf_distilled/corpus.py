"""Token sequences; a teacher has answered some of them."""

import torch
from torch.utils.data import Dataset


class Sequences(Dataset):
    def __init__(self, count, length=10, vocabulary=24, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.rows = torch.randint(0, vocabulary, (count, length), generator=generator)
        self.answers = torch.randn(count, 3, generator=generator)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        labels = int(self.rows[index].sum()) % 3
        return {"input_ids": self.rows[index], "labels": labels, "teacher": self.answers[index]}


class DistillCollator:
    """Leaves the teacher's answers out of every other batch: they are dear to compute."""

    def __init__(self, every=2):
        self.every = every
        self.made = 0

    def __call__(self, rows):
        batch = {
            "input_ids": torch.stack([row["input_ids"] for row in rows]),
            "labels": torch.tensor([row["labels"] for row in rows]),
        }
        if self.made % self.every == 0:
            batch["teacher"] = torch.stack([row["teacher"] for row in rows])
        self.made += 1
        return batch
