"""Processors that add what an image prompt attends to."""

from torch import nn


class AdapterProcessor(nn.Module):
    """Attention with a second set of keys, weighted by `scale`."""

    def __init__(self, width, scale):
        super().__init__()
        self.scale = scale
        self.k, self.v = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, attention, x):
        q, k, v = attention.q(x), attention.k(x), attention.v(x)
        text = (q @ k.transpose(1, 2)).softmax(-1) @ v
        image = (q @ self.k(x).transpose(1, 2)).softmax(-1) @ self.v(x)
        return text + self.scale * image


def install(model, width, strongest):
    """Give each block an adapter, weaker in the deeper ones."""
    depth = len(model.blocks)
    for number, block in enumerate(model.blocks):
        scale = strongest * (depth - number) / depth
        block.attn.set_processor(AdapterProcessor(width, scale))
