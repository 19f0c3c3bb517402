"""Reads our own record of a recompile: what the failed guards' sources held by then."""

from __future__ import annotations

from dataclasses import field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from ca_engine import guards
from ca_engine.lazy_classes import dataclass
from ca_engine.redaction import REDACTED
from ca_engine.secret_names import is_secret
from ca_reports.logs.fields import (
    integer,
    items,
    mapping,
    message,
    no_entries,
    plain,
    read_by,
    read_fields,
    shared,
    sizes_by_name,
    text,
    truth,
)
from ca_reports.run.frames import MAX_FRAMES, own_frames
from ca_reports.run.loaders import RecordedLoader, loaders

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_engine.guards import Guard
    from ca_reports.program.stack import Frame

MAX_GUARDS = 64
MAX_ARGUMENTS = 256
MAX_ATTRIBUTES = 64


def _sizes(value: object) -> tuple[int | None, ...] | None:
    return tuple(integer(found) for found in value) if isinstance(value, list) else None


def _scalar(value: object) -> bool | int | float | str | None:
    found = plain(value)
    return found if isinstance(found, (bool, int, float, str)) else None


def _numbers(value: object) -> Mapping[str, bool | int | float]:
    found = {
        text(name) or "": held
        for name, told in islice(mapping(value).items(), MAX_ATTRIBUTES)
        if isinstance(held := plain(told), (bool, int, float)) and not is_secret(name)
    }
    return found or no_entries()


def _keys(value: object) -> tuple[str, ...]:
    return tuple(str(found) for found in items(value) if type(found) in (int, str))


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """``schema.HeldRecord``: what a thing held when it was looked at; None or empty where not said.

    ``has_value`` tells a value of None from none that is known.
    """

    type: str = read_by(lambda value: text(value) or "")
    value: bool | int | float | str | None = read_by(_scalar)
    shape: tuple[int | None, ...] | None = read_by(_sizes)
    stride: tuple[int | None, ...] | None = read_by(_sizes)
    dtype: str | None = read_by(text)
    device: str | None = read_by(text)
    requires_grad: bool | None = read_by(truth)
    leaf: bool | None = read_by(truth)
    attributes: Mapping[str, bool | int | float] = read_by(_numbers)
    length: int | None = read_by(integer)
    keys: tuple[str, ...] = read_by(_keys)
    file: str | None = read_by(text)
    line: int | None = read_by(integer)
    identity: int | None = read_by(integer)
    has_value: bool = False

    @classmethod
    def from_record(cls, value: object) -> Held | None:
        """Read a ``schema.HeldRecord``; None if it is none."""
        if not isinstance(value, dict):
            return None
        return cls(**read_fields(Held, value), has_value="value" in value)


# Compiles of one function have most of their arguments in common.
_held = shared(Held.from_record)


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """``schema.ChangedRecord``: a line that was seen to change a value; None: it was not there."""

    file: str
    line: int
    function: str
    compiled: bool
    before: Held | None
    after: Held | None

    @classmethod
    def from_record(cls, value: object, *, secret: bool) -> ChangedLine | None:
        """Read a record; None if it is none. Texts are left out where they are a ``secret``."""
        entry = mapping(value)
        file, line = text(entry.get("file")), integer(entry.get("line"))
        if not file or not line:
            return None
        before, after = (_held(entry.get(name)) for name in ("before", "after"))
        return cls(
            file,
            line,
            text(entry.get("function")) or "",
            truth(entry.get("compiled")) or False,
            _without_text(before) if secret else before,
            _without_text(after) if secret else after,
        )


@dataclass(frozen=True, slots=True)
class FailedBeside:
    """``schema.BesideRecord``: a guard that also failed, and what its source held."""

    guard: Guard
    held: Held | None


@dataclass(frozen=True, slots=True)
class FailedGuard:
    """``schema.FailedGuardRecord``: ``failed`` is the compile whose guard failed, ``0/0``.

    ``changed`` is the line that was seen to change the value since the guard failed before.
    ``beside`` are the next guards of that compile that also failed; None where nobody asked.
    """

    failed: str | None
    source: str
    held: Held | None
    changed: ChangedLine | None = None
    beside: tuple[FailedBeside, ...] | None = None


def _without_text(held: Held | None) -> Held | None:
    return replace(held, value=REDACTED) if held and isinstance(held.value, str) else held


def _failed_guard(entry: Mapping[str, Any]) -> FailedGuard:
    source = text(entry.get("source")) or ""
    held, secret = _held(entry.get("held")), is_secret(source)
    return FailedGuard(
        text(entry.get("failed")),
        source,
        _without_text(held) if secret else held,
        ChangedLine.from_record(entry.get("changed"), secret=secret),
        _beside(entry.get("beside")),
    )


def _beside(value: object) -> tuple[FailedBeside, ...] | None:
    if not isinstance(value, list):
        return None
    found = []
    for entry in map(mapping, value[:MAX_GUARDS]):
        if reason := message(entry.get("text")):
            guard, held = guards.parse(reason)[0], _held(entry.get("held"))
            held = _without_text(held) if is_secret(guard.source) else held
            found.append(FailedBeside(guard, held))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class RecordedGuards:
    """``schema.GuardsRecord``: of one compile its arguments, and the guards that failed, if any.

    ``data`` are sizes by the variables of the backward's callers, as in a capture's record;
    ``stack`` the user's frames that called the function, outermost first, with the identities of
    the ``modules`` whose methods they run, and ``loaders`` what these held.
    ``gradients``: they were recorded, as they are not in an evaluation, nor in the step
    of an ``optimizer``. ``inference``: inference mode was on. ``training`` is the mode of the
    outermost module that led to the call. ``thread`` compiled it; None is the main one.
    ``is_dropped``: the line that called does nothing with the result.
    """

    guards: tuple[FailedGuard, ...] = ()
    arguments: tuple[tuple[str, Held], ...] = ()
    data: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    stack: tuple[Frame, ...] = ()
    loaders: tuple[RecordedLoader, ...] = ()
    gradients: bool | None = None
    optimizer: bool | None = None
    modules: tuple[int | None, ...] = ()
    training: bool | None = None
    thread: str | None = None
    inference: bool | None = None
    is_dropped: bool | None = None

    @classmethod
    def from_record(cls, raw: Mapping[str, Any]) -> RecordedGuards:
        """Read a record, or as much of one as is known."""
        guards = tuple(
            _failed_guard(entry) for entry in map(mapping, items(raw.get("guards"))[:MAX_GUARDS])
        )
        arguments = list(mapping(raw.get("arguments")).items())[:MAX_ARGUMENTS]
        return cls(
            guards,
            tuple(
                (text(name) or "", held)
                for name, value in arguments
                if (held := _held(value)) is not None
            ),
            sizes_by_name(raw.get("data")),
            own_frames(raw.get("stack")),
            loaders(raw.get("loaders")),
            truth(raw.get("gradients")),
            truth(raw.get("optimizer")),
            tuple(integer(found) for found in items(raw.get("modules"))[:MAX_FRAMES]),
            truth(raw.get("training")),
            message(raw.get("thread")),
            truth(raw.get("inference")),
            truth(raw.get("dropped")),
        )

    def argument(self, name: str) -> Held | None:
        """Return what an argument held; None if there is none of that name."""
        return next((held for known, held in self.arguments if known == name), None)

    def beside(self, failed: str | None) -> tuple[FailedBeside, ...] | None:
        """Return what else failed for the compile ``failed``; None where nobody asked."""
        return next((one.beside for one in self.guards if one.failed == failed), None)

    def held_by(self, failed: str | None, source: str) -> Held | None:
        """Return what the source of a guard held that failed for the compile ``failed``."""
        of_compile = [one for one in self.guards if one.failed == failed]
        sources = [(one.source, one.held) for one in of_compile]
        sources += [
            (one.guard.source, one.held) for each in of_compile for one in each.beside or ()
        ]
        return next((held for name, held in sources if name == source), None)

    @property
    def own_object(self) -> int | None:
        """Return the identity of the object whose method was compiled; None of a function."""
        found = self.argument("self") or self.argument("fn")
        return None if found is None else found.identity
