"""Writes text with a model."""

import torch


@torch.no_grad()
def write(model, index, count, block_size):
    """Append `count` sampled tokens to `index`, (batch, length)."""
    for _ in range(count):
        logits, _ = model(index[:, -block_size:])
        following = torch.multinomial(logits.softmax(-1), 1)
        index = torch.cat([index, following], 1)
    return index
