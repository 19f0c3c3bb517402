"""Collects what could not be read, within a bound."""

from __future__ import annotations

from ca_reports.model import Damage

# A log of a million broken lines must not become a million objects: of each kind in each
# file the first few are listed, then only counted.
LISTED_PER_KIND = 20
LISTED_IN_ALL = 2_000


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

    def drop(self, file: str) -> None:
        """Forget what was noted of ``file``: it turned out to be no trace at all."""
        self._listed = [damage for damage in self._listed if damage.file != file]
        self._more = {key: damage for key, damage in self._more.items() if key[0] != file}

    def items(self) -> tuple[Damage, ...]:
        """What was found: the listed ones in order, then the counted rest."""
        return (*self._listed, *self._more.values())
