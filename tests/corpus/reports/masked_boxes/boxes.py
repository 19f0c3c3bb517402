import torch


def make_batch(step, rows=16):
    generator = torch.Generator().manual_seed(step)
    x = torch.randn(rows, 6, generator=generator)
    low = x[:, :2] * 0.5
    return x, torch.cat([low, low + 0.5 + torch.rand(rows, 2, generator=generator)], -1)
