"""Depth and normals from one shared trunk."""

from torch import nn
from torch.nn import functional


class Perception(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.trunk = nn.Conv2d(3, width, 3, padding=1)
        self.depth = nn.Conv2d(width, 1, 1)
        self.normals = nn.Conv2d(width, 3, 1)

    def losses(self, image, depth, normals):
        hidden = self.trunk(image).relu()
        facing = functional.cosine_similarity(self.normals(hidden), normals, dim=1)
        return {
            "depth": functional.l1_loss(self.depth(hidden), depth),
            "normals": (1 - facing).mean(),
        }
