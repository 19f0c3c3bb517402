"""CA403, on small graphs: counts that the data decide, and sizes that inputs have."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile, Frame, Process, Run
from tests.unit.reports.causes.rules.captured import captures, findings, graph, leaf, node

if TYPE_CHECKING:
    from ca_reports.run.model import Capture

Data = dict[str, tuple[int, ...]]


def picked(rows: int, of: int) -> dict[str, Any]:
    """`x[rows]`, as its backward saves it."""
    sizes = {"self_sym_sizes": [of, 3], "grad_shapes": [[rows, 3]]}
    return node("IndexBackward0", attributes=sizes)


def summed(rows: int, into: int) -> dict[str, Any]:
    """`zeros.index_add(0, rows, x)`, which saves what it adds, not to what."""
    tensors = {
        name: {"shape": shape, "dtype": "torch.float32", "alias": alias}
        for alias, (name, shape) in enumerate((("index", [rows]), ("source", [rows, 3])))
    }
    return node("IndexAddBackward0", attributes={"grad_shapes": [[into, 3]]}, tensors=tensors)


def codes(*made: tuple[list[dict[str, Any]], Data]) -> list[str]:
    found: tuple[Capture, ...] = tuple(
        replace(one, data=data)
        for one, (_, data) in zip(captures(*(nodes for nodes, _ in made)), made, strict=True)
    )
    return [one.code for one in findings(found)]


def test_rows_that_each_expert_gets_are_counts() -> None:
    routed = [graph(picked(n, 16), picked(16 - n, 16), leaf("w")) for n in (5, 9)]
    batch: Data = {"x": (16, 3)}
    assert codes(*((nodes, batch) for nodes in routed)) == ["CA403"]
    assert codes(*((nodes, {}) for nodes in routed)) == ["CA403"]


def test_rows_beside_a_smaller_batch_are_counts_all_the_same() -> None:
    routed = [graph(picked(n, size), leaf("w")) for n, size in ((5, 16), (7, 8))]
    assert codes((routed[0], {"x": (16, 3)}), (routed[1], {"x": (8, 3)})) == ["CA403"]


def test_graphs_of_other_nodes_and_edges_are_inputs_of_other_sizes() -> None:
    passes = [
        graph(summed(edges, nodes), picked(edges, nodes), picked(edges, nodes), leaf("w"))
        for nodes, edges in ((24, 46), (21, 40))
    ]
    assert codes(*((nodes, {}) for nodes in passes)) == ["CA102"]
    known: list[tuple[list[dict[str, Any]], Data]] = [
        (nodes, {"batch.atoms": (atoms,), "batch.bonds": (2, bonds)})
        for nodes, atoms, bonds in zip(passes, (24, 21), (46, 40), strict=True)
    ]
    assert codes(*known) == ["CA102"]


def test_as_many_rows_as_an_input_has_indices_are_no_counts() -> None:
    looked_up = [graph(picked(n, 50), leaf("w")) for n in (5, 7)]
    assert codes((looked_up[0], {"ids": (5,)}), (looked_up[1], {"ids": (7,)})) != ["CA403"]


def test_a_token_before_each_text_and_a_flattened_batch_follow_from_the_lengths() -> None:
    texts = [
        graph(picked(length + 1, length + 1), picked(8 * length, 8 * length), leaf("w"))
        for length in (12, 17)
    ]
    assert codes((texts[0], {"words": (8, 12)}), (texts[1], {"words": (8, 17)})) == ["CA102"]


def test_a_batch_of_fewer_and_shorter_texts_makes_no_counts() -> None:
    texts = [graph(picked(n * m, n * m), leaf("w")) for n, m in ((8, 12), (4, 17))]
    # Neither factor is that of the flattened rows; both together are.
    assert "CA403" not in codes((texts[0], {"words": (8, 12)}), (texts[1], {"words": (4, 17)}))


def test_what_is_split_by_the_counts_has_their_line_and_not_what_reorders_rows() -> None:
    split = Frame("/home/me/moe.py", 32, "forward", "groups = x[order].split(load.tolist())")
    reordered = Frame("/home/me/moe.py", 34, "forward", "out = out[order.argsort()]")
    (capture,) = captures(
        graph(picked(16, 16), node("SplitWithSizesBackward0", attributes={}), leaf("w"))
    )
    capture = replace(capture, lines={1: reordered, 2: split}, data={"x": (16, 3)})
    held = RecordedGuards.from_record({"guards": [], "arguments": {}, "data": {"x": [16, 3]}})
    again = tuple(
        Compile(
            f"!0/0/{number}", 0, None, 1, 0, seconds=1.0, held=held,
            recompile_reason=f"0/0: tensor 'inputs[4]' size mismatch at index 0. expected {rows}, "
            f"actual {rows + 3}",
        )
        for number, rows in ((1, 5), (2, 8))
    )  # fmt: skip
    process = Process(0, "log", None, 1, 9, recorded=True, captures=(capture,), compiles=again)

    (found,) = analyze(Run(("log",), ("log",), (process,))).diagnosis.findings

    assert (found.code, found.compile_ids) == ("CA403", ("!0/0/1", "!0/0/2"))
    assert found.location == split
