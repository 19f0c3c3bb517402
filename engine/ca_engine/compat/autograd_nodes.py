"""Reads undocumented attributes of autograd's nodes."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from typing import Any

import torch
from torch.autograd.graph import Node

# The Python function from which every backward enters C++; its variables hold the roots.
ENTRY = "_engine_run_backward"


def sequence_number(node: Node) -> int:
    """Return when the forward made ``node``, in the count of its thread."""
    return node._sequence_nr()


def forward_class(node: Any) -> Any:
    """Return the `autograd.Function` class of a Python node; None for a node of C++."""
    return getattr(node, "_forward_cls", None)


def gradient_metadata(node: Node) -> Sequence[Any]:
    """Return the metadata of the gradients that come into ``node``, each with its ``shape``."""
    return getattr(node, "_input_metadata", ())


def saved_names(node_type: Any) -> tuple[list[str], list[str]]:
    """Return names of the non-tensor and of the tensor attributes that nodes of a type save."""
    # A Function's own type is the user's: to remember it would keep what it refers to.
    if issubclass(node_type, torch.autograd.function.BackwardCFunction):
        return [], []
    return _builtin_saved_names(node_type)


@functools.cache
def _builtin_saved_names(node_type: Any) -> tuple[list[str], list[str]]:
    names = dir(node_type)
    tensors = [name[len("_raw_saved_") :] for name in names if name.startswith("_raw_saved_")]
    saved = [name[len("_saved_") :] for name in names if name.startswith("_saved_")]
    return [name for name in saved if name not in tensors], tensors


def saved_value(node: Node, name: str) -> Any:
    """Return what a node saved under one of the first of `saved_names`; None if that is gone."""
    return _attribute(node, f"_saved_{name}")


def saved_variable(node: Node, name: str) -> Any:
    """Return what a node saved under one of the second of `saved_names`, not unpacked."""
    return _attribute(node, f"_raw_saved_{name}")


def function_saved_variables(node: Node) -> Sequence[Any]:
    """Return what the node of a Python Function saved, not unpacked."""
    return _attribute(node, "_raw_saved_tensors") or ()


def refuse_freed(node: Any) -> None:
    """Raise eager mode's RuntimeError if an earlier backward freed what a Python node saved.

    C++ asks a capture for such a node's tensors, gets none and ends in a SystemError.
    """
    with contextlib.suppress(TypeError):  # of a kind that C++ can't show to Python
        getattr(node, "_raw_saved_tensors", None)


def _attribute(node: Node, attribute: str) -> Any:
    try:
        return getattr(node, attribute, None)
    except (RuntimeError, TypeError):
        # Freed by an earlier backward, or of a kind that C++ can't show to Python.
        return None
