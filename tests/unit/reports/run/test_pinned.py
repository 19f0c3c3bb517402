"""Torch's records of sizes that became constants of a graph."""

from __future__ import annotations

from typing import Any

import pytest

from ca_reports.run.pinned import MAX_PINNED, pinned_sizes
from tests.unit.logwriter import LogWriter
from tests.unit.reports.written import loaded

FILES = {7: "/t/net.py"}


def record(**more: Any) -> dict[str, Any]:
    return {
        "symbol": "s0",
        "sources": ["L['x'].size()[0]", "L['self'].mask.size()[1]"],
        "value": "9",
        "reason": "range_refined_to_singleton",
        "user_stack": [{"line": 22, "name": "forward", "filename": 7, "loc": "if n != self.size:"}],
        **more,
    }


def test_each_size_is_one() -> None:
    found = [*pinned_sizes(record(), FILES)]
    assert [(one.source, one.value) for one in found] == [
        ("L['x'].size()[0]", 9),
        ("L['self'].mask.size()[1]", 9),
    ]
    (line,) = found[0].stack
    assert (line.file, line.line, line.code) == ("/t/net.py", 22, "if n != self.size:")


@pytest.mark.parametrize(
    "torn",
    [
        None,
        [],
        {},
        record(value="s1"),
        record(value=9),
        record(value="9" * 1000),
        record(sources="L['x'].size()[0]"),
        record(sources=["L['x'].stride()[0" * 100, 3]),
        record(user_stack=[]),
        record(user_stack="x"),
    ],
)
def test_what_is_torn_says_nothing(torn: object) -> None:
    assert [*pinned_sizes(torn, {})] == []


def test_a_compile_has_each_of_its_attempts_once(tmp_path: Any) -> None:
    log = LogWriter()
    log.ca_run()
    context = log.context("0/0")
    stack = [{"line": 4, "name": "f", "filename": log.string("/t/net.py"), "loc": "for t in x:"}]
    for _ in range(2):
        log.record("symbolic_shape_specialization", record(user_stack=stack), **context)
    for number in range(2 * MAX_PINNED):
        log.record(
            "symbolic_shape_specialization",
            record(user_stack=stack, value=str(number + 10)),
            **context,
        )
    log.compiled("0/0")
    (compiled,) = loaded(log, tmp_path).processes[0].compiles
    assert [one.value for one in compiled.pinned[:4]] == [9, 9, 10, 10]
    assert MAX_PINNED <= len(compiled.pinned) < MAX_PINNED + 2
