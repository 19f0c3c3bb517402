"""Predicts depth from an image at three scales, the coarsest first."""

from torch import nn
from torch.nn import functional


class DepthNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.encoder = nn.Conv2d(3, width, 5, stride=4, padding=2)
        self.refine = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.heads = nn.ModuleList(nn.Conv2d(width, 1, 1) for _ in range(3))

    def forward(self, images):
        hidden = self.encoder(images).relu()
        depths = [self.heads[0](hidden)]
        for refine, head in zip(self.refine, self.heads[1:], strict=True):
            hidden = functional.interpolate(hidden, scale_factor=2, mode="nearest")
            hidden = refine(hidden).relu()
            depths.append(head(hidden))
        return depths
