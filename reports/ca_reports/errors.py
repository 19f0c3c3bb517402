"""Exceptions of this package. Damage in a log is data, not an exception."""

from __future__ import annotations


class CaError(Exception):
    """An error to show to the user as one sentence, without a traceback."""


class NothingReadable(CaError):  # noqa: N818  # what happened, not whose fault it is
    """Not one of the named paths could be read as a trace or as a run."""
