"""Errors that end a backward, by the rules that know them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ca_reports.logs.stored import StoredText
from ca_reports.run.model import (
    Frame,
)
from tests.unit.reports.causes.rules.backward_breaks import (
    CALL,
    FIRST,
    TORCH,
    end,
    findings,
    hazard,
    the_one,
)


def test_the_error_of_another_autocast_is_not_a_second_finding() -> None:
    text = "RuntimeError: attempting to assign a gradient with dtype 'c10::BFloat16' to a tensor"
    mismatch = hazard("autocast", capture=0, then={}, now={"cpu": "bfloat16"})
    failed = hazard("backward_failed", capture=0, error=text)

    assert the_one(findings(hazards=(mismatch, failed))).evidence[0].text.startswith("from step 4")
    assert the_one(findings(hazards=(failed,))).code == "CA602"


ERRORS = [
    ("CA603", "RuntimeError: torch.compile does not currently support higher order gradients."),
    (
        "CA603",
        "RuntimeError: torch.compile with aot_autograd does not currently support double backward",
    ),
    ("CA606", "RuntimeError: Compiled autograd is not compatible with C++ DDP Reducer, please use"),
    (
        "CA607",
        "NotImplementedError: NestedTensor support not implemented. \nException raised from collect"
        "\n  You can disable compiled autograd for this operation by:",
    ),
    (
        "CA608",
        "RuntimeError: Function MulBackward0 returned an invalid gradient at index 0 - got "
        "[s57, s13] but expected shape compatible with [s57, 8]",
    ),
]


@pytest.mark.parametrize(("code", "text"), ERRORS)
def test_an_error_is_known_from_wherever_it_was_seen(code: str, text: str) -> None:
    inside = Frame(f"{TORCH}/_tensor.py", 1, "backward", "")
    failed = replace(FIRST, error=text)
    seen: list[dict[str, Any]] = [
        {"captures": (failed,)},
        {"hazards": (hazard("backward_failed", capture=0, error=text),)},
        {"captures": (), "end": end(text, CALL, inside)},
        # The same error, seen three times.
        {"captures": (failed,), "end": end(text, CALL), "hazards": (hazard("x", error=text),)},
    ]
    for places in seen:
        finding = the_one(findings(**places))
        assert (finding.code, finding.severity, finding.location) == (code, "error", CALL)
        assert finding.evidence


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: returned an invalid gradient at index 0 - got [3, 4] but expected [3, 5]",
        "KeyError: 'NestedTensor'",
        "AssertionError: Compiled autograd running under anomaly mode with inputs[0] already "
        "having NaN gradient. You can disable compiled autograd for this operation by:",
        "",
    ],
)
def test_other_errors_are_no_finding_of_these(text: str) -> None:
    assert findings(captures=(), end=end(text, CALL)) == ()


def test_a_sparse_gradient_on_top_of_another_names_the_table() -> None:
    nodes = (
        b'{"index":0,"name":"EmbeddingBackward0","attributes":{"sparse":true}}\n'
        b'{"index":1,"name":"torch::autograd::AccumulateGrad","parameter":"table.weight"}'
    )
    capture = replace(FIRST, autograd_json=StoredText.pack(nodes))
    failed = hazard("backward_failed", capture=0, error="IndexError: tuple index out of range")
    finding = the_one(findings(captures=(capture,), hazards=(failed,)))

    assert (finding.code, finding.severity) == ("CA506", "error")
    assert "`table.weight`" in finding.message


OF_TRACING = (
    "IndexError: tuple index out of range\n\nfrom user code:\n"
    '   File "<eval_with_key>.0", line 5, in forward\n    getitem = inputs[0]\n'
)


@pytest.mark.parametrize(
    ("layout", "error", "code"),
    [
        ("sparse_coo", OF_TRACING, "CA607"),
        ("sparse_csr", OF_TRACING, "CA607"),
        (None, OF_TRACING, "CA609"),
        # The program's own error, in a hook of its own.
        ("sparse_coo", "IndexError: tuple index out of range", None),
        (None, OF_TRACING.replace("<eval_with_key>.0", "hooks.py"), None),
    ],
)
def test_a_captured_graph_that_dynamo_cannot_trace(
    layout: str | None, error: str, code: str | None
) -> None:
    told = f', "layout": "{layout}"' if layout else ""
    node = (
        '{"index": 1, "name": "MmBackward0", "attributes": {}, "tensors": {"mat2": null, "self": '
        f'{{"shape": [300, 20], "dtype": "torch.float32", "alias": 0{told}}}}}}}'
    )
    capture = replace(FIRST, autograd_json=StoredText.pack(node.encode()))
    failed = hazard("backward_failed", capture=0, error=error)

    found = findings(captures=(capture,), hazards=(failed,))

    assert [one.code for one in found] == ([code] if code else [])
    if code == "CA607":
        assert "a sparse tensor (MmBackward0 self, 300×20)" in found[0].message
        assert "to_dense()" in found[0].fix


@pytest.mark.parametrize("is_in_graph", [True, False])
def test_a_function_that_a_compiled_forward_calls_is_torchs_fault(is_in_graph: bool) -> None:
    # GIVEN a captured backward that fails in Python, with the class that Dynamo makes or without
    name = "AutogradFunctionApply.__call__.<locals>.ApplyTemplate" if is_in_graph else "Scaled"
    node = {"index": 1, "name": "ApplyTemplateBackward", "function": {"name": name}}
    text = "TypeError: add(): argument 'other' (position 2) must be Tensor, not NoneType"
    failed = replace(FIRST, error=text, autograd_json=StoredText.pack(json.dumps(node).encode()))

    finding = the_one(findings(captures=(failed,)))

    assert finding.severity == "error"
    assert finding.code == ("CA609" if is_in_graph else "CA610")
    assert ("torch.compiler.disable" in finding.fix) == is_in_graph
