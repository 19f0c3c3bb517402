"""Tensors without their data, and modes that see every operator."""

from __future__ import annotations

import torch
from torch.utils._python_dispatch import TorchDispatchMode

__all__ = ["TorchDispatchMode", "cpp_identity", "same_without_dispatch"]


def cpp_identity(tensor: torch.Tensor) -> int:
    """Equal for two Python objects that stand for the same tensor of C++."""
    return tensor._cdata


def same_without_dispatch(tensor: torch.Tensor) -> torch.Tensor:
    """A new tensor on ``tensor``'s storage, made past all dispatch modes."""
    made: torch.Tensor = torch.Tensor._make_subclass(torch.Tensor, tensor)
    return made
