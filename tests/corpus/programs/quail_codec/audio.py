"""Synthetic calls: a few chirps per segment."""

import math

import torch


def chirps(cfg, generator):
    t = torch.arange(cfg.segment) / cfg.sample_rate
    shape = (cfg.batch_size, 1)
    start = 300 + 900 * torch.rand(shape, generator=generator)
    slope = 4000 * torch.randn(shape, generator=generator)
    wave = torch.sin(2 * math.pi * (start * t + slope * t.square()))
    return (0.8 * wave + 0.02 * torch.randn(wave.shape, generator=generator)).unsqueeze(1)


def batches(cfg):
    generator = torch.Generator().manual_seed(cfg.seed)
    for _ in range(cfg.max_steps):
        yield chirps(cfg, generator)
