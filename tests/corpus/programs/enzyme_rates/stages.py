"""The curriculum: first the start of the reaction, then ever more of its course."""

from dataclasses import dataclass

import torch


@dataclass
class Stage:
    until: float  # of the reaction's time
    points: int
    iterations: int
    causal: float  # how strongly early residuals come first


def curriculum(horizon, stages, iterations):
    plan = []
    for k in range(1, stages + 1):
        share = k / stages
        plan.append(
            Stage(
                until=horizon * share,
                points=int(48 * share),
                iterations=iterations,
                causal=2.0 * (1 - share) + 0.1,
            )
        )
    return plan


def collocation(stage, generator):
    """Jittered, so that no two iterations see the same times."""
    grid = torch.linspace(0, 1, stage.points)
    jitter = torch.rand(stage.points, generator=generator) / stage.points
    return (stage.until * (grid + jitter).clamp(max=1)).unsqueeze(1)
