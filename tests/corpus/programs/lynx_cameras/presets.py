"""Data of the camera traps: small crops, a long-tailed label."""

import torch
from torch.utils.data import DataLoader, Dataset, Subset


class CameraTraps(Dataset):
    classes = ("lynx", "fox", "hare", "deer", "empty")

    def __init__(self, count=104, size=24, seed=11):
        g = torch.Generator().manual_seed(seed)
        weights = torch.tensor([1.0, 2.0, 2.0, 3.0, 4.0])
        self.labels = torch.multinomial(weights, count, replacement=True, generator=g)
        self.images = torch.rand(count, 3, size, size, generator=g)
        self.images += 0.1 * self.labels.view(-1, 1, 1, 1)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def jitter(batch):
    images = torch.stack([image for image, _ in batch])
    labels = torch.stack([label for _, label in batch])
    if torch.rand(()) < 0.5:
        images = images.flip(-1)
    return images.mul_(0.9 + 0.2 * torch.rand(len(images), 1, 1, 1)), labels


def get_loaders(args):
    dataset = CameraTraps()
    split = torch.randperm(len(dataset), generator=torch.Generator().manual_seed(2)).tolist()
    train, val = Subset(dataset, split[:78]), Subset(dataset, split[78:])
    train_loader = DataLoader(
        train,
        batch_size=args.batch_size,
        shuffle=True,
        num_workers=args.workers,
        collate_fn=jitter,
    )
    val_loader = DataLoader(val, batch_size=args.batch_size)
    return train_loader, val_loader
