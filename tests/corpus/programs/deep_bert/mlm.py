"""Masked language modelling."""

import torch
from torch.utils.data import Dataset

MASK_ID, IGNORE = 3, -100


class Corpus(Dataset):
    def __init__(self, sentences=26, length=16, vocab=80, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.ids = torch.randint(4, vocab, (sentences, length), generator=g)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return self.ids[index]


class MaskingCollator:
    def __init__(self, probability=0.15):
        self.probability = probability

    def __call__(self, rows):
        input_ids = torch.stack(rows)
        labels = input_ids.clone()
        chosen = torch.rand(input_ids.shape) < self.probability
        labels[~chosen] = IGNORE
        return {"input_ids": input_ids.masked_fill(chosen, MASK_ID), "labels": labels}
