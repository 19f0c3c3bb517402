"""A trainer compiles its step in each epoch, with a backend that is another function each time."""

# finds CA717 /once/
from collections.abc import Callable
from typing import Any

import torch

weight = torch.randn(6, requires_grad=True)


def counting(counts: list[int]) -> Callable[[Any, Any], Any]:
    def backend(graph: Any, inputs: Any) -> Any:
        counts.append(len(inputs))
        return graph

    return backend


def loss_of(x: torch.Tensor) -> torch.Tensor:
    return (x * weight).square().mean()


class Trainer:
    """Counts the inputs of each epoch's graph."""

    def epoch(self) -> None:
        step = torch.compile(loss_of, backend=counting([]))  # <- CA717
        for _ in range(2):
            step(torch.randn(6)).backward()


trainer = Trainer()
for _ in range(3):
    trainer.epoch()
