"""Stacks of blocks that spare memory and do not overfit."""

import random

from torch import nn
from torch.utils.checkpoint import checkpoint


class Stack(nn.Module):
    """Blocks one after another; in training each is skipped now and then."""

    skip = 0.0

    def __init__(self, blocks):
        super().__init__()
        self.blocks = nn.ModuleList(blocks)

    def run(self, block, x):
        return block(x)

    def forward(self, x):
        for block in self.blocks:
            if self.training and random.random() < self.skip:
                continue
            x = self.run(block, x)
        return x


class Checkpointing:
    """For a Stack: activations within blocks are computed again in the backward."""

    checkpointing = False

    def run(self, block, x):
        if self.checkpointing and x.requires_grad:
            return checkpoint(block, x, use_reentrant=False)
        return super().run(block, x)
