"""``ca_late_hook``: read, and never trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.late_hooks import LateHook
from ca_reports.run.model import Process, Run

RECORD: dict[str, Any] = {
    "graph": "0/0",
    "module": "L['self']._modules['layers']._modules['1']",
    "hook": {"kind": "forward", "index": None, "name": "Align.keep", "file": "a.py", "line": 13},
    "stack": [{"file": "train.py", "line": 24, "function": "step", "code": ""}],
}


def test_a_hook_with_its_function_and_its_call() -> None:
    found = LateHook.from_record(RECORD, 7)
    assert found is not None
    assert found.defined is not None
    assert found.called_at is not None
    assert (found.defined.line, found.called_at.line, found.line) == (13, 24, 7)


@pytest.mark.parametrize(
    "torn",
    [{**RECORD, "module": 3}, {**RECORD, "graph": None}, {"hook": 4}],
)
def test_a_hook_of_nothing_is_none(torn: dict[str, Any]) -> None:
    assert LateHook.from_record(torn, 7) is None


def test_torn_fields_are_unknown() -> None:
    found = LateHook.from_record({**RECORD, "hook": [], "stack": 3}, 7)
    assert found is not None
    assert (found.name, found.defined, found.called_at) == (None, None, None)


def test_hooks_of_one_function_are_one_finding() -> None:
    first = LateHook.from_record(RECORD, 7)
    assert first is not None
    layers = [
        replace(first, module=f"L['self']._modules['layers']._modules['{at}']") for at in range(5)
    ]
    other = replace(first, name=None, defined=None, kind="backward")
    process = Process(
        index=0, file="trace.log", rank=None, pid=1, records=9, recorded=True,
        late_hooks=(*layers, other),
    )  # fmt: skip
    run = Run(paths=("a",), files=("trace.log",), processes=(process,))
    found = analyze(run).diagnosis.findings

    told = {one.count: one for one in found}
    assert {(one.code, one.severity) for one in found} == {("CA721", "warning")}
    assert "`layers.0`, `layers.1`, `layers.2`" in told[5].message
    assert "is not called" in told[5].message
    assert "skip_nnmodule_hook_guards = False" in told[5].fix
    assert told[1].message.startswith("a backward hook of `layers.1`")
