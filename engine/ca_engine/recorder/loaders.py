"""The data loaders that a user's variables hold, and what can be said of them without asking."""

from __future__ import annotations

import sys
from typing import Any

from ca_engine import schema
from ca_engine.recorder.variables import is_plain_tensor, shape_of

MAX_LOADERS = 32
_MODULE = "torch.utils.data.dataloader"


def is_loader(value: Any) -> bool:
    """Return whether ``value`` is a `DataLoader`; nothing is imported to know it."""
    module = sys.modules.get(_MODULE)
    kind = getattr(module, "DataLoader", None)
    return kind is not None and issubclass(type(value), kind)


def describe(loader: Any, variable: str, frame: tuple[str, int]) -> schema.LoaderRecord:
    """Return what its `__dict__` says of ``loader``, which ``variable`` held at ``frame``'s line.

    The same loader has the same ``id`` in one record.
    """
    held = object.__getattribute__(loader, "__dict__")
    size = held.get("batch_size")
    return {
        "id": id(loader),
        "variable": variable,
        "file": frame[0],
        "line": frame[1],
        "batch_size": size if type(size) is int else None,
        "drop_last": held.get("drop_last") is True,
        "samples": _samples(held.get("dataset")),
    }


def _samples(data: Any) -> int | None:
    """Return how many samples a dataset has; None where only its own code would tell."""
    if type(data) in (list, tuple):
        return len(data)
    module = sys.modules.get("torch.utils.data.dataset")
    if type(data) is getattr(module, "TensorDataset", None):
        tensors = object.__getattribute__(data, "__dict__").get("tensors")
        first = tensors[0] if type(tensors) is tuple and tensors else None
        shape = shape_of(first) if is_plain_tensor(first) else []
        return shape[0] if shape else None
    if type(data) is getattr(module, "Subset", None):
        indices = object.__getattribute__(data, "__dict__").get("indices")
        if type(indices) is list or type(indices) is range:
            return len(indices)
    return None
