"""Parameters in groups that are updated at rates of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import torch


class Paced:
    """An optimizer that steps once in `every` calls, with what was gathered since."""

    def __init__(self, optimizer: torch.optim.Optimizer, every: int = 1) -> None:
        self.optimizer, self.every, self.calls = optimizer, every, 0

    def step(self) -> None:
        self.calls += 1
        if self.calls % self.every == 0:
            self.optimizer.step()
            self.optimizer.zero_grad()


def paced(
    make: Callable[..., torch.optim.Optimizer],
    groups: dict[str, tuple[Iterable[torch.nn.Parameter], float, int]],
) -> dict[str, Paced]:
    return {
        name: Paced(make(list(parameters), lr=lr), every)
        for name, (parameters, lr, every) in groups.items()
    }
