"""Inputs of a captured graph when it runs, as the passes leave them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from torch import fx


class InputKind(NamedTuple):
    """Facts about an input tensor that passes need."""

    device: str
    ndim: int


@dataclass
class GraphInputs:
    """``tensors`` are those that C++ passes, in its order.

    ``moved`` are the positions of those that go to the GPU first; ``sizes`` the positions of
    the lifted sizes that the graph still takes, in the order of their new numbers.
    """

    tensors: Sequence[InputKind] = ()
    moved: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)


class BackwardGraph(fx.Graph):
    """An `fx.Graph` that knows what it takes."""

    def __init__(self) -> None:
        super().__init__()
        self.inputs = GraphInputs()
