"""The rules about graph breaks, errors and hazards (CA501 to CA608), on models made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.analysis import analyze
from ca_reports.findings import Finding
from ca_reports.model import (
    Capture,
    CaptureSeconds,
    Compile,
    End,
    Frame,
    GraphBreak,
    Hazard,
    Process,
    Run,
)

TORCH = "/venv/lib/python3.11/site-packages/torch"
CALL = Frame("/home/me/train.py", 30, "main", "loss.backward()")
HOOK = Frame("/home/me/train.py", 12, "clip", "if norm > 1:")
ENGINE = Frame(f"{TORCH}/autograd/graph.py", 979, "_engine_run_backward", "return …")
WRAPPER = Frame("/venv/lib/ca_engine/runtime.py", 64, "__call__", "return compiled(…)")
GRAPH = Frame("<eval_with_key>.1", 7, "forward", "call_hook = …")
CALLED = Frame(f"{TORCH}/_dynamo/external_utils.py", 80, "call_hook", "result = hook(*args)")
INTO_GRAPH = (CALL, ENGINE, WRAPPER, GRAPH, CALLED)


def skipped(name: str, file: str) -> str:
    return (
        "Dynamo developers have intentionally marked that the function "
        f"`{name}` in file `{TORCH}/{file}` should not be traced."
    )


def broken(
    reason: str = "Attempted to call function marked as skipped",
    explanation: str | None = None,
    location: Frame | None = CALLED,
    stack: tuple[Frame, ...] = INTO_GRAPH,
    compile_id: str = "!0/4/0",
    count: int = 1,
) -> GraphBreak:
    return GraphBreak(compile_id, 0, reason, explanation, location, stack, count)


def compiled(compile_id: str, reason: str | None = None) -> Compile:
    return Compile(compile_id, 0, None, 1, 0, recompile_reason=reason, location=CALL, seconds=0.5)


FIRST = Capture(0, 0, None, 1, "log", 9, kind="first", stack=(CALL,))


def findings(*breaks: GraphBreak, **of_process: Any) -> tuple[Finding, ...]:
    process = Process(0, "log", None, 1, 100, recorded=True, captures=(FIRST,))
    process = replace(process, graph_breaks=breaks, **of_process)
    return analyze(Run(("log",), ("log",), (process,))).diagnosis.findings


def the_one(found: tuple[Finding, ...]) -> Finding:
    (finding,) = found
    return finding


# --- breaks -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "fix"),
    [
        ("Data-dependent branching", "torch.where"),
        ("Unsupported Tensor.item() call with capture_scalar_outputs=False", "after the backward"),
        ("Failed to trace builtin operator `print`", "print them after the backward"),
        ("logging.Logger method not supported for non-export cases", "log them after the backward"),
        ("Something new", "torch.compiler.disable"),
    ],
)
def test_a_break_in_a_hook_is_at_its_line_with_a_fix_for_its_reason(reason: str, fix: str) -> None:
    finding = the_one(findings(broken(reason, location=HOOK, stack=(*INTO_GRAPH, HOOK), count=3)))

    assert (finding.code, finding.location, finding.count) == ("CA501", HOOK, 3)
    assert "`clip`" in finding.message
    assert reason in finding.message
    assert fix in finding.fix
    assert finding.compile_ids == ("!0/4/0",)


def test_a_function_disabled_on_purpose_is_no_finding() -> None:
    reason = "Skip calling `torch.compiler.disable()`d function"
    assert findings(broken(reason, location=HOOK, stack=(*INTO_GRAPH, HOOK))) == ()


def test_breaks_of_the_forward_have_rules_of_their_own() -> None:
    finding = the_one(findings(broken(compile_id="3/0", location=HOOK, stack=(CALL, HOOK))))
    assert finding.code == "CA805"


@pytest.mark.parametrize(
    ("code", "explanation"),
    [
        (
            "CA502",
            skipped("_checkpoint_hook.__init__.<locals>.unpack_hook", "utils/checkpoint.py"),
        ),
        ("CA503", skipped("save_on_cpu.__init__.<locals>.unpack_from_cpu", "autograd/graph.py")),
        ("CA507", skipped("CheckpointFunction.backward", "utils/checkpoint.py")),
        ("CA506", "sparse tensor with layout=torch.sparse_coo"),
    ],
)
def test_breaks_in_functions_of_torchs_are_at_the_backward_call(
    code: str, explanation: str
) -> None:
    finding = the_one(findings(broken(explanation=explanation, count=8)))

    assert (finding.code, finding.location, finding.count) == (code, CALL, 8)
    assert "8 graph breaks" in finding.message
    assert [rule.code for rule in finding.other_rules] == ["CA501"]


def test_a_recompile_of_what_a_break_left_is_the_breaks() -> None:
    found = broken(explanation=skipped("save_on_cpu.<locals>.unpack_from_cpu", "graph.py"))
    size = "!0/5/0: tensor 'args[0][1]' size mismatch at index 1. expected 1, actual 8"
    finding = the_one(
        findings(found, compiles=(compiled("!0/4/0"), compiled("!0/5/0"), compiled("!0/5/1", size)))
    )

    assert finding.code == "CA503"
    assert finding.compile_ids == ("!0/4/0", "!0/5/1")
    # `!0/5/0`, which would not be without the break, and `!0/5/1`.
    assert finding.seconds == 1.0
    assert finding.phases == {}


def test_breaks_of_a_first_capture_share_what_comes_after_them() -> None:
    one = broken("Data-dependent branching", location=HOOK, count=3)
    other = broken("print", location=replace(HOOK, line=HOOK.line + 1))
    compiles = tuple(compiled(f"!0/{number}/0") for number in (4, 5, 6))

    shares = [finding.seconds for finding in findings(one, other, compiles=compiles)]

    assert sorted(filter(None, shares)) == [0.25, 0.75]


def test_breaks_of_a_capture_made_again_are_in_its_own_cost() -> None:
    again = replace(FIRST, kind="new_autograd_node", seconds=CaptureSeconds(0.1, 1.5))
    found = broken("Data-dependent branching", location=HOOK)
    compiles = (compiled("!0/4/0"), compiled("!0/5/0"))

    costs = {
        finding.code: finding.seconds
        for finding in findings(found, captures=(again,), compiles=compiles)
    }

    assert costs["CA501"] is None
    assert costs["CA001"] == pytest.approx(1.6)


def test_a_recompile_of_the_captured_graph_itself_is_not_the_breaks() -> None:
    found = broken("Data-dependent branching", location=HOOK)
    guard = "!0/4/0: hooks[0].calls == 1"
    codes = [
        finding.code
        for finding in findings(found, compiles=(compiled("!0/4/0"), compiled("!0/4/1", guard)))
    ]

    assert len(codes) == 2
    assert "CA501" in codes


def test_an_optimizer_in_a_hook_is_at_the_call_of_step() -> None:
    step = Frame("/home/me/train.py", 15, "update", "optimizer.step()")
    inside = Frame(f"{TORCH}/optim/optimizer.py", 79, "_use_grad", "torch._dynamo.graph_break()")
    finding = the_one(findings(broken(location=inside, stack=(*INTO_GRAPH, step, inside))))

    assert (finding.code, finding.location) == ("CA504", step)
    assert "`update`" in finding.message


def test_a_cpp_function_is_named_from_the_graphs_line() -> None:
    call = replace(GRAPH, code="run = f([getitem_55], [], 'torch::autograd::CppNode<my::Triple>')")
    explanation = (
        "Skip calling function `<function OpNamespace.add.<locals>.run_non_traceable_cpp_in_eager "
        "at 0x7f>` since it was wrapped with `torch.compiler.disable` (reason: None)"
    )
    finding = the_one(
        findings(
            broken(
                "Skip calling `torch.compiler.disable()`d function",
                explanation,
                location=call,
                stack=(CALL, ENGINE, WRAPPER, call),
            )
        )
    )

    assert (finding.code, finding.location) == ("CA505", CALL)
    assert "`my::Triple`" in finding.message
    assert "is_traceable = true" in finding.fix


def test_a_backward_within_a_function_of_the_users_is_at_its_line() -> None:
    inner = Frame("/home/me/train.py", 11, "backward", "torch.autograd.grad(y, x)")
    reason = "using `torch.autograd.grad` with `torch._dynamo.config.trace_autograd_ops=False`"
    finding = the_one(findings(broken(reason, location=inner, stack=(*INTO_GRAPH, inner))))

    assert (finding.code, finding.location) == ("CA507", inner)


# --- hazards ------------------------------------------------------------------------------


def hazard(kind: str, **fields: Any) -> Hazard:
    return Hazard(0, "log", 50, kind, step=4, stack=(CALL,), count=6, **fields)


@pytest.mark.parametrize(("now", "severity"), [(True, "error"), (False, "warning")])
def test_anomaly_mode_that_was_switched(now: bool, severity: str) -> None:
    found = hazard("anomaly", capture=0, then=not now, now=now)
    finding = the_one(findings(hazards=(found,)))

    assert (finding.code, finding.severity, finding.count) == ("CA601", severity, 6)
    assert (finding.evidence[0].file, finding.evidence[0].line) == ("log", 50)


def test_another_autocast_names_both() -> None:
    found = hazard("autocast", capture=0, then={}, now={"cuda": "float16"}, option="off")
    finding = the_one(findings(hazards=(found,)))

    assert (finding.code, finding.severity, finding.location) == ("CA602", "error", CALL)
    assert "runs under autocast cuda float16" in finding.message
    assert finding.message.endswith("for a backward without autocast")
    assert '[{"device_type": "cuda"}]' in finding.fix


def test_the_option_for_another_autocast_has_its_dtype() -> None:
    found = hazard("autocast", capture=0, then={"cpu": "bfloat16"}, now={"cuda": "bfloat16"})
    finding = the_one(findings(hazards=(found,)))

    assert finding.message.endswith("for a backward under autocast cpu bfloat16")
    assert '[{"device_type": "cuda", "dtype": torch.bfloat16}]' in finding.fix


def test_the_error_of_another_autocast_is_not_a_second_finding() -> None:
    text = "RuntimeError: attempting to assign a gradient with dtype 'c10::BFloat16' to a tensor"
    mismatch = hazard("autocast", capture=0, then={}, now={"cpu": "bfloat16"})
    failed = hazard("backward_failed", capture=0, error=text)

    assert the_one(findings(hazards=(mismatch, failed))).evidence[0].text.startswith("from step 4")
    assert the_one(findings(hazards=(failed,))).code == "CA602"


@pytest.mark.parametrize(("captures", "severity"), [((), "warning"), ((FIRST,), "info")])
def test_backwards_that_were_not_captured(captures: tuple[Capture, ...], severity: str) -> None:
    finding = the_one(findings(captures=captures, hazards=(hazard("not_captured"),)))

    assert (finding.code, finding.severity, finding.count) == ("CA604", severity, 6)


# --- errors -------------------------------------------------------------------------------

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


def end(text: str, *stack: Frame) -> End:
    return End(1.0, 1, 0, 0, 0, 1, text.partition(":")[0], text, stack)


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
    from ca_reports.stored import StoredText

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
    from ca_reports.stored import StoredText

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


# --- the cache ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counters", "expected"),
    [
        ({"miss": 1, "bypass": 1}, ["CA605"]),
        ({"miss": 1, "bypass": 1, "saved": 1}, []),
        ({"hit": 3}, []),
        ({}, []),
    ],
)
def test_the_cache_that_keeps_nothing(counters: dict[str, int], expected: list[str]) -> None:
    ended = replace(end("", CALL), error=None, error_text=None, aot_cache=counters)
    assert [finding.code for finding in findings(end=ended)] == expected
