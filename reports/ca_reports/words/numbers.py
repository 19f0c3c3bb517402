"""Numbers in words: counts, times, shares and sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """Return ``1 capture``, ``2 captures``."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return ``captures``, ``misses``."""
    if noun.endswith(("entry", "library")):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def agreeing(number: int, one: str, several: str) -> str:
    """Return ``is`` or ``are``, ``its`` or ``their``: the word that goes with so many."""
    return one if number == 1 else several


def agreeing_noun(noun: str, number: int | None) -> str:
    """Return ``capture`` for 1, else ``captures``: below or beside a number that stands alone."""
    return noun if number == 1 else plural(noun)


def times(number: int) -> str:
    """Return ``once``, ``3 times``."""
    return "once" if number == 1 else counted(number, "time")


def known(number: int | None) -> str:
    """Return ``1,234``; a dash if unknown."""
    return "–" if number is None else f"{number:,}"


def every(number: int, noun: str) -> str:
    """Return ``both ranks``, ``all 3 ranks``; of a single one ``the rank``."""
    if number == 1:
        return f"the {noun}"
    return f"both {plural(noun)}" if number == 2 else f"all {counted(number, noun)}"


def plain(found: float) -> str:
    """Return ``1,234`` or ``2.25``: a number that may be whole."""
    return f"{found:,.0f}" if float(found).is_integer() else f"{found:g}"


def six_digits(found: float) -> str:
    """Return ``0.693147``: a loss or a scalar, as far as anybody compares it."""
    return f"{found:.6g}"


def magnitude(found: float) -> str:
    """Return ``2e-07``: how far two numbers are apart."""
    return f"{found:.0e}"


def span(first: int, last: int) -> str:
    """Return ``9–570``, or ``9`` alone: numbers that are names, of lines, steps or ranks."""
    return str(first) if first == last else f"{first}–{last}"


def joined(parts: Sequence[str]) -> str:
    """Return ``a, b and c``."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def duration(found: float | None) -> str:
    """Return ``4.2 s``, ``31 ms``; a dash if unknown."""
    if found is None:
        return "–"
    if found == 0:
        return "0 s"
    if found < 0.1:
        return f"{found * 1000:.0f} ms" if found >= 0.001 else "< 1 ms"
    return f"{found:.2f} s" if found < 1 else f"{found:,.1f} s"


def set_duration(found: float) -> str:
    """Return ``1,800 s`` or ``0.5 s``: a time that was set, not measured."""
    return f"{plain(found)} s"


def fine_duration(found: float | None) -> str:
    """Write ``4.21 ms`` for compared times: of a hit, a tenth of a millisecond may count."""
    return f"{found * 1000:.3g} ms" if found and found < 0.1 else duration(found)


def microseconds(found: float) -> str:
    """Return ``12 µs`` for what each call takes."""
    return f"{found * 1e6:.0f} µs"


def rough_duration(found: float) -> str:
    """Return ``31 s``, ``12 min``, ``3.5 h`` for what goes on while one looks."""
    if found < 90:
        return f"{found:.0f} s"
    return f"{found / 60:.0f} min" if found < 5400 else f"{found / 3600:.1f} h"


def and_more(left_out: int, noun: str | None = None) -> str:
    """Return ``and 12 more``, ``and 12 more ranks``: what a list that was cut leaves out."""
    return f"and {left_out:,} more" if noun is None else f"and {counted(left_out, f'more {noun}')}"


def percent(share: float) -> str:
    """Return ``88%`` for 0.88."""
    return f"{share:.0%}"


def fine_percent(share: float) -> str:
    """Return ``2.5%`` for 0.025: a share that a user has set."""
    return f"{share * 100:.3g}%"


def factor(found: float) -> str:
    """Return ``×1.06``: how many times as much."""
    return f"×{found:.2f}"


def rate(found: float) -> str:
    """Return ``12.5``, so many in a second."""
    return f"{found:.1f}"


def megabytes(found: float) -> str:
    """Return ``3.1 MB`` of so many bytes."""
    return f"{found / 1e6:.1f} MB"


def memory(found: int) -> str:
    """Return ``16 MiB`` or ``2 GiB``: a limit or a device's memory, in bytes."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20)):
        if found >= size:
            return f"{found / size:.0f} {unit}"
    return counted(found, "byte")
