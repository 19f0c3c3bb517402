"""Motion of a toothbrush and the part of the mouth that it is in."""

import torch
from torch.utils.data import Dataset

PLACES = 4


class Motion(Dataset):
    def __init__(self, count, samples=20):
        self.place = torch.arange(count) % PLACES
        turn = torch.linspace(0, 3, samples) * (1 + self.place[:, None])
        self.motion = torch.stack([turn.sin(), turn.cos()], 1)

    def __len__(self):
        return len(self.place)

    def __getitem__(self, number):
        return self.motion[number] + 0.1 * torch.randn(2, self.motion.shape[-1]), self.place[number]
