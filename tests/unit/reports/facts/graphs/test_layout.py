"""Where the nodes of a graph lie."""

from __future__ import annotations

import itertools
import random

import pytest

from ca_reports.facts.graphs.layout import NODE_GAP, lay_out, layers


def random_graph(count: int, seed: int) -> list[list[int]]:
    chance = random.Random(seed)
    return [
        sorted({chance.randrange(node) for _ in range(chance.randrange(3))}) if node else []
        for node in range(count)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_nodes_lie_below_their_inputs_and_apart(seed: int) -> None:
    inputs = random_graph(120, seed)
    labels = ["x" * (1 + node % 30) for node in range(120)]
    layout = lay_out(labels, inputs)
    rows: dict[float, list[tuple[float, float]]] = {}
    for node, sources in enumerate(inputs):
        assert all(layout.y[source] < layout.y[node] for source in sources)
        rows.setdefault(layout.y[node], []).append((layout.x[node], layout.width[node]))
    for row in rows.values():
        row.sort()
        for (x, width), (next_x, next_width) in itertools.pairwise(row):
            assert next_x - x >= (width + next_width) / 2 + NODE_GAP - 0.2
    assert all(0 <= x <= layout.size[0] for x in layout.x)
    for (source, node), points in layout.bends.items():
        assert all(layout.y[source] < y < layout.y[node] for _, y in points)


def test_layers_are_the_longest_paths() -> None:
    assert layers([[], [0], [0], [1, 2], [0, 3]]) == [0, 1, 1, 2, 3]


def test_an_empty_graph_has_a_layout() -> None:
    assert lay_out([], []).size == (0.0, 0.0)
