import torch
from torch.utils.data import Dataset


class ClassificationPresetTrain:
    def __init__(self, crop_size, hflip_prob=0.5, random_erase_prob=0.2):
        self.crop_size, self.hflip_prob = crop_size, hflip_prob
        self.random_erase_prob = random_erase_prob

    def __call__(self, image):
        top, left = torch.randint(image.shape[-1] - self.crop_size + 1, (2,)).tolist()
        image = image[:, top : top + self.crop_size, left : left + self.crop_size]
        if torch.rand(()) < self.hflip_prob:
            image = image.flip(-1)
        if torch.rand(()) < self.random_erase_prob:
            image = image.clone()
            image[:, 2:6, 2:6] = 0.0
        return image


class ClassificationPresetEval:
    def __init__(self, crop_size):
        self.crop_size = crop_size

    def __call__(self, image):
        edge = (image.shape[-1] - self.crop_size) // 2
        return image[:, edge : edge + self.crop_size, edge : edge + self.crop_size]


class Peonies(Dataset):
    """Photographs of peonies by their form, drawn by formula."""

    classes = ("single", "double", "bomb")

    def __init__(self, n, transform, seed):
        g = torch.Generator().manual_seed(seed)
        self.targets = torch.randint(len(self.classes), (n,), generator=g)
        axis = torch.linspace(-1, 1, 18)
        radius = (axis[:, None] ** 2 + axis[None] ** 2).sqrt()
        rings = torch.cos(radius * (4.0 + 5 * self.targets.view(-1, 1, 1, 1)))
        self.images = rings + 0.3 * torch.randn(n, 3, 18, 18, generator=g)
        self.transform = transform

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, index):
        return self.transform(self.images[index]), self.targets[index]
