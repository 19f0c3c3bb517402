"""The default group of `torch.distributed`: who its collectives wait for, and for how long."""

from __future__ import annotations

from typing import NamedTuple

from torch import distributed
from torch._dynamo import config

__all__ = ["Group", "default_group", "shares_sizes"]


class Group(NamedTuple):
    """``timeout`` are the seconds after which a collective that waits fails, None if unknown."""

    backend: str
    ranks: int
    timeout: float | None


def default_group() -> Group | None:
    """Return the default group of this process; None before it is made, and without one."""
    if not (distributed.is_available() and distributed.is_initialized()):
        return None
    backend = str(distributed.get_backend())
    return Group(backend, distributed.get_world_size(), _timeout())


def shares_sizes() -> bool:
    """Return whether Dynamo asks all ranks for their sizes when it compiles."""
    return bool(getattr(config, "enable_compiler_collectives", False))


def _timeout() -> float | None:
    """Return the shortest timeout of the group's backends: CPU and GPU may have one each."""
    group = distributed.distributed_c10d._get_default_group()
    found = []
    for device in group._device_types:
        options = getattr(group._get_backend(device), "options", None)
        timeout = getattr(options, "_timeout", None)
        if timeout is not None:
            found.append(timeout.total_seconds())
    return min(found, default=None)
