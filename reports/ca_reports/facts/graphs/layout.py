"""Lays out a folded graph: layers from top to bottom, few crossings.

Longest-path layering, then barycentre sweeps, then x by priority: linear in the edges for
each sweep, 0.1 s for a graph of a thousand nodes. General layout engines took a hundred
times as long on these graphs and drew them no better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NODE_HEIGHT = 28
LAYER_GAP = 30
NODE_GAP = 18
_SWEEPS = 6
_SHIFTS = 4
# Where every layer leans a little to one side, as a GPT's do, four hundred layers would
# lean across the whole picture: each gives in a little to the middle.
_UPRIGHT = 0.975
# An edge that spans more layers than this goes straight: threading it would widen each.
_LONGEST = 40
_CHARACTER = 7.3
_PADDING = 20
_WIDEST = 240


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions in picture units (CSS pixels at zoom 1). ``x`` and ``y`` are centres.

    ``bends`` holds, for an edge (from, to) that spans layers, the points between.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    width: tuple[float, ...]
    bends: dict[tuple[int, int], tuple[tuple[float, float], ...]]
    size: tuple[float, float]


def text_width(label: str) -> float:
    """Return how wide a node of that label is drawn."""
    return min(_WIDEST, max(48.0, len(label) * _CHARACTER + _PADDING))


def layers(inputs: Sequence[Sequence[int]]) -> list[int]:
    """Return the layer of each node: below all of its inputs. Inputs come earlier in the list."""
    found: list[int] = []
    for node, sources in enumerate(inputs):
        found.append(1 + max((found[source] for source in sources if source < node), default=-1))
    return found


def lay_out(labels: Sequence[str], inputs: Sequence[Sequence[int]]) -> Layout:
    """Place nodes by their ``inputs`` (positions earlier in the list; later ones are ignored)."""
    count = len(labels)
    layer = layers(inputs)
    _sink_sources(layer, inputs)
    width = [text_width(label) for label in labels]
    chain: dict[tuple[int, int], list[int]] = {}
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for node, sources in enumerate(inputs):
        for source in sources:
            if source >= node:
                continue
            span = layer[node] - layer[source]
            last = source
            if 1 < span <= _LONGEST:
                chain[source, node] = []
                for step in range(1, span):
                    dummy = len(above)
                    above.append([])
                    below.append([])
                    layer.append(layer[source] + step)
                    width.append(2.0)
                    chain[source, node].append(dummy)
                    above[dummy].append(last)
                    below[last].append(dummy)
                    last = dummy
            elif span > _LONGEST:
                continue
            above[node].append(last)
            below[last].append(node)
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, at in enumerate(layer):
        rows[at].append(node)
    _order(rows, above, below)
    x = _place(rows, above, below, width)
    left = min((x[node] - width[node] / 2 for node in range(count)), default=0.0)
    right = max((x[node] + width[node] / 2 for node in range(count)), default=0.0)
    step_y = NODE_HEIGHT + LAYER_GAP
    y = [at * step_y + NODE_HEIGHT / 2 for at in layer]
    return Layout(
        x=tuple(round(x[node] - left, 1) for node in range(count)),
        y=tuple(y[:count]),
        width=tuple(round(width[node], 1) for node in range(count)),
        bends={
            edge: tuple((round(x[dummy] - left, 1), y[dummy]) for dummy in dummies)
            for edge, dummies in chain.items()
        },
        size=(round(right - left, 1), max(0.0, len(rows) * step_y - LAYER_GAP)),
    )


def _sink_sources(layer: list[int], inputs: Sequence[Sequence[int]]) -> None:
    """Put a node that has no drawn input next to its first user instead of at the top."""
    first: dict[int, int] = {}
    for node, sources in enumerate(inputs):
        for source in sources:
            if source < node:
                first[source] = min(first.get(source, layer[node]), layer[node])
    for node in range(len(inputs) - 1, -1, -1):
        if not any(source < node for source in inputs[node]) and node in first:
            layer[node] = max(layer[node], first[node] - 1)


def _order(
    rows: list[list[int]], above: Sequence[Sequence[int]], below: Sequence[Sequence[int]]
) -> None:
    """Sort each layer by the mean place of the neighbours, down and up in turn."""
    place = [0.0] * len(above)

    def note(row: list[int]) -> None:
        middle = (len(row) - 1) / 2
        for index, node in enumerate(row):
            place[node] = index - middle

    for row in rows:
        note(row)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        near = above if down else below
        for row in rows if down else reversed(rows):
            row.sort(key=_barycentre(near, place))
            note(row)


def _barycentre(near: Sequence[Sequence[int]], place: list[float]) -> Callable[[int], float]:
    def key(node: int) -> float:
        found = near[node]
        return sum(place[other] for other in found) / len(found) if found else place[node]

    return key


def _place(
    rows: list[list[int]],
    above: Sequence[Sequence[int]],
    below: Sequence[Sequence[int]],
    width: Sequence[float],
) -> list[float]:
    """Return the x of each node: at the mean of its neighbours, as near as its layer allows."""
    x = [0.0] * len(above)
    for row in rows:
        total = sum(width[node] for node in row) + NODE_GAP * max(0, len(row) - 1)
        at = -total / 2
        for node in row:
            x[node] = at + width[node] / 2
            at += width[node] + NODE_GAP
    for shift in range(_SHIFTS):
        down = shift % 2 == 0
        near = above if down else below
        for row in rows if down else reversed(rows):
            wanted = [
                _UPRIGHT * sum(x[other] for other in near[node]) / len(near[node])
                if near[node]
                else x[node]
                for node in row
            ]
            for node, at in zip(row, _spread(wanted, [width[node] for node in row]), strict=True):
                x[node] = at
    return x


def _spread(wanted: Sequence[float], width: Sequence[float]) -> list[float]:
    """Return the places nearest to ``wanted``, in order and apart: least squares by pooling."""
    offset = 0.0
    offsets = []
    blocks: list[tuple[float, int]] = []  # mean of (wanted - offset), and how many
    for index, at in enumerate(wanted):
        if index:
            offset += (width[index - 1] + width[index]) / 2 + NODE_GAP
        offsets.append(offset)
        mean, count = at - offset, 1
        while blocks and blocks[-1][0] > mean:
            before, number = blocks.pop()
            mean = (before * number + mean * count) / (number + count)
            count += number
        blocks.append((mean, count))
    means = [mean for mean, count in blocks for _ in range(count)]
    return [mean + by for mean, by in zip(means, offsets, strict=True)]
