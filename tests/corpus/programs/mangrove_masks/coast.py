import torch
from torch.utils.data import Dataset


class CoastTiles(Dataset):
    """Satellite tiles with a mask: water, mangrove, or neither (255: cloud)."""

    def __init__(self, count, size, transforms=None, seed=0):
        g = torch.Generator().manual_seed(seed)
        line = torch.rand(count, 1, 1, generator=g) * size
        rows = torch.arange(size)[:, None].expand(size, size)
        self.masks = (rows > line).long() + (rows > line + 5).long()
        self.images = torch.rand(count, 3, size, size, generator=g)
        self.images[:, 1] += 0.4 * (self.masks == 1)
        self.masks[torch.rand(self.masks.shape, generator=g) < 0.03] = 255
        self.transforms = transforms

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        img, target = self.images[idx], self.masks[idx]
        if self.transforms is not None:
            img, target = self.transforms(img, target)
        return img, target


def collate_fn(batch):
    images, targets = zip(*batch, strict=True)
    return torch.stack(images), torch.stack(targets)
