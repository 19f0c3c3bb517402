"""Tensors without their data, modes that see every operator, and what holds tensors."""

from __future__ import annotations

from contextlib import AbstractContextManager

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

__all__ = [
    "TorchDispatchMode",
    "cpp_identity",
    "same_without_dispatch",
    "sparse_parts",
    "tree_map",
    "without_torch_functions",
]


def cpp_identity(tensor: torch.Tensor) -> int:
    """Equal for two Python objects that stand for the same tensor of C++."""
    return tensor._cdata


def same_without_dispatch(tensor: torch.Tensor) -> torch.Tensor:
    """Return a new tensor on ``tensor``'s storage, made past all dispatch modes."""
    made: torch.Tensor = torch.Tensor._make_subclass(torch.Tensor, tensor)
    return made


def sparse_parts(tensor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the indices and values of a sparse COO tensor as they are, coalesced or not."""
    return tensor._indices(), tensor._values()


def without_torch_functions() -> AbstractContextManager[None]:
    """Meanwhile no ``__torch_function__`` runs, of a subclass or of a mode."""
    context: AbstractContextManager[None] = torch._C.DisableTorchFunction()
    return context
