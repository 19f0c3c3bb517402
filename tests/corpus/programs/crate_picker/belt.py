"""Frames of a conveyor belt with crates on it, drawn as bright rectangles."""

from dataclasses import dataclass

import torch
from torch.utils.data import Dataset


@dataclass
class Frame:
    image: torch.Tensor
    boxes: torch.Tensor  # centre x, centre y, width, height in 0..1


class Belt(Dataset):
    def __init__(self, frames, side=16, most=3, seed=1):
        generator = torch.Generator().manual_seed(seed)
        self.frames = []
        for number in range(frames):
            count = 0 if number % 10 in (4, 5) else 1 + number % most
            size = 0.15 + 0.2 * torch.rand(count, 2, generator=generator)
            centre = 0.2 + 0.6 * torch.rand(count, 2, generator=generator)
            boxes = torch.cat([centre, size], 1)
            image = 0.1 * torch.rand(1, side, side, generator=generator)
            for x, y, w, h in (boxes * side).tolist():
                rows = slice(int(y - h / 2), int(y + h / 2) + 1)
                columns = slice(int(x - w / 2), int(x + w / 2) + 1)
                image[0, rows, columns] += 0.8
            self.frames.append(Frame(image, boxes))

    def __len__(self):
        return len(self.frames)

    def __getitem__(self, index):
        return self.frames[index]


def collate(frames):
    return torch.stack([one.image for one in frames]), [one.boxes for one in frames]
