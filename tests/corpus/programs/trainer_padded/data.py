"""Sentences, each padded to one length when it is made."""

import torch
from torch.utils.data import Dataset


class Sentences(Dataset):
    def __init__(self, count, longest=20, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.rows = []
        for _ in range(count):
            length = int(torch.randint(5, longest + 1, (), generator=generator))
            tokens = torch.zeros(longest, dtype=torch.long)
            tokens[:length] = torch.randint(1, 60, (length,), generator=generator)
            mask = (tokens > 0).long()
            self.rows.append({"input_ids": tokens, "attention_mask": mask, "labels": length % 3})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]
