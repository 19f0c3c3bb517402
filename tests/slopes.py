"""How time grows with length: the exponent in ``time = c · length ** exponent``.

A regular expression, or a loop that slices what is left, can take hours for a megabyte that
was made for it. `attacks` makes such texts from an expression itself: whatever it begins with,
then a part of it over and over, then something that lets the match fail.
"""

from __future__ import annotations

import gc
import heapq
import importlib
import math
import pkgutil
import re
import sys
import time
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_expressions import Expression

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

# Python's own parser of expressions; it moved in 3.11.
_NEW = sys.version_info >= (3, 11)
sre: Any = importlib.import_module("re._constants" if _NEW else "sre_constants")
parser: Any = importlib.import_module("re._parser" if _NEW else "sre_parse")

# Between 1 for what is linear and 2 for what is quadratic.
LIMIT = 1.5
_GENERIC = (" ", "1", "a", "a ", ", ")
_ENDS = ("\0", "\n\n")
_TRIED, _MEASURED = 64, 8  # attacks on one expression, after a look at shorter texts
_PLAINLY_LINEAR = 1.2  # an exponent by one measurement each; above, it is measured with care
_WORTH_MEASURING = 1e-3  # seconds; below, two measurements say nothing


def seconds(action: Callable[[], object], repeats: int = 3, enough: float = 0.0) -> float:
    """CPU seconds of the fastest of some calls; none is made after one that took ``enough``.

    The garbage collector is off meanwhile: what other tests left behind takes it a second.
    """
    best = math.inf
    was_on = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repeats):
            start = time.process_time()
            action()
            best = min(best, time.process_time() - start)
            if best <= enough:
                break
    finally:
        if was_on:
            gc.enable()
    return best


def is_within(limit: float, action: Callable[[], object]) -> bool:
    """Whether one of five calls takes at most ``limit`` CPU seconds, on a busy machine too."""
    return seconds(action, 5, limit) <= limit


def is_linear_within(
    limit: float, work: Callable[[Any], object], text: Callable[[int], Any], length: int
) -> bool:
    """Whether ``work(text(length))`` takes at most ``limit`` CPU seconds.

    Mostly two short texts tell: what plainly grows as they do, and is far below the limit, has at
    most a small quadratic part. The whole is measured where they leave a doubt.
    """
    short, longer = text(length // 16), text(length // 4)
    quick, slow = seconds(lambda: work(short), 1), seconds(lambda: work(longer), 1)
    if slow <= limit / 12 and slow <= quick * 4**_PLAINLY_LINEAR:
        return True
    whole = text(length)
    return is_within(limit, lambda: work(whole))


def slope(work: Callable[[Any], object], text: Callable[[int], Any], length: int) -> float:
    """The exponent between ``text(length)`` and four times that; 0 for what takes no time."""
    short, long = text(length), text(4 * length)
    slow = seconds(lambda: work(long), 1)
    if slow < 4 * _WORTH_MEASURING:
        return 0.0
    quick = max(seconds(lambda: work(short)), 1e-6)
    exponent = math.log(slow / quick, 4)
    if exponent > LIMIT:  # by chance, or because it was the first time
        slow = min(slow, seconds(lambda: work(long), 2))
        exponent = math.log(slow / quick, 4)
    return exponent


def steady(work: Callable[[Any], object], text: Callable[[int], Any], length: int) -> float:
    """`slope`; measured again where it is high, since somebody else may have had the processor."""
    exponent = slope(work, text, length)
    for _ in range(2):
        if exponent > LIMIT:
            exponent = min(exponent, slope(work, text, length))
    return exponent


def patterns(package: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Every expression that a module of ``package`` (or the module) has as a global."""
    names = [package.__name__]
    if hasattr(package, "__path__"):
        found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        names += [module.name for module in found]
    for name in names:
        for variable, value in vars(importlib.import_module(name)).items():
            if isinstance(value, re.Pattern):
                yield f"{name}.{variable}", value
            elif isinstance(value, Expression):
                yield f"{name}.{variable}", value.compiled()


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """(begin, unit, end) for texts ``begin + unit * n + end`` that ``pattern`` may be slow on."""
    source = pattern.pattern
    if isinstance(source, bytes):
        source = source.decode("latin-1")
    parts = [_sample(part) for part in _flat(parser.parse(source, pattern.flags & ~re.UNICODE))]
    whole = "".join(parts)
    units = [*filter(None, parts), whole, *_GENERIC]
    # A dict, since parts may be empty or the same.
    yield from dict.fromkeys(
        (begin, unit, end)
        for first in range(len(parts) + 1)
        for begin, rest in [("".join(parts[:first]), "".join(parts[first:]))]
        for unit in [*units, rest]
        if unit
        for end in _ENDS
    )


def worst(pattern: re.Pattern[Any], length: int = 4_000) -> tuple[float, tuple[str, str, str]]:
    """The largest exponent of a search with ``pattern``, and the attack that has it.

    Measured for the attacks that take longest at ``length``, of those that do at a quarter of it:
    what grows faster than the text is among those by then. Those that plainly do not are measured
    no more.
    """
    found: tuple[float, tuple[str, str, str]] = (0.0, ("", "", ""))
    search = _search(pattern)

    def once(attack: tuple[str, str, str], length: int) -> float:
        text = _text(pattern, attack)(length)
        return seconds(lambda: search(text), 1)

    quick = {attack: once(attack, length // 4) for attack in attacks(pattern)}
    tried = heapq.nlargest(_TRIED, quick, key=lambda attack: quick[attack])
    slow = {attack: once(attack, length) for attack in tried}
    for attack in heapq.nlargest(_MEASURED, slow, key=lambda attack: slow[attack]):
        exponent = math.log(slow[attack] / max(quick[attack], 1e-6), 4)
        if slow[attack] < 4 * _WORTH_MEASURING or exponent > _PLAINLY_LINEAR:
            exponent = steady(search, _text(pattern, attack), length)
        if exponent > LIMIT:  # or it has a bound that is about as long
            exponent = slope(search, _text(pattern, attack), 2 * length)
        found = max(found, (exponent, attack))
        if exponent > LIMIT:
            break
    return found


def _search(pattern: re.Pattern[Any]) -> Callable[[Any], object]:
    """Look for all of them, as the slowest of its users does."""

    def search(text: Any) -> None:
        for _ in pattern.finditer(text):
            pass

    return search


def _text(pattern: re.Pattern[Any], attack: tuple[str, str, str]) -> Callable[[int], Any]:
    begin, unit, end = attack

    def text(length: int) -> Any:
        made = begin + unit * (length // len(unit)) + end
        return made.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else made

    return text


def _flat(parsed: Any) -> Iterator[list[Any]]:
    """The parts of an expression one after the other; letters that follow each other are one."""
    letters: list[Any] = []
    for operator, argument in parsed:
        if operator is sre.LITERAL:
            letters.append((operator, argument))
            continue
        if letters:
            yield letters
            letters = []
        if operator is sre.SUBPATTERN:
            yield from _flat(argument[3])
        elif operator in (sre.MAX_REPEAT, sre.MIN_REPEAT) and len(argument[2]) > 1:
            yield from _flat(argument[2])
        else:
            yield [(operator, argument)]
    if letters:
        yield letters


def _sample(parsed: Any) -> str:
    """A text that matches."""
    found = ""
    for operator, argument in parsed:
        if operator is sre.LITERAL:
            found += chr(argument)
        elif operator is sre.NOT_LITERAL:
            found += "x" if argument != ord("x") else "y"
        elif operator is sre.ANY:
            found += "x"
        elif operator is sre.IN:
            found += _of_class(argument)
        elif operator in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            found += _sample(argument[2]) * max(1, min(argument[0], 20))
        elif operator is sre.SUBPATTERN:
            found += _sample(argument[3])
        elif operator is sre.BRANCH:
            found += _sample(argument[1][0])
    return found


def _of_class(members: Any) -> str:
    compiled = [letter for letter in map(chr, range(32, 127)) if _in_class(letter, members)]
    letters = [letter for letter in compiled if letter.isalnum()]
    return (letters or compiled or ["x"])[0]


def _in_class(letter: str, members: Any) -> bool:
    inside = False
    negated = False
    for operator, argument in members:
        if operator is sre.NEGATE:
            negated = True
        elif operator is sre.LITERAL:
            inside |= ord(letter) == argument
        elif operator is sre.RANGE:
            inside |= argument[0] <= ord(letter) <= argument[1]
        elif operator is sre.CATEGORY:
            name = str(argument)
            kind = (
                letter.isdigit() if "DIGIT" in name
                else letter.isspace() if "SPACE" in name
                else letter.isalnum() or letter == "_"
            )  # fmt: skip
            inside |= kind is not ("NOT" in name)
    return inside is not negated
