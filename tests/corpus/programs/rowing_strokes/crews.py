"""Strokes of rowing crews: forces on the oars over a stroke, and the boat's speed."""

import torch


def training_camp(days, strokes=6, seats=4, phases=8, seed=19):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(days):
        day = []
        for _ in range(3):
            force = torch.rand(strokes, seats, phases, generator=generator)
            drive = torch.sin(torch.linspace(0, torch.pi, phases))
            speed = (force * drive).mean((1, 2)) + 0.02 * torch.randn(strokes, generator=generator)
            day.append((force, speed))
        yield day
