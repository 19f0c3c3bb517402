"""Small trainings that Hypothesis draws: what a compiled forward may hold, in any order.

Each draws its pieces, its sizes, and when inductor's graphs take over; some keep a forward pending
across that moment.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import strategies as st
from torch import nn

from tests.engine.lowering.background.swapping import bits
from tests.engine.random_pieces import MODULES, STATEFUL, WIDTH

STEPS = 5


@dataclass(frozen=True)
class RandomProgram:
    """A training of the modules of these names.

    ``rows`` are those of each step's batch; inductor's graphs may take over from the step
    ``swap_at`` on. With ``is_pending`` the backward of the step before runs after that.
    """

    modules: Sequence[str]
    rows: Sequence[int]
    swap_at: int
    is_pending: bool

    def steps(self, backend: str, release: Callable[[], None]) -> list[list[Any]]:
        """Run all steps; return the bits of each: output, gradients, buffers.

        ``release`` is called at the moment from which on inductor's graphs may take over.
        """
        torch.manual_seed(len(self.modules))
        made = (MODULES[name]() for name in self.modules)
        module = nn.Sequential(nn.Linear(WIDTH, WIDTH), *made)
        is_dynamic = len(set(self.rows)) > 1
        compiled = torch.compile(module, backend=backend, dynamic=is_dynamic or None)
        start = copy.deepcopy(module.state_dict())

        def forward(step: int) -> torch.Tensor:
            torch.manual_seed(step)
            found: torch.Tensor = compiled(torch.randn(self.rows[step], WIDTH))
            return found

        def backward(found: torch.Tensor) -> list[Any]:
            module.zero_grad()
            found.square().sum().backward()
            grads = [each.grad for each in module.parameters() if each.grad is not None]
            return bits([found, *grads, *(each.clone() for each in module.buffers())])

        told = []
        waiting: torch.Tensor | None = None
        for step in range(STEPS):
            if step == self.swap_at:
                release()
            if waiting is None:
                module.load_state_dict(start)
            found = forward(step)
            if waiting is not None:
                told.append(backward(waiting))
                waiting = None
            # Not the first: nothing is sent before a backward has run.
            if self.is_pending and step == self.swap_at - 1 and step > 0:
                waiting = found
            else:
                told.append(backward(found))
        return told


@st.composite
def programs(draw: st.DrawFn) -> RandomProgram:
    """Draw a program; small ones are those with few modules and one size."""
    modules = draw(st.lists(st.sampled_from(list(MODULES)), min_size=1, max_size=6))
    rows = draw(st.just([5] * STEPS) | st.permutations([4, 5, 7, 6, 9]))
    swap_at = draw(st.integers(1, STEPS - 2))
    is_pending = not STATEFUL.intersection(modules) and draw(st.booleans())
    return RandomProgram(modules, rows, swap_at, is_pending)
