"""Recompiles of a forward that bring others."""

from __future__ import annotations

from ca_reports.diagnosis.analysis import analyze
from ca_reports.facts.events import GRAPH_ROOT
from ca_reports.run.model import (
    Change,
)
from tests.unit.reports.made import captured, compiled, ran, run_of


def test_a_forward_recompile_and_what_it_brings_are_one_finding() -> None:
    reason = (
        "0/0: self.slope == 0.5  # leaky_relu(x, self.slope)  # t/model.py:3 in forward\n"
        'User stack trace:\n  File "/t/model.py", line 3, in forward\n    leaky_relu(x, self.slope)'
    )
    change = Change(2, "CompiledFunctionBackward", "aot_id", 0, 1)
    run = run_of(
        captured(0),
        captured(1, changes=(change,), closest_capture=0, compile_ids=("!1/4/0",)),
        compiles=(compiled("0/1", reason, time=100.95), compiled("!1/4/0", time=101.2)),
        backwards=ran(0, 1),
    )
    (found,) = analyze(run).diagnosis.findings
    assert found.code == "CA401"
    assert (found.captures, found.compile_ids) == (("!1",), ("0/1",))
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("/t/model.py", 3)
    assert "`self.slope`" in found.fix
    assert found.chain is not None
    parts = ["self.slope == 0.5", "0/1", "!1", "!1/4/0"]
    assert [found.chain.index(part) for part in parts] == sorted(
        found.chain.index(part) for part in parts
    )


def test_another_loss_in_the_step_of_a_recompiled_forward_is_a_cause_beside_it() -> None:
    reason = "0/0: tensor 'source' size mismatch at index 1. expected 13, actual 10"
    changes = (
        Change(2, "CompiledFunctionBackward", "aot_id", 0, 1),
        Change(0, GRAPH_ROOT, "outputs", ["AddBackward0"], ["SmoothL1LossBackward0"]),
    )
    run = run_of(
        captured(0),
        captured(1, changes=changes, closest_capture=0, compile_ids=("!1/4/0",)),
        compiles=(compiled("0/1", reason, time=100.95), compiled("!1/4/0", time=101.2)),
        backwards=ran(0, 1),
    )

    forward, root = analyze(run).diagnosis.findings

    assert (forward.code, forward.captures, forward.compile_ids) == ("CA102", ("!1",), ("0/1",))
    assert (root.code, root.captures) == ("CA209", ("!1",))


def test_another_output_of_a_recompiled_forward_comes_of_it() -> None:
    reason = "0/0: tensor 'source' size mismatch at index 1. expected 13, actual 10"
    root = ["CompiledFunctionBackward"], ["CompiledFunctionBackward0"]
    changes = (
        Change(2, "CompiledFunctionBackward", "aot_id", 0, 1),
        Change(0, GRAPH_ROOT, "outputs", *root),
    )
    run = run_of(
        captured(0),
        captured(1, changes=changes, closest_capture=0, compile_ids=("!1/4/0",)),
        compiles=(compiled("0/1", reason, time=100.95), compiled("!1/4/0", time=101.2)),
        backwards=ran(0, 1),
    )

    (forward,) = analyze(run).diagnosis.findings

    assert (forward.code, forward.captures) == ("CA102", ("!1",))
