from itertools import pairwise

from torch import nn


class Stage(nn.Sequential):
    def __init__(self, inner, outer):
        super().__init__(
            nn.Conv1d(inner, outer, 5, stride=2, padding=2), nn.GroupNorm(2, outer), nn.GELU()
        )


class FossilNet(nn.Module):
    """Three stages that came trained, and a fresh head."""

    def __init__(self, num_classes, widths=(8, 12, 16)):
        super().__init__()
        sizes = (1, *widths)
        self.stages = nn.ModuleList([Stage(a, b) for a, b in pairwise(sizes)])
        self.head = nn.Sequential(nn.Flatten(), nn.LazyLinear(num_classes))

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return self.head(x)

    def layer_groups(self):
        return [*self.stages, self.head]
