"""Lifts joints in an image to joints in space, a residual MLP."""

from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Sequential(
            nn.Linear(width, width), nn.LayerNorm(width), nn.GELU(), nn.Linear(width, width)
        )

    def forward(self, x):
        return x + self.inner(x)


def build_lifter(joints, width=24, depth=2):
    blocks = [Block(width) for _ in range(depth)]
    return nn.Sequential(
        nn.Flatten(), nn.Linear(2 * joints, width), *blocks, nn.Linear(width, 3 * joints)
    )
