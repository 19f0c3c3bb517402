"""Compares what a program printed, run as it was and with a patch.

The program's own lines count: what torch logs, and warnings, are no part of it. Numbers count up to
float noise and to the last digit that is printed. What differs between two runs of the unchanged
program, such as times, says nothing and is left out.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import compress, zip_longest
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.patching.trial import TOLERANCE, relative_difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.patching.trial import TrialOutcome

Printed = Literal["equal", "noise", "different", "nothing"]

# As torch's logging formats a line, of every level and artifact, with a launcher's or rank's mark.
_TORCH_LOGS = expression(
    r"(?:\[[\w-]+\]:?\s*)?[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{3,9} \d+ [^\]\n]{1,1024}:\d+\] ?"
)
# As `warnings` formats them; the line after it, of source, is indented.
_WARNING = expression(r".{0,1024}:\d+: (?:[A-Za-z_.]*Warning|UserWarning): ")
# Of a traceback that the program prints itself: line numbers, which a patch moves.
_OF_TRACEBACK = expression(r'\s{1,256}(?:File ".{0,4096}", line \d+|\^|~|\|)')
_NUMBER = expression(r"0[xX][0-9a-fA-F]+|(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_LONGEST_LINE = 10_000
# Around the user's stack in a text of Dynamo's (`torch._dynamo.exc.augment_exc_message`).
_STACK_BEGINS, _STACK_ENDS = "from user code:", "Set TORCHDYNAMO_VERBOSE=1"
_LONGEST_STACK = 400
# Of an exception's text: a shorter line may stand in any line that is printed.
_SHORTEST_PART = 12


@dataclass(frozen=True, slots=True)
class PrintedComparison:
    """``lines`` were compared of ``total``; the others differ without a patch, too.

    ``before`` and ``after`` are the first lines that differ, None for one that is not there.
    """

    verdict: Printed
    lines: int = 0
    total: int = 0
    before: str | None = None
    after: str | None = None


NOTHING_PRINTED = PrintedComparison("nothing")


def compare_printed(
    before: TrialOutcome,
    after: TrialOutcome,
    unchanged: tuple[TrialOutcome, TrialOutcome] | None = None,
) -> PrintedComparison:
    """Compare stdout, then stderr; ``unchanged`` are two runs of the program without a patch.

    Of a program that stopped, what it had printed on stdout by then. What it prints of an exception
    that it caught, out of a compile that raises no more, is torch's: it may say something else in
    place of that.
    """
    caught = _parts(set(before.raised_texts) - set(after.raised_texts))
    pair = None if unchanged is None else [own_lines(one.printed) for one in unchanged]
    old, new = own_lines(before.printed), own_lines(after.printed)
    if before.crashed:
        return compare_lines(old, new[: len(old)], pair)
    logged = None if unchanged is None else [own_lines(one.logged) for one in unchanged]
    streams = (
        _compare_without(caught, old, new, pair),
        _compare_without(caught, own_lines(before.logged), own_lines(after.logged), logged),
    )
    different = next((one for one in streams if one.verdict == "different"), None)
    if different is not None:
        return different
    lines, total = sum(one.lines for one in streams), sum(one.total for one in streams)
    is_noise = any(one.verdict == "noise" for one in streams)
    verdict: Printed = "noise" if is_noise else "equal"
    return PrintedComparison(verdict if lines else "nothing", lines, total)


def own_lines(text: str) -> list[str]:
    """Return the program's own lines: what a terminal shows of them at the end."""
    return list(_without_others(line.rpartition("\r")[2] for line in _lines(text)))


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        shown = line.rstrip()[:_LONGEST_LINE]
        if shown:
            yield shown


def _without_others(lines: Iterable[str]) -> Iterator[str]:
    was_warning = False
    for line in lines:
        is_source = was_warning and line[:1].isspace()
        was_warning = _WARNING.match(line) is not None
        if not (is_source or was_warning or _TORCH_LOGS.match(line) or _OF_TRACEBACK.match(line)):
            yield line


def _parts(texts: Iterable[str]) -> list[str]:
    """Return the lines of exceptions' texts that are long enough to be nothing else."""
    lines = (line.strip() for text in texts for line in text.split("\n"))
    return [line for line in lines if len(line) >= _SHORTEST_PART]


def _compare_without(
    caught: Sequence[str],
    before: Sequence[str],
    after: Sequence[str],
    unchanged: Sequence[Sequence[str]] | None,
) -> PrintedComparison:
    """Compare the lines of one stream but those of ``before`` that quote what was ``caught``."""
    marks = _own(before, caught)
    if all(marks):
        return compare_lines(before, after, unchanged)
    kept: list[str] = []
    rest, may_skip = list(after), False
    for line, is_own in zip(before, marks, strict=True):
        if not is_own:
            may_skip = True
            continue
        found = (_compare_lines(line, one, set()) for one in rest if may_skip)
        at = next((number for number, one in enumerate(found) if one != "different"), 0)
        kept += rest[at : at + 1]
        rest, may_skip = rest[at + 1 :], False
    kept += [] if may_skip else rest
    others = None if unchanged is None else [_kept(one, caught) for one in unchanged]
    return compare_lines(_kept(before, caught), kept, others)


def _kept(lines: Sequence[str], caught: Sequence[str]) -> list[str]:
    return list(compress(lines, _own(lines, caught)))


def _own(lines: Sequence[str], caught: Sequence[str]) -> list[bool]:
    """Return of each line whether it is the program's own, and no part of what was ``caught``.

    To an exception's text torch adds the user's stack, which is not recorded with it.
    """
    marks: list[bool] = []
    ends = 0  # where the text that torch added ends
    for number, line in enumerate(lines):
        if line == _STACK_BEGINS and marks and not marks[-1]:
            follow = enumerate(lines[number : number + _LONGEST_STACK], number + 1)
            ends = next((at for at, one in follow if one.startswith(_STACK_ENDS)), ends)
        marks.append(number >= ends and not any(part in line for part in caught))
    return marks


def compare_lines(
    before: Sequence[str], after: Sequence[str], unchanged: Sequence[Sequence[str]] | None
) -> PrintedComparison:
    """Compare the lines of one stream; ``unchanged`` are those of two runs without a patch."""
    total = len(before)
    if Counter(before) == Counter(after):
        # Lines of several processes or threads, or those that come after a graph, change places.
        return PrintedComparison("equal" if total else "nothing", total, total)
    varying: list[set[int] | None] = [set() for _ in before]
    if unchanged is not None:
        one, other = unchanged
        if len(one) != len(other):
            return PrintedComparison("nothing", 0, total)
        varying = [_varying(*pair) for pair in zip(one, other, strict=True)]
    is_noise, compared = False, 0
    for number, (left, right) in enumerate(zip_longest(before, after)):
        apart = varying[number] if number < len(varying) else set()
        if apart is None:
            continue  # the line's words differ without a patch, too
        compared += 1
        verdict: Printed = "different"
        if left is not None and right is not None:
            verdict = _compare_lines(left, right, apart)
        if verdict == "different":
            return PrintedComparison("different", compared, total, left, right)
        is_noise = is_noise or verdict == "noise"
    if not compared:
        return PrintedComparison("nothing", 0, total)
    return PrintedComparison("noise" if is_noise else "equal", compared, total)


def _varying(left: str, right: str) -> set[int] | None:
    """Return which numbers of a line differ between two runs of one program; None: its words do."""
    if _NUMBER.sub("0", left) != _NUMBER.sub("0", right):
        return None
    pairs = zip(_NUMBER.findall(left), _NUMBER.findall(right), strict=True)
    return {at for at, (one, other) in enumerate(pairs) if one != other}


def _compare_lines(left: str, right: str, varying: set[int]) -> Printed:
    if left == right:
        return "equal"
    if _NUMBER.sub("0", left) != _NUMBER.sub("0", right):
        return "different"
    verdict: Printed = "equal"
    pairs = zip(_NUMBER.findall(left), _NUMBER.findall(right), strict=True)
    for at, (one, other) in enumerate(pairs):
        if at in varying or one == other:
            continue
        if not _is_noise(one, other):
            return "different"
        verdict = "noise"
    return verdict


def _is_noise(left: str, right: str) -> bool:
    """Return whether two numbers that a program prints may be one, rounded otherwise."""
    if left[:2].lower() == "0x":
        return True  # an address
    digits = _last_digit(left), _last_digit(right)
    if digits[0] is None or digits[1] is None:
        return False  # a whole number counts something
    apart = abs(float(left) - float(right))
    return apart <= 1.01 * max(digits[0], digits[1]) or (
        relative_difference(float(left), float(right)) <= TOLERANCE
    )


def _last_digit(number: str) -> float | None:
    """Return what one more in the last printed digit adds; None of a whole number."""
    mantissa, _, exponent = number.lower().partition("e")
    if "." not in mantissa and not exponent:
        return None
    decimals = len(mantissa.partition(".")[2])
    return math.pow(10.0, int(exponent or 0) - decimals) if abs(int(exponent or 0)) < 300 else 0.0
