"""``ca_trial``: what a short run of `ca try` or `ca fix --verify` noted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.logs.fields import duration, integer, integers, items, mapping, number, texts
from ca_reports.logs.fields import text as text_of
from ca_reports.run.model import TensorSum, Trial, TrialCalls

if TYPE_CHECKING:
    from collections.abc import Iterator


def read_trial(raw: dict[str, Any]) -> Trial:
    """Return what the record says; what is no number of its kind is left out."""
    return Trial(
        starts=tuple(duration(found) or 0.0 for found in items(raw.get("starts"))),
        losses=tuple(_values(raw.get("losses"))),
        stopped=raw.get("stopped") is True,
        gradients=tuple(_sums(raw.get("gradients"))),
        weights=tuple(_sums(raw.get("weights"))),
        buffers=tuple(_sums(raw.get("buffers"))),
        asking=integers(raw.get("asking")),
        asking_names=texts(raw.get("asking_names")),
        compiles=integers(raw.get("compiles")),
        skipped=integer(raw.get("skipped")) or 0,
        calls=_calls(mapping(raw.get("calls"))),
        results=tuple(_sums(raw.get("results"))),
        call_seconds=tuple(duration(found) or 0.0 for found in items(raw.get("call_seconds"))),
        call_compiles=integers(raw.get("call_compiles")),
    )


def _calls(raw: dict[str, Any]) -> TrialCalls:
    return TrialCalls(
        integer(raw.get("compiled")) or 0,
        integer(raw.get("eager")) or 0,
        duration(raw.get("compiled_seconds")),
        duration(raw.get("eager_seconds")),
    )


def _values(raw: object) -> Iterator[float | str]:
    for entry in items(raw):
        found = _value(entry)
        if found is not None:
            yield found


def _value(raw: object) -> float | str | None:
    found = number(raw)
    return text_of(raw) if found is None else found


def _sums(raw: object) -> Iterator[TensorSum]:
    for entry in items(raw):
        tensors, magnitude, bits = [*items(entry), None, None, None][:3]
        known = integer(tensors), _value(magnitude), integer(bits)
        if known[0] is not None and known[1] is not None and known[2] is not None:
            yield TensorSum(known[0], known[1], known[2])
