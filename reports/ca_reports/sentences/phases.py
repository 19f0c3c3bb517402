"""The phases of a capture and of a compile, by name, and how long each took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.words.numbers import duration

if TYPE_CHECKING:
    from collections.abc import Mapping

PHASE_WORDS = {
    "capture": "capture",
    "lowering": "lowering",
    "dynamo": "Dynamo",
    "aot": "AOT",
    "backend": "backend",
    "other": "first run",
}
# Those of one compile, in the order in which they run.
OF_COMPILE = ("lowering", "dynamo", "aot", "backend")
# Those that the bill of a function has a column for.
OF_BILL = ("dynamo", "aot", "backend")
# A phase that took less than this share is not worth a reader's time.
_SHARE_TOLD = 0.02


def in_order(spent: Mapping[str, float]) -> str:
    """Say ``Dynamo 0.59 s, AOT 0.31 s``, in the order of a compile; empty if nothing is known."""
    return ", ".join(_took(phase, spent[phase]) for phase in OF_COMPILE if spent.get(phase))


def most_first(spent: Mapping[str, float]) -> str:
    """Return ``Dynamo 1.1 s, capture 50 ms``: where the time went, without what is too short."""
    least = sum(spent.values()) * _SHARE_TOLD
    told = sorted(((took, phase) for phase, took in spent.items() if took), reverse=True)
    return ", ".join(_took(phase, took) for took, phase in told if took >= least)


def _took(phase: str, seconds: float) -> str:
    return f"{PHASE_WORDS.get(phase, phase)} {duration(seconds)}"
