import torch


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image, target):
        for t in self.transforms:
            image, target = t(image, target)
        return image, target


class RandomHorizontalFlip:
    def __init__(self, flip_prob):
        self.flip_prob = flip_prob

    def __call__(self, image, target):
        if torch.rand(1) < self.flip_prob:
            image, target = image.flip(-1), target.flip(-1)
        return image, target


class RandomCrop:
    def __init__(self, size):
        self.size = size

    def __call__(self, image, target):
        top = torch.randint(0, image.shape[-2] - self.size + 1, (1,)).item()
        left = torch.randint(0, image.shape[-1] - self.size + 1, (1,)).item()
        window = (..., slice(top, top + self.size), slice(left, left + self.size))
        return image[window], target[window]


class Normalize:
    def __init__(self, mean, std):
        self.mean = torch.tensor(mean)[:, None, None]
        self.std = torch.tensor(std)[:, None, None]

    def __call__(self, image, target):
        return (image - self.mean) / self.std, target


class SegmentationPresetTrain:
    def __init__(self, *, crop_size, hflip_prob=0.5, mean=(0.4, 0.5, 0.3), std=(0.2, 0.2, 0.2)):
        trans = []
        if hflip_prob > 0:
            trans.append(RandomHorizontalFlip(hflip_prob))
        trans.extend([RandomCrop(crop_size), Normalize(mean, std)])
        self.transforms = Compose(trans)

    def __call__(self, image, target):
        return self.transforms(image, target)
