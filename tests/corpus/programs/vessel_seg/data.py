import torch
from torch.utils.data import Dataset


class FundusPatches(Dataset):
    """Synthetic fundus patches: bright curved vessels on a dim, uneven background."""

    def __init__(self, count, size=24, seed=0, transforms=None):
        g = torch.Generator().manual_seed(seed)
        axis = torch.linspace(-1, 1, size)
        yy, xx = torch.meshgrid(axis, axis, indexing="ij")
        self.images, self.masks = [], []
        for _ in range(count):
            a, b, c = (torch.rand(3, generator=g) - 0.5).tolist()
            vessel = (yy - a - b * torch.sin(3 * xx + c)).abs() < 0.15
            image = 0.3 * xx + 0.1 * torch.randn(3, size, size, generator=g)
            image[1] += 0.8 * vessel
            self.images.append(image)
            self.masks.append(vessel.float())
        self.transforms = transforms

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        image, mask = self.images[idx], self.masks[idx]
        if self.transforms is not None:
            image, mask = self.transforms(image, mask)
        return image, mask


class RandomFlip:
    def __init__(self, prob=0.5):
        self.prob = prob

    def __call__(self, image, mask):
        if torch.rand(1).item() < self.prob:
            image, mask = image.flip(-1), mask.flip(-1)
        return image, mask


def collate_fn(batch):
    images, masks = zip(*batch, strict=True)
    return torch.stack(images), torch.stack(masks)
