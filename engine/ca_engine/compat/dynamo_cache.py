"""Dynamo's own cache of compiled functions, which ``caching_precompile`` turns on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

# Torch's name for entries of this cache in a bundle.
FUNCTIONS = "precompile"


def watch_lookups(before: Callable[[], None], took: Callable[[str], None]) -> None:
    """Call ``before`` whenever Dynamo is about to ask its cache for a function.

    It asks when `torch.compile` is called: before the first compile, which a hit spares. ``took``
    gets the key of a hit, of which torch's bundle of what a process took knows nothing.
    """
    # Nobody else is to wait for it.
    from torch._dynamo.package import CompilePackage, DynamoCache

    stock = type(DynamoCache).load

    def load(function: Callable[..., Any]) -> Any:
        before()
        found = stock(DynamoCache, function)
        if found is not None:
            with suppress(Exception):  # the program goes first
                took(CompilePackage.source_id_from_fn(function))
        return found

    vars(DynamoCache)["load"] = load
