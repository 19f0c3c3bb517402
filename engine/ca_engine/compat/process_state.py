"""Global state of torch's that decides what inductor compiles."""

from __future__ import annotations

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
    """Puts this process into another one's ``state``."""
    deterministic: Any = torch.utils.deterministic
    torch.set_num_threads(state.threads)
    torch.set_default_dtype(state.default_dtype)
    torch.use_deterministic_algorithms(state.deterministic, warn_only=state.deterministic_warn_only)
    deterministic.fill_uninitialized_memory = state.fill_uninitialized_memory
    # Set to what it is already, it would differ from one that nobody has set.
    if torch.get_float32_matmul_precision() != state.matmul_precision:
        torch.set_float32_matmul_precision(state.matmul_precision)
