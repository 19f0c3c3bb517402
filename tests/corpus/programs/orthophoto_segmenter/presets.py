"""Presets for training and evaluation."""

import transforms as T


class SegmentationPresetTrain:
    def __init__(self, base_size, hflip_prob=0.5):
        self.transforms = T.Compose(
            T.RandomResize(int(0.5 * base_size), int(1.5 * base_size)),
            T.RandomHorizontalFlip(hflip_prob),
        )

    def __call__(self, image, target):
        return self.transforms(image, target)
