import torch


class SegmentationPresetTrain:
    def __init__(self, *, hflip_prob=0.5, mean=0.45, std=0.22):
        self.hflip_prob = hflip_prob
        self.mean, self.std = mean, std

    def __call__(self, img, target):
        if torch.rand(()) < self.hflip_prob:
            img, target = img.flip(-1), target.flip(-1)
        return (img - self.mean) / self.std, target


class SegmentationPresetEval:
    def __init__(self, *, mean=0.45, std=0.22):
        self.mean, self.std = mean, std

    def __call__(self, img, target):
        return (img - self.mean) / self.std, target
