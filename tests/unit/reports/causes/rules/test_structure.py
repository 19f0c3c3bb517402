"""What several rules on the structure of graphs ask."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.recorded import Node
from tests.unit.logwriter import LogWriter
from tests.unit.reports.causes.rules.captured import (
    LEAF,
    ROOT,
    captures,
    findings,
    graph,
    leaf,
    linear,
    node,
    pow_by,
    recompile,
    stock,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_grad_none_from_key_sizes_of_a_stock_log() -> None:
    made = stock((ROOT, 39, ()), (LEAF, 33, (22,)))
    (found,) = findings(made, recorded=False)
    assert (found.code, found.confidence) == ("CA201", "medium")


@pytest.mark.parametrize("prefix", ["", "struct ", "class "])
def test_grad_none_of_a_log_by_a_build_of_msvc(tmp_path: Path, prefix: str) -> None:
    log = LogWriter()
    misses = [f"{prefix}{ROOT} (NodeCall 0) with key size 39, previous key sizes=[]"]
    misses.append(f"{prefix}{LEAF} (NodeCall 6) with key size 33, previous key sizes=[22,]")
    reasons = [f"!{id}: Cache miss due to new autograd node: {at}" for id, at in enumerate(misses)]
    for id in range(2):
        log.torch_capture(id, reasons[: id + 1], 0.5)
        log.compiled(f"!{id}/{id}/0", 0.5)

    found = analyze(ca_reports.load([log.write(tmp_path / "trace.log")])).diagnosis.findings
    assert [finding.code for finding in found] == ["CA201"]


def test_first_gradients_beside_a_growing_graph_are_a_cause_of_their_own() -> None:
    """Each recapture has more nodes; the first one has the gradients as well."""
    graphs = [
        graph(*[node("AddBackward0")] * (step + 1), *linear("a", grad=step > 0))
        for step in range(4)
    ]
    found = {each.code: each for each in findings(captures(*graphs, carried=(0, 1, 2, 3)))}
    assert set(found) == {"CA201", "CA204"}
    assert found["CA201"].captures == ("!1",)
    assert found["CA204"].captures == ("!2", "!3")


def test_a_mode_that_means_nothing_is_not_blamed() -> None:
    made = captures(
        graph(*linear("a")),
        graph(*linear("a", grad=True)),
        switches={1: [("Net", "training", True, False)]},
    )
    assert [found.code for found in findings(made)] == ["CA201"]


def test_integer_scalars_count_but_dimensions_do_not() -> None:
    ints = captures(*(graph(pow_by(e), leaf("w")) for e in (2, 3)))
    assert [found.code for found in findings(ints)] == ["CA206"]
    smoothing = (graph(node("MulBackward1", attributes={"other": o}), leaf("w")) for o in (0.9, 1))
    assert [found.code for found in findings(captures(*smoothing))] == ["CA206"]
    dims = captures(
        *(graph(node("SumBackward1", attributes={"dim": d}), leaf("w")) for d in (0, 1))
    )
    assert [found.code for found in findings(dims)] == ["CA000"]


@pytest.mark.parametrize(("sizes", "code"), [((8, 8), "CA104"), ((5, 8), "CA102")])
def test_a_slice_of_all_is_no_branch(sizes: tuple[int, int], code: str) -> None:
    # GIVEN `x[:, :n]` that takes all of `x`, then a part of it
    def used(name: str, size: int) -> list[dict[str, Any]]:
        mean = node("MeanBackward0", attributes={"self_sym_sizes": [4, size]})
        return graph(mean, node(name), leaf("w"))

    made = captures(used("AliasBackward0", sizes[1]), used("SliceBackward0", sizes[0]))
    made = tuple(
        replace(one, data={"x": (4, size)}) for one, size in zip(made, sizes[::-1], strict=True)
    )

    # AND a captured graph that is compiled for a third size
    resized = recompile(1, "tensor 'sizes[1]' size mismatch at index 1. expected 5, actual 6")

    # THEN the bound is the cause where the inputs keep their size, else the input's length is
    (found,) = findings(made, (resized,))
    assert (found.code, found.captures, found.compile_ids) == (code, ("!1",), ("!0/0/1",))


def test_rounds_that_are_more_or_fewer_are_no_flag() -> None:
    # GIVEN a sum whose key has one edge more at one place, and one less at another
    more, less = ("AddBackward0", 56, (38,)), ("AddBackward0", 38, (56,))
    made = stock((ROOT, 39, ()), more, less)
    elsewhere = (*made[:2], replace(made[2], node=Node(13, "AddBackward0")))

    # THEN its rounds are more, or fewer
    (found,) = findings(elsewhere, recorded=False)
    assert (found.code, found.captures) == ("CA202", ("!1", "!2"))
    assert found.message.startswith("AddBackward0 repeats more or less often")

    # AND at one place, or with more edges alone, it is a flag
    assert "CA207" in [found.code for found in findings(made, recorded=False)]
    grown = (*made[:2], replace(elsewhere[2], key_size=56, previous_key_sizes=(38,)))
    assert [found.code for found in findings(grown, recorded=False)] == ["CA207"]
