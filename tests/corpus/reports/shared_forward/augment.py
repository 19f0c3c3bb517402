"""Augmentations with one forward."""
import torch
from torch import nn


class Augmentation(nn.Module):
    def __init__(self, strength):
        super().__init__()
        self.register_buffer("strength", torch.tensor(float(strength)))

    def forward(self, images):
        chosen = (torch.rand(images.shape[0], 1, 1, 1) < 0.5).to(images.dtype)
        return images + chosen * (self.apply_to(images) - images)


class Brightness(Augmentation):
    def apply_to(self, images):
        return (images + self.strength / 5).clamp(0, 1)


class Contrast(Augmentation):
    def apply_to(self, images):
        return (images - 0.5) * self.strength + 0.5


class Flip(Augmentation):
    def apply_to(self, images):
        return images.flip(-1)


class Gamma(Augmentation):
    def apply_to(self, images):
        return images.clamp_min(1e-3) ** self.strength


class Invert(Augmentation):
    def apply_to(self, images):
        return 1 - images


class Noise(Augmentation):
    def apply_to(self, images):
        return images + 0.1 * self.strength * torch.randn_like(images)


class Posterize(Augmentation):
    def apply_to(self, images):
        return (images * 8).floor() / 8


class Solarize(Augmentation):
    def apply_to(self, images):
        return torch.where(images > self.strength, 1 - images, images)


class Stretch(Augmentation):
    def apply_to(self, images):
        low = images.amin((2, 3), keepdim=True)
        return (images - low) / (images.amax((2, 3), keepdim=True) - low + 1e-3)


class ChannelDrop(Augmentation):
    def apply_to(self, images):
        return images * (torch.rand(images.shape[0], images.shape[1], 1, 1) < self.strength)
