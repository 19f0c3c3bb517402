"""Pictures of bolts, and a loader that mixes them up."""

import numpy as np
import torch
import torch.nn.functional as F


class Mixup:
    def __init__(self, mixup_alpha=0.8, label_smoothing=0.1, num_classes=3, seed=0):
        self.alpha, self.smoothing, self.classes = mixup_alpha, label_smoothing, num_classes
        self.mixup_enabled = True
        self.rng = np.random.default_rng(seed)

    def __call__(self, x, target):
        lam = self.rng.beta(self.alpha, self.alpha) if self.mixup_enabled else 1.0
        soft = F.one_hot(target, self.classes) * (1 - self.smoothing)
        soft = soft + self.smoothing / self.classes
        return lam * x + (1 - lam) * x.flip(0), lam * soft + (1 - lam) * soft.flip(0)


class BoltDataset(torch.utils.data.Dataset):
    def __init__(self, count, seed):
        g = torch.Generator().manual_seed(seed)
        self.targets = torch.randint(0, 3, (count,), generator=g)
        self.images = torch.randn(count, 3, 16, 16, generator=g)
        self.images[:, 0] += self.targets[:, None, None]

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, index):
        return self.images[index], self.targets[index]


def create_loader(dataset, batch_size, is_training=False):
    return torch.utils.data.DataLoader(
        dataset,
        batch_size=batch_size,
        shuffle=is_training,
        drop_last=is_training,
        collate_fn=torch.utils.data.default_collate,
    )
