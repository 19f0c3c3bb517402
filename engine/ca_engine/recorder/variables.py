"""The tensors that a user's variables hold, and what can be said of them without asking much."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import torch

# Tensors of one container that are looked at, what of a key is kept, and data whose sizes are.
MAX_HELD = 32
MAX_KEY = 80
MAX_SIZES = 100


def held_tensors(name: str, value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the tensors in a container, a named tuple or a dataclass, named as users read them.

    Containers are dicts, lists, tuples and deques; fields are read without running user code.
    """
    entries: Iterable[tuple[Any, Any]]
    kind = type(value)
    if kind is dict:
        entries = islice(value.items(), MAX_HELD)
    elif kind in (list, tuple, deque):
        entries = enumerate(islice(value, MAX_HELD))
    elif fields := _fields(value):
        yield from ((f"{name}.{key}", entry) for key, entry in fields if is_plain_tensor(entry))
        return
    else:
        return
    for key, entry in entries:
        if is_plain_tensor(entry) and type(key) in (str, int):
            yield f"{name}[{key[:MAX_KEY]!r}]" if type(key) is str else f"{name}[{key}]", entry


def _fields(value: Any) -> list[tuple[str, Any]]:
    """Return the fields of a named tuple or a dataclass; none of anything else."""
    kind = type(value)
    if issubclass(kind, tuple):
        names = kind.__dict__.get("_fields", ())
        return list(zip(names, tuple.__iter__(value), strict=False))[:MAX_HELD]
    if "__dataclass_fields__" in kind.__dict__:
        try:
            held = object.__getattribute__(value, "__dict__")
        except AttributeError:  # it has slots
            return []
        return list(islice(held.items(), MAX_HELD))
    return []


def is_plain_tensor(value: Any) -> bool:
    """Return whether ``value`` is a tensor of torch's own: a subclass may run user code."""
    return type(value) is torch.Tensor or type(value) is torch.nn.Parameter


def is_leaf(tensor: torch.Tensor) -> bool:
    """Return whether no node computed ``tensor``; not so of what cannot be used any more."""
    try:
        return tensor.is_leaf
    except RuntimeError:
        return False


def grad_fn_of(tensor: torch.Tensor) -> Any:
    """Return the node that computed ``tensor``; None for a leaf, and for what can't be used."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        # A view of something that was changed in place since, which a variable holds still.
        return None


def shape_of(sized: Any) -> list[int]:
    """Return the ``shape`` of ``sized``: -1 for a size that is no number, as of nested tensors."""
    try:
        shape = sized.shape
    except RuntimeError:  # a nested tensor of the older layout has none
        return []
    return [_size(size) for size in shape]


def _size(size: Any) -> int:
    try:
        return int(size)
    except Exception:  # the ragged size of a nested tensor: what it raises depends on torch
        return -1
