"""Calls that differ in more than the guard that torch names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.reports.causes.rules.recompiled import compiled, explained, graph, tensor

KEYS = (
    "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, BackendSelect), actual "
    "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)"
)
NONE = {"type": "NoneType", "value": None}


@pytest.mark.parametrize(
    ("size", "given", "others"),
    [
        ((100, 10), {"x": tensor(100, 10), "y": tensor(100, 10)}, ""),
        # Of a dynamic size any will do.
        ((None, 10), {"x": tensor(7, 10), "y": tensor(100, 10)}, ""),
        ((100, 10), {"x": tensor(10, 1), "y": tensor(100, 10)}, "`x` has another size"),
        ((100, 10), {"x": tensor(100, 10), "y": NONE}, "`y` is None"),
        ((100, 10), {"x": tensor(10, 1), "y": NONE}, "`x` has another size and `y` is None"),
        # What a call without the record had is not known.
        ((100, 10), None, ""),
    ],
)
def test_a_call_that_also_has_other_sizes_is_compiled_in_any_case(
    size: tuple[int | None, ...], given: dict[str, Any] | None, others: str
) -> None:
    (found,) = explained(
        compiled(0, **graph(x=size, y=(100, 10))), compiled(1, KEYS, arguments=given)
    ).diagnosis.findings

    assert found.code == "CA708"
    assert (found.severity == "info") is bool(others)
    assert bool(found.remedy.edits) is not bool(others)
    if others:
        assert found.message.endswith(f"; {others}")
        assert found.fix.startswith("nothing by this alone")


def test_another_size_of_a_tensor_of_another_dtype_may_be_of_one_cause() -> None:
    text = "tensor 'x' dtype mismatch. expected Long, actual Float"
    found = explained(
        compiled(0, **graph(x=(8,), y=(8, 4))),
        compiled(1, text, arguments={"x": tensor(8, 5), "y": tensor(8, 4)}),
    ).diagnosis.findings

    assert [(one.code, one.severity) for one in found if one.code == "CA708"] == [
        ("CA708", "warning")
    ]
