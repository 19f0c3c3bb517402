"""How two keys differ, in values that a reader knows, and which of it is the cause of the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ca_reports.caches.components import GRAPH, INPUTS, TORCH, component, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.cached import KeyDifference
    from ca_reports.caches.components import Component
    from ca_reports.caches.partners import Asked, Partner

_FIELD = re.compile(r"\b(\w{1,64})=((?:[^(),]|\([^()]*\))*)")
_SIZE = re.compile(r"torch\.Size\((\[.*\])\)")
_DEVICE = re.compile(r"device\(type='(\w+)'(?:, index=(\d+))?\)")
_NUMBERS = re.compile(r"\d+")
# What a tensor's metadata say that follows from its size.
_DERIVED = frozenset(("stride", "storage_bytes", "memory_format"))


@dataclass(frozen=True, slots=True)
class Differing:
    """One component that two keys do not have in common, as a reader sees it.

    ``before`` and ``after`` are None where a key lacks it, or where nobody can read it. ``line`` is
    that of the graph's code where the two begin to differ.
    """

    name: str
    before: str | None
    after: str | None
    line: int | None = None
    only_numbers: bool = False

    @property
    def about(self) -> Component:
        """Return what is known of the component."""
        return component(self.name)


def described(partner: Partner, after: Asked) -> tuple[Differing, ...]:
    """Return what differs between the key of ``partner`` and that of the later look-up."""
    return tuple(_described(found, partner.asked, after) for found in partner.differences)


def _described(found: KeyDifference, before: Asked, after: Asked) -> Differing:
    group, _ = split(found.name)
    texts = [None if part is None else part.text for part in (found.before, found.after)]
    if group == TORCH:
        return Differing(found.name, _version(before), _version(after))
    if group == GRAPH and texts[0] is not None and texts[1] is not None:
        return _graph(found.name, texts[0], texts[1])
    if group == INPUTS:
        return Differing(found.name, *_tensors(*texts))
    first, second = (text if _is_readable(text) else None for text in texts)
    return Differing(found.name, first, second)


def causes(differing: Sequence[Differing]) -> tuple[Differing, ...]:
    """Return what the rest of ``differing`` follows from.

    ProgramSettings always count. Another graph has other inputs; other sizes make another graph
    that differs in numbers alone; autocast and its like make another graph of the same function.
    """
    by_family = {
        family: [found for found in differing if found.about.family == family]
        for family in ("setting", "inputs", "graph", "derived")
    }
    settings, inputs, graph = (by_family[name] for name in ("setting", "inputs", "graph"))
    if any(found.about.changes_graph for found in settings):
        return tuple(settings)
    if inputs and all(found.only_numbers for found in graph):
        return (*settings, *inputs)
    rest = graph or inputs or (() if settings else by_family["derived"])
    return (*settings, *rest)


def _version(asked: Asked) -> str | None:
    return asked.process.versions.get("torch")


def _is_readable(text: str | None) -> bool:
    """Return whether a value is text: what was pickled is not."""
    return text is not None and "\N{REPLACEMENT CHARACTER}" not in text


def _graph(name: str, before: str, after: str) -> Differing:
    """Return the first line in which two graphs differ."""
    lines, others = ([line.strip() for line in text.split("\n")] for text in (before, after))
    number = next(
        (
            index
            for index, pair in enumerate(zip(lines, others, strict=False))
            if pair[0] != pair[1]
        ),
        min(len(lines), len(others)),
    )
    if number >= len(lines) and number >= len(others):
        return Differing(name, None, None)
    first, second = (own[number] if number < len(own) else None for own in (lines, others))
    same = _NUMBERS.sub("", before) == _NUMBERS.sub("", after)
    return Differing(name, first, second, line=number + 1, only_numbers=same)


def _tensors(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """Return what differs between two inputs, in short: ``size [6, 4]``, ``float32``."""
    fields = [dict(_FIELD.findall(text or "")) for text in (before, after)]
    if not fields[0] or not fields[1]:
        first, second = (
            _short(known, ("shape", "dtype")) if known else text
            for known, text in zip(fields, (before, after), strict=True)
        )
        return first, second
    names = [name for name in fields[1] if fields[0].get(name) != fields[1][name]]
    telling = [name for name in names if name not in _DERIVED] or names
    return _short(fields[0], telling), _short(fields[1], telling)


def _short(fields: dict[str, str], names: Sequence[str]) -> str:
    said = []
    for name in names:
        value = fields.get(name, "?").removeprefix("torch.")
        if size := _SIZE.fullmatch(fields.get(name, "")):
            said.append(f"size {size[1]}")
        elif device := _DEVICE.fullmatch(value):
            said.append(device[1] if device[2] is None else f"{device[1]}:{device[2]}")
        elif name == "dtype":
            said.append(value)
        else:
            said.append(f"{name} {value}")
    return ", ".join(said)
