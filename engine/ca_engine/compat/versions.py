"""Versions of torch that the engine is tested with, and all that differs between them.

The protocol between C++ and the compiler object is the one that docs/engine.md describes, with
one difference: until 2.12 `CaptureCompiler.accumulate_grad` gets one argument fewer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch._dynamo  # first: the two below need it whole, and it needs them
import torch._functorch.config
from torch._functorch._aot_autograd import runtime_wrappers

from ca_engine.compat.aot_regions import AotRegion

FIRST_TESTED = (2, 11)
LAST_TESTED = (2, 15)


def torch_version() -> tuple[int, int]:
    """Major and minor version of the torch in this process."""
    major, minor = torch.__version__.split(".")[:2]
    return int(major), int(minor)


# Of those whose caches can be asked for a graph of Dynamo's before it is compiled
BACKGROUND_FIRST_TESTED = (2, 13)


def is_supported() -> bool:
    """Return whether our engine was tested with the torch in this process."""
    return FIRST_TESTED <= torch_version() <= LAST_TESTED


def tested_range() -> str:
    """Return the versions that our engine was tested with: ``2.11 to 2.15``."""
    first, last = (".".join(map(str, version)) for version in (FIRST_TESTED, LAST_TESTED))
    return f"{first} to {last}"


def compiles_graphs_elsewhere() -> bool:
    """Return whether graphs of Dynamo's can be compiled in another process."""
    return BACKGROUND_FIRST_TESTED <= torch_version() <= LAST_TESTED


def aot_prologue(region: AotRegion) -> Callable[..., Any]:
    """Pack ``(saved_tensors, symints, opaque_objects, grads)`` into a flat argument list."""
    prologue: Callable[..., Any] | None = getattr(region, "_bw_prologue_fn", None)
    if prologue is not None:
        return prologue
    # Until torch 2.12 one function served all regions.
    metadata, subclasses = region.metadata, region.maybe_subclass_metadata

    def pack(saved_tensors: Any, symints: Any, opaque_objects: Any, grads: Any) -> Any:
        return runtime_wrappers._backward_prologue_functional(  # type: ignore[attr-defined]
            saved_tensors, symints, opaque_objects, metadata, subclasses, *grads
        )

    return pack


def aot_epilogue(region: AotRegion) -> Callable[..., Any]:
    """Drop what only AOTAutograd knows of from a backward's outputs, and wrap subclasses.

    Takes the outputs, and for regions with tensor subclasses ``make_subclass_override``.
    """
    epilogue: Callable[..., Any] | None = getattr(region, "_bw_epilogue_fn", None)
    if epilogue is not None:
        return epilogue
    return partial(
        runtime_wrappers._backward_epilogue_functional,  # type: ignore[attr-defined]
        region.metadata,
        region.maybe_subclass_metadata,
    )


def boxes_gradients(function: Any) -> bool:
    """Return whether an `autograd.Function` takes its gradients in one list: new in 2.13."""
    return torch_version() >= (2, 13) and getattr(function, "boxed_grads_call", False)


def inductor_names_regions() -> bool:
    """Return whether inductor is told a region's name and decompositions: new in 2.12."""
    return torch_version() >= (2, 12)


def comments_name_backwards() -> bool:
    """Return whether FX's comments mark nodes that AOTAutograd made for a backward: new in 2.14."""
    return torch_version() >= (2, 14)


def backward_autocast_option() -> Any:
    """Return the autocast that AOTAutograd assumes for backwards: see `torch._functorch.config`."""
    # New in torch 2.9; what it did before is what it does by default since.
    return getattr(torch._functorch.config, "backward_pass_autocast", "same_as_forward")


def trace_file(handler: logging.Handler) -> str | None:
    """Return the file that a trace's handler writes; None before a record, and in torch 2.11."""
    return getattr(handler, "_stream_path", None)
