"""Motion capture as an endless stream, and a loader that cuts it."""

import itertools

import torch
from torch.utils.data import DataLoader, IterableDataset


class Motion(IterableDataset):
    def __init__(self, joints, seed=5):
        self.joints, self.seed = joints, seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            space = torch.randn(self.joints, 3, generator=generator)
            yield {"image": space[:, :2] / (3 + space[:, 2:]).clamp(min=0.5), "space": space}


def loader(joints, batches, size=8):
    return itertools.islice(DataLoader(Motion(joints), batch_size=size), batches)
