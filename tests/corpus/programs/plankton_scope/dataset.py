import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Plankton(Dataset):
    def __init__(self, split, n, size=20):
        rng = np.random.default_rng(len(split))
        self.labels = rng.integers(0, 4, n)
        self.images = rng.random((n, size, size), dtype=np.float32)
        for image, label in zip(self.images, self.labels, strict=True):
            image[label * 5 : label * 5 + 3] += 1.0

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"image": self.images[i][None], "label": int(self.labels[i])}


def collate_fn(samples):
    pixel_values = torch.from_numpy(np.stack([s["image"] for s in samples]))
    return {"pixel_values": pixel_values, "labels": torch.tensor([s["label"] for s in samples])}


def get_loaders(batch_size):
    kwargs = {"batch_size": batch_size, "collate_fn": collate_fn}
    return {
        "train": DataLoader(Plankton("train", 64), shuffle=True, **kwargs),
        "val": DataLoader(Plankton("val", 44), **kwargs),
    }
