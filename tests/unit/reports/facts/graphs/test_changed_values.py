"""Values that differ between two graphs, and what they follow from."""

from __future__ import annotations

from ca_reports.facts.graphs.document import Read, difference
from tests.unit.reports.facts.graphs.texts import AUTOGRAD, GRAPH, PLACE


def values_of(before: str, after: str) -> dict[str, tuple[list[str], bool]]:
    """What differs in each node that changed, and whether it is a cause."""
    found = difference(Read.of(before, AUTOGRAD), Read.of(after, AUTOGRAD))
    return {
        node.node.label: ([str(value) for value in node.values], node.is_cause)
        for node in found.nodes
        if node.status == "changed"
    }


def test_a_value_that_changed_is_told_before_and_after() -> None:
    larger = GRAPH.replace("[getitem], [True], 2)", "[getitem], [True], 2.5)")
    assert values_of(GRAPH, larger) == {"PowBackward0": (["2 → 2.5"], True)}
    held = GRAPH.replace("(getitem_1, None,", "(getitem_1, getitem_9,").replace(
        "        getitem_2 = ", "        getitem_9 = inputs[9]\n        getitem_2 = "
    )
    assert values_of(GRAPH, held) == {"body.0.weight": (["None → tensor"], True)}


def test_a_size_follows_from_a_shape_before_it() -> None:
    def graph(rows: int, power: int) -> str:
        head, _, rest = GRAPH.replace("unwrap_maybe_dynamic_int, 8", f"{rows}, 8").partition(
            "        # File: " + PLACE + ", code: torch::autograd::AccumulateGrad"
        )
        more = (
            f"        # File: {PLACE}, code: ViewBackward0 (NodeCall 3)\n"
            "        view = torch__dynamo_compiled_autograd_ops_ViewBackward0("
            f"[getitem_4], [{rows * 4}, 8], {power})\n"
        )
        return f"{head}{more}        # File: {PLACE}, code: AccumulateGrad{rest}"

    assert values_of(graph(4, 2), graph(3, 2)) == {
        "PowBackward0": (["4 → 3"], True),
        "ViewBackward0": (["16 → 12"], False),
    }
    # Another value in it is a cause of its own.
    assert values_of(graph(4, 2), graph(3, 9))["ViewBackward0"] == (["16 → 12", "2 → 9"], True)
