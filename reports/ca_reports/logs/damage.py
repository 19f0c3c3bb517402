"""Collects what could not be read, within a bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# A log of a million broken lines must not become a million objects: of each kind in each
# file the first few are listed, then only counted.
LISTED_PER_KIND = 20
LISTED_IN_ALL = 2_000
# Kinds that can have taken the record of a compile, a capture or a break, or a whole file of them.
# The others cost nothing of that: a process that two files have, text between records, letters.
_HIDING = frozenset(
    (
        "bad_compression", "bad_json", "bad_payload", "bad_record", "empty_folder",
        "line_too_long", "missing", "missing_payload", "not_kept", "orphan_payload", "too_many",
        "too_many_compiles", "too_many_files", "unreadable",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Damage:
    """Something of a file that could not be read, or only in part.

    ``line`` is one-based, 0 for the file as a whole. ``count`` says how many alike were
    found from that line on; the readers list the first few of a kind and then count.
    """

    file: str
    line: int
    kind: str
    detail: str
    count: int = 1

    @property
    def hides_events(self) -> bool:
        """Return whether something that was compiled may be missing because of it."""
        return self.kind in _HIDING


class DamageLog:
    """Damage in the order in which it was found."""

    def __init__(self) -> None:
        """Start empty."""
        self._listed: list[Damage] = []
        self._seen: dict[tuple[str, str], int] = {}
        self._more: dict[tuple[str, str], Damage] = {}

    def add(self, file: str, line: int, kind: str, detail: str, count: int = 1) -> None:
        """Note one damage at ``line`` (one-based, 0: the file), or ``count`` alike from there."""
        key = (file, kind)
        seen = self._seen.get(key, 0)
        self._seen[key] = seen + 1
        if seen < LISTED_PER_KIND and len(self._listed) < LISTED_IN_ALL:
            self._listed.append(Damage(file, line, kind, detail, count))
            return
        earlier = self._more.get(key)
        if earlier is not None:
            self._more[key] = Damage(
                file, earlier.line, kind, earlier.detail, earlier.count + count
            )
        elif len(self._more) < LISTED_IN_ALL:
            self._more[key] = Damage(file, line, kind, f"more of the same, first: {detail}", count)

    def extend(self, found: Iterable[Damage]) -> None:
        """Take over what was noted elsewhere, within the same bound."""
        for damage in found:
            if len(self._listed) < LISTED_IN_ALL:
                self._listed.append(damage)
            else:
                self.add(damage.file, damage.line, damage.kind, damage.detail, damage.count)

    def drop(self, file: str, kinds: Collection[str] | None = None) -> None:
        """Forget what was noted of ``file``, all or of these kinds: it was no damage."""

        def dropped(name: str, kind: str) -> bool:
            return name == file and (kinds is None or kind in kinds)

        self._listed = [found for found in self._listed if not dropped(found.file, found.kind)]
        self._more = {key: found for key, found in self._more.items() if not dropped(*key)}

    def items(self) -> tuple[Damage, ...]:
        """Return the damage: the listed ones in order, then the counted rest."""
        return (*self._listed, *self._more.values())
