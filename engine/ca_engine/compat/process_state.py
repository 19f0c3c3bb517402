"""Global state of torch's that decides what inductor compiles."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pickle import whichmodule  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, NamedTuple

import torch


class ProcessState(NamedTuple):
    threads: int
    default_dtype: torch.dtype
    deterministic: bool
    deterministic_warn_only: bool
    fill_uninitialized_memory: bool
    matmul_precision: str


def state() -> ProcessState:
    deterministic: Any = torch.utils.deterministic
    return ProcessState(
        torch.get_num_threads(),
        torch.get_default_dtype(),
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        deterministic.fill_uninitialized_memory,
        torch.get_float32_matmul_precision(),
    )


def take_over(state: ProcessState) -> None:
    """Put this process into another one's ``state``."""
    deterministic: Any = torch.utils.deterministic
    torch.set_num_threads(state.threads)
    torch.set_default_dtype(state.default_dtype)
    torch.use_deterministic_algorithms(state.deterministic, warn_only=state.deterministic_warn_only)
    deterministic.fill_uninitialized_memory = state.fill_uninitialized_memory
    # Set to what it is already, it would differ from one that nobody has set.
    if torch.get_float32_matmul_precision() != state.matmul_precision:
        torch.set_float32_matmul_precision(state.matmul_precision)


def first_importer() -> str:
    """Return the module by which pickle names memory formats: the first one that has `torch`.

    It may be the program's own. What pickle writes is part of the keys of inductor's caches.
    """
    found: str = whichmodule(torch.contiguous_format, "torch.contiguous_format")
    return found


def put_first(importer: str) -> None:
    """Lets `first_importer` return another process's here."""
    if first_importer() == importer:
        return
    if importer not in sys.modules:
        stand_in: Any = ModuleType(importer)
        stand_in.torch = torch
        sys.modules[importer] = stand_in
    for name in list(sys.modules):
        if name != importer:
            sys.modules[name] = sys.modules.pop(name)


class Ambient(NamedTuple):
    """What AOTAutograd looks at of the thread in which a graph is compiled.

    ``autocast`` has the type of each device whose autocast is on, with its dtype.
    """

    grad: bool
    autocast: tuple[tuple[str, torch.dtype], ...]
    autocast_caches: bool


def ambient() -> Ambient:
    return Ambient(
        torch.is_grad_enabled(),
        tuple(
            (device, torch.get_autocast_dtype(device))
            for device in torch._C._autocast_supported_devices()
            if torch.is_autocast_enabled(device)
        ),
        torch.is_autocast_cache_enabled(),
    )


@contextmanager
def within(state: Ambient) -> Iterator[None]:
    """Put this thread into another one's ``state``."""
    with ExitStack() as stack:
        stack.enter_context(torch.set_grad_enabled(state.grad))
        for device, dtype in state.autocast:
            stack.enter_context(
                torch.autocast(device, dtype=dtype, cache_enabled=state.autocast_caches)
            )
        yield
