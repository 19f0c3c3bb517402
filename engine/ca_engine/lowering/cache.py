"""What the backend's cache said about a graph."""

from __future__ import annotations

from typing import get_args

from ca_engine import schema


def cache_use(before: dict[str, int], after: dict[str, int]) -> schema.LoweringCache | None:
    """What the backend's cache said about a graph; None of a backend without one."""
    for use in get_args(schema.LoweringCache):
        if after.get(use, 0) > before.get(use, 0):
            answer: schema.LoweringCache = use
            return answer
    return None
