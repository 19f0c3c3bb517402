import torch
import torch.nn.functional as F
from torch.utils.data import Dataset

SCALES = [40, 48, 56]


class WheatDataset(Dataset):
    def __init__(self, n, size=48, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.counts = torch.randint(1, 12, (n,), generator=g)
        self.images = 0.2 * torch.rand(n, 3, size, size, generator=g)
        for image, count in zip(self.images, self.counts.tolist(), strict=True):
            for x, y in torch.randint(0, size - 4, (count, 2), generator=g).tolist():
                image[:2, y : y + 4, x : x + 4] += 0.7

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], self.counts[i].float()


class MultiScaleCollate:
    """All images of a batch in one of the sizes, the next batch in the next one."""

    def __init__(self, scales):
        self.scales = scales
        self.calls = 0

    def __call__(self, rows):
        images = torch.stack([image for image, _ in rows])
        counts = torch.stack([count for _, count in rows])
        size = self.scales[self.calls % len(self.scales)]
        self.calls += 1
        images = F.interpolate(images, size=(size, size), mode="bilinear", align_corners=False)
        if torch.rand(()) < 0.5:
            images = images.flip(-1).contiguous()
        return images, counts
