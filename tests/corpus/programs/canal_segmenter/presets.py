import torch
import torch.nn.functional as F


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image, target):
        for t in self.transforms:
            image, target = t(image, target)
        return image, target


class RandomCrop:
    def __init__(self, size):
        self.size = size

    def __call__(self, image, target):
        h, w = target.shape
        top = int(torch.randint(0, h - self.size + 1, ()))
        left = int(torch.randint(0, w - self.size + 1, ()))
        rows, columns = slice(top, top + self.size), slice(left, left + self.size)
        return image[:, rows, columns], target[rows, columns]


class RandomHorizontalFlip:
    def __init__(self, flip_prob):
        self.flip_prob = flip_prob

    def __call__(self, image, target):
        if torch.rand(()) < self.flip_prob:
            image, target = image.flip(-1), target.flip(-1)
        return image, target


class Resize:
    """Resizes the shorter edge, and keeps the proportions."""

    def __init__(self, size):
        self.size = size

    def __call__(self, image, target):
        h, w = target.shape
        scale = self.size / min(h, w)
        new = (4 * round(h * scale / 4), 4 * round(w * scale / 4))
        image = F.interpolate(image[None], new, mode="bilinear", align_corners=False)[0]
        target = F.interpolate(target[None, None].float(), new, mode="nearest")[0, 0].long()
        return image, target


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, image, target):
        return (image - self.mean) / self.std, target


def get_transform(train):
    normalize = Normalize(0.45, 0.25)
    if train:
        return Compose([RandomCrop(24), RandomHorizontalFlip(0.5), normalize])
    return Compose([Resize(32), normalize])
