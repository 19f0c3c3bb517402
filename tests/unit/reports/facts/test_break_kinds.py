"""The kinds of graph breaks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.reports.causes.rules.broken import LINE, broken, findings, the_one


@pytest.mark.parametrize(
    ("code", "reason", "number", "more"),
    [
        ("CA801", "Data-dependent branching", "GB0170", {}),
        ("CA802", "Unsupported Tensor.item() call", "GB0124", {}),
        ("CA803", "logging.Logger method not supported", "GB0291", {}),
        ("CA803", "Failed to trace builtin operator", "GB0059",
         {"explanation": "Dynamo does not know how to trace builtin operator `print` with …"}),
        ("CA803", "Attempted to call function marked as skipped", "GB0007",
         {"explanation": "Dynamo does not know how to trace the Python builtin `_warnings.warn`."}),
        ("CA804", "Failed to trace builtin operator", "GB0059",
         {"explanation": "Dynamo does not know how to trace builtin operator `open` with …"}),
        ("CA804", "Attempted to call function marked as skipped", "GB0007",
         {"context": "module: time, qualname: time, skip reason: (likely a C extension)"}),
        ("CA805", "Attempted to inline function marked as skipped", "GB0008",
         {"explanation": "… marked that the function `Optimizer.zero_grad` should not be traced."}),
        ("CA805", "Call to `torch._dynamo.graph_break()`", "GB0025", {}),
        ("CA806", "Unsupported context manager", "GB0142", {}),
        ("CA807", "Dynamic shape operator", "GB0036", {"context": "aten.nonzero.default"}),
        ("CA807", "Attempted to wrap sparse Tensor", "GB0015", {}),
        ("CA807", "Attempted to wrap RNN, GRU, or LSTM", "GB0014", {}),
        ("CA808", "Failed to mutate tensor data attribute", "GB0056", {}),
        ("CA809", "Tensor.random_ op", "GB0107", {}),
        ("CA809", "a kind of the future", "GB9999", {"explanation": "print, logging. and if"}),
        # Versions without numbers.
        ("CA801", "generic_jump TensorVariable()", None, {}),
        ("CA802", "Tensor.item", None, {}),
        ("CA803", "call_function BuiltinVariable(print) [ConstantVariable()] {}", None, {}),
        ("CA805", "'skip function graph_break in file …/_dynamo/decorators.py'", None, {}),
        ("CA807", "dynamic shape operator: aten.nonzero.default", None, {}),
    ],
)  # fmt: skip
def test_the_kind_of_a_break_decides_on_its_rule(
    code: str, reason: str, number: str | None, more: dict[str, Any]
) -> None:
    finding = the_one(findings(broken(reason, number, **more)))

    assert (finding.code, finding.severity, finding.location) == (code, "warning", LINE)
    assert finding.fix
    assert finding.evidence[0].text.startswith(f"0/0: 1 × {number or reason}")
