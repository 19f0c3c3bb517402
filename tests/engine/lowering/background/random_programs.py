"""Small trainings that Hypothesis draws: what a compiled forward may hold, in any order.

Each draws its pieces, its sizes, and when inductor's graphs take over; some keep a forward pending
across that moment.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from tests.engine.lowering.background.swapping import bits

Piece = Callable[[torch.Tensor], torch.Tensor]
WIDTH = 8


class Running(nn.Module):
    """Writes to a buffer in each forward."""

    mean: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.mean.lerp_(x.detach().mean(0), 0.1)
        return x - self.mean


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(WIDTH, WIDTH) / WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(torch.tanh(functional.linear(x, self.weight)), self.weight.t())


class Checkpointed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Dropout(0.3), nn.GELU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = checkpoint(self.inner, x, use_reentrant=False)
        return found


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wide = nn.Linear(WIDTH, 2 * WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.glu(self.wide(x))


class Of(nn.Module):
    """A function as a module."""

    def __init__(self, piece: Piece) -> None:
        super().__init__()
        self.piece = piece

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.piece(x)


def written_in_place(x: torch.Tensor) -> torch.Tensor:
    y = x * 1.0
    y[:, ::2].mul_(1.5)
    y.t()[1:].add_(0.1)
    return y


def in_bfloat16(x: torch.Tensor) -> torch.Tensor:
    return (x.bfloat16() * 1.1).exp().float().log1p()


def by_a_permutation(x: torch.Tensor) -> torch.Tensor:
    order = torch.arange(WIDTH - 1, -1, -1)
    return x.index_select(1, order) + x[:, order // 2]


def partly_detached(x: torch.Tensor) -> torch.Tensor:
    left, right = x.chunk(2, dim=1)
    return torch.cat([left * right.detach(), right.sin()], dim=1)


def masked(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x, x.expm1()).masked_fill(x.abs() > 4, 0.5)


def in_pieces(x: torch.Tensor) -> torch.Tensor:
    x = x.sin()
    torch._dynamo.graph_break()
    return x * 2


MODULES: dict[str, Callable[[], nn.Module]] = {
    "relu": partial(Of, functional.relu),
    "linear": lambda: nn.Linear(WIDTH, WIDTH),
    "linear without bias": lambda: nn.Linear(WIDTH, WIDTH, bias=False),
    "layer norm": lambda: nn.LayerNorm(WIDTH),
    "batch norm": lambda: nn.BatchNorm1d(WIDTH),
    "running mean": Running,
    "dropout": lambda: nn.Dropout(0.4),
    "tied": Tied,
    "checkpoint": Checkpointed,
    "gated": Gated,
    "gelu": partial(Of, functional.gelu),
    "softmax": partial(Of, lambda x: x.softmax(-1)),
    "matmul": partial(Of, lambda x: x @ (x.t() @ x) / WIDTH),
    "cumsum": partial(Of, lambda x: x.cumsum(0) / (1 + x.shape[0])),
    "amax": partial(Of, lambda x: x + x.amax(dim=1, keepdim=True)),
    "transpose": partial(Of, lambda x: x.reshape(-1, 2, WIDTH // 2).transpose(1, 2).flatten(1)),
    "flip": partial(Of, lambda x: torch.stack([x, x.flip(0)], dim=2).mean(2)),
    "in place": partial(Of, written_in_place),
    "bfloat16": partial(Of, in_bfloat16),
    "permutation": partial(Of, by_a_permutation),
    "detach": partial(Of, partly_detached),
    "mask": partial(Of, masked),
    "graph break": partial(Of, in_pieces),
}
# Those whose second forward would begin from what the first has written.
STATEFUL = {"batch norm", "running mean"}
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
