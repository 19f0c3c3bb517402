"""Bounds of what comes into memory of one file: the whole run is bounded, whatever its size."""

from __future__ import annotations

from ca_engine.lazy_classes import dataclass

# For a whole run. Code and autograd graphs, compressed to about a tenth, in bytes.
STORED = 96 << 20
ROWS = 2_000_000
CAPTURES = 200_000
COMPILES = 500_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds on what one file may keep; beyond them ``damage`` says what was left out.

    ``stored`` bytes of compressed texts; ``rows`` of backwards, 34 bytes each (sums go on
    beyond it); ``captures`` and ``compiles`` of each process. ``all_guards`` keeps those of
    captured graphs, too, which only a page shows; ``cache_keys`` the parts that the keys of caches
    are made of, which take as long to read as all else of a compile.
    """

    stored: int = STORED
    rows: int = 1_000_000
    captures: int = 20_000
    compiles: int = 50_000
    all_guards: bool = True
    cache_keys: bool = False

    @classmethod
    def of_one_among(
        cls, files: int, *, all_guards: bool = True, cache_keys: bool = False
    ) -> Bounds:
        """Return those of each of ``files`` files that are read into one run."""
        share = max(1, files)
        most = cls()
        return cls(
            stored=max(1 << 18, STORED // share),
            rows=min(most.rows, max(10_000, ROWS // share)),
            captures=min(most.captures, max(500, CAPTURES // share)),
            compiles=min(most.compiles, max(2_000, COMPILES // share)),
            all_guards=all_guards,
            cache_keys=cache_keys,
        )
