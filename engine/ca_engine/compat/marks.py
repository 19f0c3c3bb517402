"""Marks that torch reads off functions that are not its own. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def leave_to_python(function: Callable[..., Any], reason: str) -> None:
    """Dynamo runs ``function`` in Python, with a graph break that names ``reason``.

    As `torch.compiler.disable` does, for a function whose module must not import torch.
    """
    vars(function).update(_torchdynamo_disable=True, _torchdynamo_disable_msg=reason)
