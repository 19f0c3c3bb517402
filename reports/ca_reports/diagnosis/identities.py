"""Recognises findings: within one run, and in another one.

A finding is recognised by its code, its function and the key that its rule gives it. So it stays
the same when lines move, files are renamed, a message is worded otherwise, or another machine
takes another time.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.words.places import Places


class Recognised(Protocol):
    """Finding as ``match`` pairs it: what it is recognised by, and its file."""

    @property
    def code(self) -> str: ...
    @property
    def function(self) -> str: ...
    @property
    def key(self) -> str | None: ...
    @property
    def file(self) -> str: ...
    @property
    def title(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Identity:
    """A finding of a run with what it is recognised by; ``line`` is 0 if it has no place."""

    finding: Finding
    function: str
    file: str
    line: int
    text: str

    @property
    def code(self) -> str:
        """Return the rule's."""
        return self.finding.code

    @property
    def key(self) -> str:
        """Return the rule's word for it."""
        return self.finding.key

    @property
    def title(self) -> str:
        """Return ``CA206 PowBackward0 exponent 2 → 3``."""
        return f"{self.code} {self.finding.message}"

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, the same for the same finding on every machine."""
        identity = "\0".join((self.code, self.function, self.key))
        return hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:32]


Known = TypeVar("Known", bound=Recognised)
Found = TypeVar("Found", bound=Recognised)


@dataclass(frozen=True, slots=True)
class Matching(Generic[Known, Found]):
    """``pairs`` of known and found, and what is only on one side, in the given order."""

    pairs: tuple[tuple[Known, Found], ...]
    gone: tuple[Known, ...]
    new: tuple[Found, ...]


def identify(findings: Iterable[Finding], places: Places) -> tuple[Identity, ...]:
    """Return the findings with their keys, in the same order."""
    return tuple(_identity(found, places) for found in findings)


def match(known: Sequence[Known], found: Sequence[Found]) -> Matching[Known, Found]:
    """Pair what has one key: first where line or source text is the same, then the file.

    What is left is paired by the function in which it was noticed: a better line, in another
    function, makes no other finding. Of several alike, as many are known as there were; the
    others are new.
    """
    keyed = all(one.key is not None for one in (*known, *found))

    def cause(one: Recognised) -> tuple[str | None, ...]:
        return (one.code, one.key if keyed else None)

    def identity(one: Recognised) -> tuple[str | None, ...]:
        return (*cause(one), one.function)

    left = list(range(len(known)))
    right = list(range(len(found)))
    partner: dict[int, int] = {}
    for recognised, place in (
        (identity, _line_of),
        (identity, _text_of),
        (identity, _file_of),
        (identity, _nowhere),
        (cause, _noticed_in),
    ):
        waiting: dict[tuple[object, object], list[int]] = {}
        for index in left:
            where = place(known[index])
            if where is not None:
                waiting.setdefault((recognised(known[index]), where), []).append(index)
        for index in right:
            candidates = waiting.get((recognised(found[index]), place(found[index])))
            if candidates:
                partner[index] = candidates.pop(0)
        taken = set(partner.values())
        left = [index for index in left if index not in taken]
        right = [index for index in right if index not in partner]
    pairs = tuple((known[partner[index]], found[index]) for index in sorted(partner))
    return Matching(
        pairs,
        tuple(known[index] for index in left),
        tuple(found[index] for index in right),
    )


def _identity(found: Finding, places: Places) -> Identity:
    frame = found.location
    return Identity(
        finding=found,
        function=frame.function if frame is not None else "",
        file=places.relative(frame.file) if frame is not None else "",
        line=frame.line if frame is not None else 0,
        text=frame.code if frame is not None else "",
    )


def rewrite_note(known: Iterable[Recognised], path: str) -> str | None:
    """Warn of a baseline that an older ca wrote; None for one with keys."""
    if all(one.key is not None for one in known):
        return None
    return (
        f"{path} was written by an older ca, and matches by code and function only: renew it with "
        "`ca baseline --update`"
    )


def _line_of(one: Recognised) -> object:
    return (one.file, one.line) if isinstance(one, Identity) else None


def _text_of(one: Recognised) -> object:
    return (one.file, one.text) if isinstance(one, Identity) and one.text else None


def _noticed_in(one: Recognised) -> object:
    """Return the function in which a finding showed; an entry of a baseline has no other."""
    noticed = one.finding.noticed_at if isinstance(one, Identity) else None
    return noticed.function if noticed is not None else one.function


def _file_of(one: Recognised) -> object:
    return one.file


def _nowhere(one: Recognised) -> object:
    return ""
