"""Woven patterns as grey pictures; a third of them has a missing or doubled thread."""

import torch

SIDE = 20


class Fabric(torch.utils.data.Dataset):
    def __init__(self, count, seed):
        g = torch.Generator().manual_seed(seed)
        line = torch.arange(SIDE)
        self.images, self.labels = [], []
        for _ in range(count):
            period = int(torch.randint(3, 6, (), generator=g))
            weave = ((line[:, None] + line[None]) % period == 0).float()
            label = int(torch.rand((), generator=g) < 0.33)
            if label:
                row = int(torch.randint(2, SIDE - 2, (), generator=g))
                weave[row] = float(torch.rand((), generator=g) < 0.5)
            self.images.append(weave[None] + 0.1 * torch.randn(1, SIDE, SIDE, generator=g))
            self.labels.append(float(label))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def jitter(images, epoch, generator):
    """Flips and brightness, the latter more in later epochs."""
    if torch.rand((), generator=generator) < 0.5:
        images = images.flip(-1).contiguous()
    spread = 0.05 * (epoch + 1)
    return images * (1 + spread * torch.randn(len(images), 1, 1, 1, generator=generator))
