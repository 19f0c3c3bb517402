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


def fine_duration(found: float | None) -> str:
    """``4.21 ms`` for times that are compared: of a hit, a tenth of a millisecond may count."""
    return f"{found * 1000:.3g} ms" if found and found < 0.1 else duration(found)


def rough_duration(found: float) -> str:
    """``31 s``, ``12 min``, ``3.5 h`` for what goes on while one looks."""
    if found < 90:
        return f"{found:.0f} s"
    return f"{found / 60:.0f} min" if found < 5400 else f"{found / 3600:.1f} h"


def and_more(left_out: int, noun: str | None = None) -> str:
    """``and 12 more``, ``and 12 ranks more``: what a list that was cut leaves out."""
    return f"and {left_out:,} more" if noun is None else f"and {counted(left_out, noun)} more"


def percent(share: float) -> str:
    """``88%`` for 0.88."""
    return f"{share:.0%}"
