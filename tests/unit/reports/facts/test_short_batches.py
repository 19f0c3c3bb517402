"""Sizes that come of a short last batch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.held import RecordedGuards
from ca_reports.run.loaders import RecordedLoader
from ca_reports.run.model import (
    Capture,
    Change,
    Compile,
    Frame,
)
from tests.unit.reports.causes.rules.captured import (
    CALL,
    captures,
    findings,
    graph,
    leaf,
    node,
    ran,
    recompile,
)
from tests.unit.reports.made import captured, compiled, run_of
from tests.unit.reports.made import ran as backwards_of


def region(aot_id: int, rows: int) -> list[dict[str, Any]]:
    """A backward whose forward is one AOT region, of which ``rows`` is the batch."""
    saved = {"saved[0]": {"shape": [rows, 16], "dtype": "torch.float32", "alias": 0}}
    compiled = node(
        "CompiledFunctionBackward",
        aot_id=aot_id,
        attributes={"symints": [rows]} if aot_id else {},
        tensors=saved,
    )
    return graph(compiled, leaf("weight"))


def test_a_short_batch_that_recompiles_an_aot_region_is_one_finding() -> None:
    # GIVEN a forward that Dynamo compiles again for the short batch, and a backward that is
    # captured again when the full one is back: no guard fails then, only sizes change
    first, short, full = captures(region(0, 8), region(1, 3), region(1, 8))
    made = (
        first,
        replace(short, step=9, time=9.5),
        replace(full, step=10, time=10.5, kind="changed_shapes"),
    )
    forward = Compile(
        compile_id="0/1",
        process=0,
        rank=None,
        pid=1,
        capture=None,
        recompile_reason="0/0: tensor 'inputs' size mismatch at index 0. expected 8, actual 3",
        location=CALL,
        time=9.2,
    )

    # WHEN it is diagnosed
    (found,) = findings(made, (forward,))

    # THEN all of it is the last batch
    assert found.code == "CA101"
    assert "from 8 to 3" in found.message
    assert found.message.endswith("and back: a short last batch")
    assert set(found.captures) == {"!1", "!2"}
    assert found.compile_ids == ("0/1",)


def test_a_short_batch_of_a_penalty_is_that_of_both_backwards() -> None:
    # GIVEN a slope that is differentiated again: its compiled backward is a region of the loss's.
    # For the short batch that is recompiled, and the full batches run on it since
    penalty = Frame("train.py", 9, "main", "grad(score, x, create_graph=True)")
    slope = graph(node("TanhBackward0"), leaf("scale"), output="TanhBackward0")
    first, loss, short = captures(slope, region(0, 8), region(1, 3), calls=(penalty, CALL, CALL))
    (_, full) = captures(region(0, 8), region(1, 8))
    (replaced,) = (one for one in full.changes if one.attribute == "aot_id")
    made = (
        first,
        loss,
        replace(short, step=5, time=5.0),
        replace(full, id=3, step=9, time=9.0, closest_capture=1, changes=(replaced,)),
    )
    shrunk = recompile(1, "tensor 'sizes[0]' size mismatch at index 1. expected 8, actual 3")
    grown = recompile(1, "tensor 'sizes[0]' size mismatch at index 1. expected 3, actual 8")
    compiles = (
        replace(shrunk, time=4.2, location=penalty),
        replace(grown, compile_id="!2/2/1", capture=2, time=7.2,
                recompile_reason=f"!2/2/0: {(grown.recompile_reason or '').partition(': ')[2]}"),
    )  # fmt: skip
    found = {
        one.code: one
        for one in findings(made, compiles, backwards=ran(0, 1, 0, 1, 0, 2, 0, 2, 0, 3))
    }

    assert found.keys() <= {"CA101", "CA209"}
    assert set(found["CA101"].captures) == {"!2", "!3"}
    assert set(found["CA101"].compile_ids) == {"!0/0/1", "!2/2/1"}


def clipped(bound: float, rows: int) -> list[dict[str, Any]]:
    """A backward with a number of the user's, and rows that are samples."""
    clamp = node("ClampBackward1", attributes={"max": bound})
    loss = node(
        "MseLossBackward0",
        tensors={"self": {"shape": [rows], "dtype": "torch.float32", "alias": 0}},
    )
    return graph(clamp, loss, leaf("weight"))


@pytest.mark.parametrize("dynamic", [None, True])
def test_a_short_batch_behind_a_number_that_changes_each_time_is_a_cause(
    dynamic: bool | None,
) -> None:
    # GIVEN a bound that is annealed, and a short batch in the third step
    rows = [8, 8, 3, 8, 8]
    made = tuple(
        replace(capture, data={"batch": (size, 4)})
        for capture, size in zip(
            captures(*(clipped(1.2 - step / 10, size) for step, size in enumerate(rows))),
            rows,
            strict=True,
        )
    )

    # WHEN it is diagnosed
    found = {each.code: each for each in findings(made, dynamic=dynamic)}

    # THEN the batch is told beside the bound, unless any size was asked for
    assert found["CA206"].captures[0] == "!1"
    assert ("CA101" in found) is (dynamic is None)
    if dynamic is None:
        assert "from 8 to 3" in found["CA101"].message
        assert found["CA101"].captures == ("!2",)


def test_data_of_another_kind_with_other_nodes_is_no_short_batch() -> None:
    made = captures(
        clipped(1.0, 8),
        graph(
            node(
                "MeanBackward0",
                tensors={"self": {"shape": [3], "dtype": "torch.float32", "alias": 0}},
            ),
            leaf("w"),
        ),
    )
    sized = [
        replace(one, data={"batch": (rows, 4)}) for one, rows in zip(made, (8, 3), strict=True)
    ]
    assert "CA101" not in {each.code for each in findings(tuple(sized))}


def sized(id: int, before: int, after: int, **more: Any) -> Capture:
    change = Change(1, "AddmmBackward0", "mat1.shape", [before, 6], [after, 6])
    return captured(id, kind="changed_shapes", changes=(change,), closest_capture=0, **more)


def back(before: int, after: int, time: float) -> Compile:
    text = f"size mismatch at index 1. expected {before}, actual {after}"
    return compiled("!1/3/1", f"!1/3/0: tensor 'sizes[0]' {text}", time=time)


@pytest.mark.parametrize(
    ("change", "compiles", "steps", "code"),
    [
        # 8, 8, 6, 8: smaller for one step, and back.
        (sized(1, 8, 6, step=2, time=102.1), (back(6, 8, 103.1),), (0, 0, 1, 1), "CA101"),
        # The same where the size is multiplied by a length on the way.
        (sized(1, 8, 6, step=2, time=102.1), (back(60, 80, 103.1),), (0, 0, 1, 1), "CA101"),
        # The very last step.
        (sized(1, 8, 6, step=2, time=102.1), (), (0, 0, 1), "CA101"),
        # 8, 6, 7: a third size.
        (sized(1, 8, 6, step=1, time=101.1), (back(6, 7, 102.1),), (0, 1, 1), "CA102"),
        # 6, 8, 6: the other one is greater.
        (sized(1, 6, 8, step=1, time=101.1), (back(8, 6, 102.1),), (0, 1, 1), "CA102"),
        # 8, 6, 6, 8: smaller for two steps.
        (sized(1, 8, 6, step=1, time=101.1), (back(6, 8, 103.1),), (0, 1, 1, 1), "CA102"),
    ],
)
def test_a_last_batch_is_told_from_varying_lengths(
    change: Capture, compiles: tuple[Compile, ...], steps: tuple[int, ...], code: str
) -> None:
    run = run_of(captured(0), change, compiles=compiles, backwards=backwards_of(*steps))
    (found,) = analyze(run).diagnosis.findings
    assert found.code == code
    assert found.captures == ("!1",)


LOADER = RecordedLoader(batch_size=8, drop_last=False, samples=20)


@pytest.mark.parametrize(
    ("loader", "sizes", "code"),
    [
        (LOADER, (8, 4), "CA101"),
        # Rows of a view, and the pieces of a batch that is cut.
        (LOADER, (80, 40), "CA101"),
        (LOADER, (4, 2), "CA101"),
        # Not that loader's last batch.
        (LOADER, (8, 5), "CA102"),
        (LOADER, (12, 6), "CA102"),
        (replace(LOADER, drop_last=True), (8, 4), "CA102"),
        (replace(LOADER, samples=24), (8, 4), "CA102"),
        (replace(LOADER, samples=None), (8, 4), "CA102"),
    ],
)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_loader_tells_a_short_batch_whose_full_one_makes_no_event(
    loader: RecordedLoader, sizes: tuple[int, int], code: str, *, is_compiled: bool
) -> None:
    # GIVEN a size that is dynamic after it shrank in the third of six steps
    steps = backwards_of(0, 0, 1, 1, 1, 1)
    short = sized(1, *sizes, step=2, time=102.1, loaders=(loader,))
    run = run_of(captured(0), short, backwards=steps)
    if is_compiled:
        text = "0/0: tensor 'idx' size mismatch at index 0. expected {}, actual {}".format(*sizes)
        held = RecordedGuards(loaders=(loader,))
        forward = compiled("0/1", text, time=101.9, held=held)
        run = run_of(captured(0), compiles=(forward,), backwards=steps)

    # WHEN it is diagnosed
    (found,) = analyze(run).diagnosis.findings

    # THEN the loader's number of samples says whether it is a last batch
    assert found.code == code


@pytest.mark.parametrize(
    ("other", "is_captured", "code"),
    [(4, False, "CA102"), (2, False, "CA101"), (4, True, "CA102")],
)
def test_the_whole_batch_of_another_loader_is_no_short_one(
    other: int, code: str, *, is_captured: bool
) -> None:
    loaders = (replace(LOADER, samples=None), replace(LOADER, batch_size=other, samples=None))
    text = "0/0: tensor 'idx' size mismatch at index 0. expected 8, actual 4"
    run = run_of(
        compiles=(compiled("0/1", text, time=101.9, held=RecordedGuards(loaders=loaders)),)
    )
    if is_captured:
        short = sized(1, 8, 4, step=2, time=102.1, loaders=loaders)
        run = run_of(captured(0), short, backwards=backwards_of(0, 0, 1, 0, 0, 0))
    (found,) = analyze(run).diagnosis.findings
    assert found.code == code


@pytest.mark.parametrize(
    ("gradients", "needed"), [(True, "pass drop_last"), (False, "leave its 4")]
)
def test_an_evaluation_keeps_the_samples_of_its_last_batch(gradients: bool, needed: str) -> None:
    text = "0/0: tensor 'idx' size mismatch at index 0. expected 8, actual 4"
    held = RecordedGuards(loaders=(LOADER,), gradients=gradients)
    forward = compiled("0/1", text, time=101.9, held=held)
    steps = backwards_of(0, 0, 0, 0)
    (found,) = analyze(run_of(captured(0), compiles=(forward,), backwards=steps)).diagnosis.findings
    assert found.code == "CA101"
    assert needed in found.fix
    assert ("of an evaluation" in found.message) is not gradients
    assert found.confidence == "high"
