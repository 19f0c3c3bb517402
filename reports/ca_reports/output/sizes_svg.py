"""The histogram of a run's sizes, with the buckets of the best plan in it: a picture of its own."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

from ca_reports.sentences import sizes as words
from ca_reports.words.clean import clean
from ca_reports.words.numbers import span, times

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.facts.sizes.examined import RunSizes
    from ca_reports.facts.sizes.plans import FunctionPlans

# By this a later run knows what it may overwrite.
GENERATOR = "ca sizes"
_WIDTH, _HEIGHT, _MARGIN, _GAP = 720, 150, 24, 58
# Below a histogram: the numbers of its buckets. A number needs so much room for each digit, also
# on a narrow page, which draws it smaller and its numbers larger.
_FOOT, _DIGIT = 26, 13
# Sizes beyond that many share a bar.
_BARS = 96
_SERIES = 8


class Bar(NamedTuple):
    """Calls with sizes from ``first`` to ``last``."""

    first: int
    last: int
    calls: int


class Histogram(NamedTuple):
    """One argument's sizes: bars on a linear axis up to ``largest``, and the buckets in it.

    ``title`` names the argument, ``plan`` the plan whose buckets they are; empty without any.
    """

    title: str
    plan: str
    bars: tuple[Bar, ...]
    buckets: tuple[int, ...]
    largest: int
    most: int


def histograms(found: RunSizes) -> list[Histogram]:
    """Return a histogram for each argument of the functions that are called most."""
    return [each for one in found.functions for each in of_function(one)][:_SERIES]


def of_function(one: FunctionPlans) -> list[Histogram]:
    """Return a histogram for each argument of a function that varied."""
    return [_histogram(one, at) for at in range(len(one.function.arguments))]


def _histogram(one: FunctionPlans, at: int) -> Histogram:
    counts = one.function.histogram(at)
    largest = max(counts)
    padded = one.padded
    buckets = () if padded is None else tuple(sorted({values[at] for values in padded.sizes}))
    width = max(1, -(-largest // _BARS))
    bars: dict[int, int] = {}
    for size, calls in counts.items():
        bars[(size - 1) // width] = bars.get((size - 1) // width, 0) + calls
    return Histogram(
        words.histogram_line(one.function, at),
        "" if padded is None else words.plan_name(padded),
        tuple(
            Bar(number * width + 1, (number + 1) * width, calls)
            for number, calls in sorted(bars.items())
        ),
        buckets,
        max(largest, *buckets) if buckets else largest,
        max(bars.values()),
    )


def render(found: RunSizes) -> str:
    """Return the pictures, one below the other."""
    return picture(histograms(found), words.headline(found))


def picture(series: Sequence[Histogram], title: str) -> str:
    """Return an SVG of ``series``, without script and without style sheet."""
    height = _MARGIN + max(1, len(series)) * (_HEIGHT + _GAP)
    width = _WIDTH + 2 * _MARGIN
    parts = [
        f'<svg data-generator="{GENERATOR}" xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="12">',
        f"<title>{_xml(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for number, one in enumerate(series):
        top = _MARGIN + number * (_HEIGHT + _GAP)
        parts.append(_text(_MARGIN, top - 6, one.title, "#1f2328", "title"))
        parts += _drawn(one, top)
        parts.append(_text(_MARGIN, top + _HEIGHT + 33, one.plan, "#59636e", "plan"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def part(one: Histogram) -> str:
    """Return an SVG of one histogram for a page, which says its title and its plan in words.

    Its classes are `band`, `calls`, `bucket`, `number` and `axis`; their colours are those of a
    light page unless the page has others.
    """
    width, height = _WIDTH + 2 * _MARGIN, _HEIGHT + _FOOT + 4
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{_xml(one.title)}" font-size="12">'
    )
    return "\n".join([head, *_drawn(one, 2), "</svg>"])


def _drawn(one: Histogram, top: float) -> Iterator[str]:
    base = top + _HEIGHT
    edges = (0, *one.buckets)
    for number, (low, high) in enumerate(pairwise(edges)):
        left, right = _at(low, one), _at(high, one)
        kind, shade = ("band odd", "#eef4fb") if number % 2 else ("band", "#dfeaf7")
        yield (
            f'<rect class="{kind}" x="{left:.1f}" y="{top:g}" '
            f'width="{max(0.5, right - left):.1f}" height="{_HEIGHT}" fill="{shade}"/>'
        )
    for bar in one.bars:
        left, right = _at(bar.first - 1, one), _at(bar.last, one)
        tall = max(1.0, bar.calls / one.most * (_HEIGHT - 14))
        sizes = span(bar.first, bar.last)
        wide = max(1.0, right - left - 0.5)
        yield (
            f'<rect class="calls" x="{left:.1f}" y="{base - tall:.1f}" width="{wide:.1f}" '
            f'height="{tall:.1f}" fill="#3b6ea8"><title>{sizes}: {times(bar.calls)}</title></rect>'
        )
    numbered = _with_room(one.buckets, one)
    for bucket in one.buckets:
        at = _at(bucket, one)
        yield (
            f'<line class="bucket" x1="{at:.1f}" x2="{at:.1f}" y1="{top:g}" y2="{base + 4:g}" '
            'stroke="#b35900" stroke-width="1.5"/>'
        )
        if bucket in numbered:
            yield _text(at, base + 18, str(bucket), "#8a4500", "number", anchor="end")
    if not one.buckets:
        ends = [min(bar.last, one.largest) for bar in one.bars]
        for end in sorted(_with_room(ends, one)):
            yield _text(_at(end, one), base + 18, str(end), "#59636e", "number", anchor="end")
    yield (
        f'<line class="axis" x1="{_MARGIN}" x2="{_MARGIN + _WIDTH}" y1="{base:g}" y2="{base:g}" '
        'stroke="#59636e"/>'
    )


def _with_room(sizes: Sequence[int], one: Histogram) -> frozenset[int]:
    """Return those of ascending ``sizes`` whose numbers don't overlap, the largest first."""
    found: list[int] = []
    free = float(_MARGIN + _WIDTH)
    for size in reversed(sizes):
        at = _at(size, one)
        if at <= free:
            found.append(size)
            free = at - _DIGIT * (len(str(size)) + 1)
    return frozenset(found)


def _text(x: float, y: float, text: str, fill: str, kind: str, anchor: str = "start") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:g}" text-anchor="{anchor}" fill="{fill}">'
        f"{_xml(text)}</text>"
    )


def _at(size: int, one: Histogram) -> float:
    return _MARGIN + size / max(1, one.largest) * _WIDTH


def _xml(text: str) -> str:
    return escape(clean(text), {'"': "&quot;"})
