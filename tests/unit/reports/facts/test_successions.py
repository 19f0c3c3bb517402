"""A flag that is switched once, and gradients that are added to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.model import CaptureSeconds, GraphSizes
from tests.unit.reports.causes.rules.captured import (
    captures,
    graph,
    leaf,
    node,
    ran,
    root,
)
from tests.unit.reports.causes.rules.recompiled import compiled, explained
from tests.unit.reports.made import run_of


def calls(*spans: tuple[int, int]) -> tuple[GraphSizes, ...]:
    return tuple(
        GraphSizes(
            f"0/{number}", {}, (), ((),), (last - first + 1,), (None,), (None,),
            first_call=first, last_call=last,
        )
        for number, (first, last) in enumerate(spans)
    )  # fmt: skip


def held(value: Any) -> dict[str, Any]:
    return {"type": type(value).__name__, "value": value}


def switched(
    *spans: tuple[int, int], reason: str = "self.quantized == False", to: Any = True
) -> Any:
    return explained(compiled(0), compiled(1, reason, held=held(to)), graph_sizes=calls(*spans))


def test_what_is_switched_once_is_compiled_once_for_each() -> None:
    analysis = switched((1, 5), (6, 12))
    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity, found.is_note) == ("CA703", "info", False)
    assert "switched once" in found.message
    assert found.fix.startswith("nothing, if both are meant")
    assert analysis.summary.seconds_lost == 0


def test_so_is_a_recipe_of_several_phases() -> None:
    names = [compiled(at, f"task == '{one}'", held=held(to)) for at, one, to in (
        (1, "warm", "main"), (2, "main", "last"))]  # fmt: skip
    found = explained(compiled(0), *names, graph_sizes=calls((1, 5), (6, 12), (13, 20)))
    (finding,) = found.diagnosis.findings
    assert finding.severity == "info"
    assert len(found.facts[0].asked_for) == 2


@pytest.mark.parametrize(
    "spans",
    [
        # By turns: the graph from before runs again.
        ((1, 13), (6, 16)),
        # A first call alone, which sets what is kept.
        ((1, 2), (3, 12)),
        # Nothing is known of one of them.
        ((1, 5),),
        (),
    ],
)
def test_what_comes_back_or_is_kept_from_a_first_call_is_no_switch(
    spans: tuple[tuple[int, int], ...],
) -> None:
    analysis = switched(*spans)
    (found,) = analysis.diagnosis.findings
    assert found.severity == "warning"
    assert not analysis.facts[0].asked_for


@pytest.mark.parametrize(
    ("reason", "to"), [("self.scale == 1.0", 0.5), ("self.table == None", "a tensor")]
)
def test_a_number_and_what_a_cache_is_filled_with_are_no_flags(reason: str, to: Any) -> None:
    analysis = switched((1, 5), (6, 12), reason=reason, to=to)
    assert not analysis.facts[0].asked_for
    assert all(one.severity == "warning" for one in analysis.diagnosis.findings)


def accumulated(*steps: int, first: tuple[str, ...] = ("w", "v")) -> Any:
    made = captures(
        *(
            graph(
                root("MeanBackward0"),
                node("MeanBackward0"),
                *(leaf(one, grad=has and one in first) for one in ("w", "v")),
            )
            for has in (False, True)
        )
    )
    made = tuple(replace(one, seconds=CaptureSeconds(capture=2.0)) for one in made)
    return analyze(run_of(*made, backwards=ran(*steps)))


def test_a_backward_that_adds_to_gradients_is_captured_once_beside_the_one_that_stores() -> None:
    analysis = accumulated(0, 1, 1, 0, 1, 1)
    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity) == ("CA201", "info")
    assert "to save even that capture, keep the gradients" in found.fix
    assert found.fix.endswith("keeps their memory")
    assert found.remedy.edits == ("keep_gradients",)
    assert analysis.summary.seconds_lost == 0


@pytest.mark.parametrize(
    "parts",
    [
        # Gradients are there from the second step on: the first capture is never used again.
        {"steps": (0, 1, 1, 1, 1)},
        # Only some have a gradient: another combination may follow.
        {"steps": (0, 1, 1, 0, 1, 1), "first": ("w",)},
    ],
)
def test_gradients_that_a_first_step_or_some_parameters_lack_can_be_made(
    parts: dict[str, Any],
) -> None:
    analysis = accumulated(*parts.pop("steps"), **parts)
    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity) == ("CA201", "warning")
    assert analysis.summary.seconds_lost == 2.0
