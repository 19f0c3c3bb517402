"""Dynamo's own cache of compiled functions, which ``caching_precompile`` turns on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def before_lookups(notify: Callable[[], None]) -> None:
    """Call ``notify`` whenever Dynamo is about to ask its cache for a function.

    It asks when `torch.compile` is called: before the first compile, which a hit spares.
    """
    # Nobody else is to wait for it.
    from torch._dynamo.package import DynamoCache

    stock = type(DynamoCache).load

    def load(function: Callable[..., Any]) -> Any:
        notify()
        return stock(DynamoCache, function)

    vars(DynamoCache)["load"] = load
