"""Ways to compute the attention of a block."""

import torch


class FullAttention:
    def __call__(self, block, tokens):
        query, key, value = block.project(tokens).chunk(3, dim=-1)
        weights = torch.softmax(query @ key.mT * block.scale, dim=-1)
        return block.out(weights @ value)


class SlicedAttention:
    """The same, with never more than one slice of the weights in memory."""

    def __init__(self, slices):
        self.slices = slices

    def __call__(self, block, tokens):
        query, key, value = block.project(tokens).chunk(3, dim=-1)
        parts = []
        for part in query.chunk(self.slices, dim=1):
            weights = torch.softmax(part @ key.mT * block.scale, dim=-1)
            parts.append(weights @ value)
        return block.out(torch.cat(parts, dim=1))
