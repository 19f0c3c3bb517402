"""Estimates motion between two frames."""

import torch
from torch import nn
from torch.nn import functional


class FlowNet(nn.Module):
    def __init__(self, channels=2, width=8):
        super().__init__()
        self.features = nn.Conv2d(channels, width, 3, padding=1)
        self.flow = nn.Conv2d(2 * width, 2, 3, padding=1)

    def forward(self, previous, frame):
        before, after = self.features(previous[None]), self.features(frame[None])
        return self.flow(torch.cat([before, after], 1).relu())


def warped(frame, flow):
    size = frame.shape[-1]
    line = torch.linspace(-1, 1, size)
    grid = torch.stack(torch.meshgrid(line, line, indexing="xy"), -1)[None]
    return functional.grid_sample(
        frame[None], grid + 0.1 * flow.permute(0, 2, 3, 1), align_corners=True
    )


def photometric(warped_frame, frame):
    return functional.smooth_l1_loss(warped_frame[0], frame)
