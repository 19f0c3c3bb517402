"""Numbers in words: counts, times and shares."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """``1 capture``, ``2 captures``."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """``captures``, ``misses``."""
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def duration(found: float | None) -> str:
    """``4.2 s``, ``31 ms``; a dash if unknown."""
    if found is None:
        return "–"
    if found == 0:
        return "0 s"
    if found < 0.1:
        return f"{found * 1000:.0f} ms" if found >= 0.001 else "< 1 ms"
    return f"{found:.2f} s" if found < 1 else f"{found:,.1f} s"


def percent(share: float) -> str:
    """``88%`` for 0.88."""
    return f"{share:.0%}"
