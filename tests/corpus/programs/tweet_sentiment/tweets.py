"""Tokenized tweets, padded to one length."""

import torch
from torch.utils.data import Dataset

MAX_LENGTH = 16


class Tweets(Dataset):
    def __init__(self, count, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.lengths = torch.randint(5, MAX_LENGTH + 1, (count,), generator=g)
        self.ids = torch.randint(5, 100, (count, MAX_LENGTH), generator=g)
        self.labels = torch.randint(0, 3, (count,), generator=g)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        mask = (torch.arange(MAX_LENGTH) < self.lengths[index]).long()
        return {
            "input_ids": self.ids[index] * mask,
            "attention_mask": mask,
            "labels": self.labels[index],
        }
