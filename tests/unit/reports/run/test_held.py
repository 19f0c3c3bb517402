"""``ca_guards``: what a recompile's failed guards are about, read and joined with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ca_reports
from ca_reports.facts.process import ProcessFacts
from ca_reports.run.held import Held, RecordedGuards
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.facts.events import RecompileFacts

RECORD: dict[str, Any] = {
    "schema_version": 1,
    "time": 1_700_000_001.0,
    "guards": [
        {"failed": "0/0", "source": "t", "held": {"type": "float", "value": 0.9}},
        {"failed": "0/1", "source": "m", "held": None},
    ],
    "arguments": {"x": {"type": "torch.Tensor", "shape": [4, None], "requires_grad": False}},
}


def recompile(folder: Path, record: Any, reason: str) -> RecompileFacts:
    log = LogWriter()
    log.compiled("0/0")
    log.artifact("recompile_reasons", reason, **log.context("0/1"))
    log.artifact("ca_guards", record, **log.context("0/1"))
    log.compiled("0/1")
    run = ca_reports.load([str(log.write(folder / "trace.log"))])
    (found,) = ProcessFacts(run.processes[0], run).recompiles
    return found


def test_the_value_that_came_is_joined_with_the_guard_that_it_failed(tmp_path: Path) -> None:
    found = recompile(tmp_path, RECORD, "0/0: t == 1.0  # x / t")
    assert found.guard.expected == "1.0"
    assert found.held is not None
    assert (found.held.type, found.held.value, found.held.has_value) == ("float", 0.9, True)
    assert found.compiled.held is not None
    ((name, held),) = found.compiled.held.arguments
    assert (name, held.shape, held.requires_grad) == ("x", (4, None), False)


def test_what_nobody_could_look_up_is_unknown(tmp_path: Path) -> None:
    assert recompile(tmp_path, RECORD, "0/1: m == 1  # x / m").held is None
    assert recompile(tmp_path, RECORD, "0/0: other == 1").held is None


def test_a_record_of_the_wrong_shape_says_nothing(tmp_path: Path) -> None:
    for broken in (
        {**RECORD, "guards": 3, "arguments": []},
        {**RECORD, "guards": [[], {"failed": 1, "source": [], "held": [1]}]},
        {**RECORD, "guards": [{"failed": "0/0", "source": "t", "held": {"value": [1], "type": 1}}]},
    ):
        found = recompile(tmp_path, broken, "0/0: t == 1.0")
        assert found.held in (None, Held(has_value=True))


def test_an_argument_by_its_name_and_the_object_of_a_method() -> None:
    held = RecordedGuards.from_record(
        {"arguments": {"self": {"type": "Net", "identity": 7}, "x": {"type": "int", "value": 3}}}
    )
    found = held.argument("x")
    assert found is not None
    assert found.value == 3
    assert held.argument("y") is None
    assert held.own_object == 7
    assert RecordedGuards().own_object is None
