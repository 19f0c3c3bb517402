"""Clips gradients at a percentile of their own history."""

import torch


def clip(gradients, limit):
    norm = torch.stack([one.square().sum() for one in gradients]).sum().sqrt()
    scale = (limit / (norm + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(scale)
    return norm.item()


class AutoClip:
    def __init__(self, share, backend="eager"):
        self.share, self.norms = share, [1.0]
        self.clip = torch.compile(clip, backend=backend, dynamic=False)

    @property
    def limit(self):
        ordered = sorted(self.norms)
        return ordered[int(self.share * (len(ordered) - 1))]

    def __call__(self, parameters):
        self.norms.append(self.clip([one.grad for one in parameters], self.limit))
