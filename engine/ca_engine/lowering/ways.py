"""A captured graph, lowered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import torch

from ca_engine import schema

# To torch, what is done within is a compilation. Entered once nothing is refused any more.
Session = Callable[[], AbstractContextManager[None]]


class Way(Protocol):
    """Runs in place of the graph that Dynamo would have compiled."""

    @property
    def name(self) -> schema.LoweringWay:
        """Return the record's name for it."""

    def admits(self, inputs: list[torch.Tensor]) -> bool:
        """Return whether all that was taken for granted when the graph was lowered holds."""

    def failed(self, inputs: list[torch.Tensor]) -> str:
        """Describe what of that does not hold."""

    def differs_in_memory(self, inputs: list[torch.Tensor]) -> bool:
        """Return whether all of it holds but which inputs share memory."""

    def run(self, *args: Any) -> Sequence[Any]:
        """As the captured graph, with the same arguments."""
