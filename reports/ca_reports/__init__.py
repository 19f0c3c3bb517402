"""Logs in, answers out: reads torch's structured trace and says why backwards recompiled.

``load`` and ``newest_run`` are looked up on first use, so that importing one small module
of this package (``errors``, say) does not import the readers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ca_reports.loading import load, newest_run

__all__ = ["load", "newest_run"]


def __getattr__(name: str) -> object:
    """Import the readers the first time one of them is asked for."""
    if name in __all__:
        from ca_reports import loading

        value: object = getattr(loading, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
