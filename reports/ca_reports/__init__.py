"""Logs in, answers out: reads torch's structured trace and says why backwards recompiled.

``load``, ``newest_run`` and ``frames`` are looked up on first use: who
imports one small module of this package (``errors``, say) does not import the readers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ca_reports.output import dataframes as frames
    from ca_reports.run.loading import load, newest_run

__all__ = ["frames", "load", "newest_run"]


def __getattr__(name: str) -> object:
    """Import what has this public name the first time that it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    is_frames = name == "frames"
    where = "output.dataframes" if is_frames else "run.loading"
    module = import_module(f"{__name__}.{where}")
    value: object = module if is_frames else getattr(module, name)
    globals()[name] = value
    return value
