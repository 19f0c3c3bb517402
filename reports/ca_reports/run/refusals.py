"""Torch's words for a compile that it refused because a recompile limit was reached."""

from __future__ import annotations

from typing import NamedTuple

from ca_engine.lazy_expressions import expression

# Up to torch 2.8 it was "recompile_limit reached", before that "cache_size_limit reached".
_REFUSED = ("recompile limit exceeded", "_limit reached")
# The exception that it is where functions may not run uncompiled, as with `fullgraph=True`.
LIMIT_IS_ERROR = "FailOnRecompileLimitHit"
# The exceptions that it was up to torch 2.8, where the function goes on uncompiled.
LIMIT_TYPES = frozenset(("RecompileLimitExceeded", "CacheLimitExceeded"))
_NAME = expression(r"\b(?:accumulated_)?(?:recompile|cache_size)_limit\b")
_VALUE = expression(r"_limit \((\d{1,9})\)|\bcurrently set to (\d{1,9})\b")


class Refusal(NamedTuple):
    """The setting whose limit was reached, and its value, None if torch does not tell it."""

    setting: str
    limit: int | None


def refusal(fail_reason: str) -> Refusal | None:
    """Parse the ``fail_reason`` of a compile; None if no recompile limit ended it."""
    if not any(words in fail_reason for words in _REFUSED):
        return None
    name, value = _NAME.search(fail_reason), _VALUE.search(fail_reason)
    told = None if value is None else value[1] or value[2]
    return Refusal(name[0] if name else "recompile_limit", int(told) if told else None)
