import torch
from torch.utils.data import Dataset


class Canals(Dataset):
    """Aerial views of all proportions; water, bank and bridge are the classes."""

    def __init__(self, image_set, transforms):
        g = torch.Generator().manual_seed(len(image_set))
        self.transforms = transforms
        self.pairs = []
        for _ in range(24 if image_set == "train" else 7):
            h, w = (28 + 4 * torch.randint(0, 8, (2,), generator=g)).tolist()
            x = torch.linspace(-1, 1, w)[None].expand(h, w)
            y = torch.linspace(-1, 1, h)[:, None].expand(h, w)
            angle = 3.1416 * torch.rand((), generator=g)
            distance = (x * angle.cos() + y * angle.sin()).abs()
            target = (distance < 0.5).long() + (distance < 0.2).long()
            image = torch.stack([target * 0.3, distance, 1 - distance])
            self.pairs.append((image + 0.1 * torch.randn(image.shape, generator=g), target))

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        return self.transforms(*self.pairs[index])


def collate_fn(batch):
    images, targets = zip(*batch, strict=True)
    return torch.stack(images), torch.stack(targets)
