"""A compiled loss asks Python who called it, for a message."""

# finds CA805|CA804|CA809 /out of|outside|avoid|remove|before/
import traceback

import torch


def caller() -> int:
    return len(traceback.extract_stack(limit=3))  # <- CA805|CA804|CA809


@torch.compile(backend="eager")
def loss_of(x: torch.Tensor) -> torch.Tensor:
    error = x.square()
    depth = caller()  # <- CA805|CA804|CA809
    return error.mean() * depth


for _ in range(3):
    loss_of(torch.randn(6, requires_grad=True)).backward()
