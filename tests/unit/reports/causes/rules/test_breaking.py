"""What the rules on graph breaks of backwards have in common."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ca_reports.program.stack import FunctionPass
from ca_reports.run.model import (
    CaptureSeconds,
    Compile,
    Frame,
    GraphBreak,
)
from tests.unit.reports.causes.rules.backward_breaks import CALL, FIRST, TORCH, findings, the_one
from tests.unit.reports.causes.rules.captured import captures, hook, hooked

HOOK = Frame("/home/me/train.py", 12, "clip", "if norm > 1:")
ENGINE = Frame(f"{TORCH}/autograd/graph.py", 979, "_engine_run_backward", "return …")
WRAPPER = Frame("/venv/lib/ca_engine/runtime.py", 64, "__call__", "return compiled(…)")
GRAPH = Frame("<eval_with_key>.1", 7, "forward", "call_hook = …")
CALLED = Frame(f"{TORCH}/_dynamo/external_utils.py", 80, "call_hook", "result = hook(*args)")
UNPACK = "_checkpoint_hook.__init__.<locals>.unpack_hook"
CHECKPOINTS = ("CA502", "CA507")
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
    capture = 0 if compile_id.startswith("!") else None
    return GraphBreak(compile_id, 0, reason, explanation, location, stack, count, capture=capture)


def compiled(compile_id: str, reason: str | None = None) -> Compile:
    return Compile(compile_id, 0, None, 1, 0, recompile_reason=reason, location=CALL, seconds=0.5)


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
            skipped(UNPACK, "utils/checkpoint.py"),
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


def test_a_sparse_gradient_whose_parameter_is_unknown_is_one() -> None:
    finding = the_one(findings(broken(explanation="sparse tensor with layout=torch.sparse_coo")))

    assert "where a parameter has a sparse gradient" in finding.message


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


def test_what_a_break_left_is_the_breaks_in_a_later_backward_too() -> None:
    found = broken(explanation=skipped("save_on_cpu.<locals>.unpack_from_cpu", "graph.py"))
    value = "!0/5/0: key == 'head.weight'"
    again = replace(compiled("!1/5/1", value), capture=1)
    finding = the_one(findings(found, compiles=(compiled("!0/4/0"), compiled("!0/5/0"), again)))
    assert finding.compile_ids == ("!0/4/0", "!1/5/1")


@pytest.mark.parametrize(
    ("guard", "code"),
    [("hooks[0].__defaults__[0] == 0.05", "CA304"), ("len(hooks[0].norms) == 1", "CA303")],
)
def test_what_a_hook_reads_is_no_breaks_where_a_break_comes_before_it(
    guard: str, code: str
) -> None:
    # GIVEN a hook of the user's behind a break that torch's own hook made
    found = broken(explanation=skipped("_checkpoint_hook.<locals>.unpack_hook", "checkpoint.py"))
    torchs = {**hook("_checkpoint_hook.<locals>.unpack_hook", index=1), "file": f"{TORCH}/c.py"}
    (first,) = captures(hooked(hook("slow_down.<locals>.<lambda>"), torchs))
    compiles = (
        compiled("!0/4/0"),
        compiled("!0/5/0"),
        compiled("!0/5/1", f"!0/5/0: {guard}"),
        compiled("!0/6/0"),
        compiled("!0/6/1", "!0/6/0: hooks[1].__closure__[0].cell_contents.recomp == 1"),
    )

    # WHEN they are recompiled
    of_code = {one.code: one for one in findings(found, captures=(first,), compiles=compiles)}

    # THEN the number of the user's hook is a cause of its own, and not what torch's hook reads
    assert of_code.keys() == {"CA502", code}
    assert of_code[code].compile_ids == ("!0/5/1",)
    assert of_code["CA502"].compile_ids == ("!0/4/0", "!0/6/1")


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


def test_a_reentrant_checkpoint_that_breaks_the_backward_has_the_recompiles_of_its_blocks() -> None:
    # GIVEN a block that is compiled by itself, and again where the captured backward runs it
    file = f"{TORCH}/utils/checkpoint.py"
    applied = Frame("/home/me/train.py", 24, "forward", "x = checkpoint(block, x, …)")
    block = Frame("/home/me/train.py", 12, "forward", "")
    passes = (
        FunctionPass(Frame(file, 274, "forward", ""), applied),
        FunctionPass(Frame(file, 314, "backward", ""), None),
    )
    reason = "0/0: GLOBAL_STATE changed: grad_mode"
    first, again = (
        Compile(
            compile_id, 0, None, 1, None, recompile_reason=why, location=block, code=block,
            seconds=0.5, within=within,
        )
        for compile_id, why, within in zip(
            ("0/0", "!0/0/1"), (None, reason), passes, strict=True
        )
    )  # fmt: skip
    one = broken(explanation=skipped("CheckpointFunction.backward", "utils/checkpoint.py"))
    # THEN it is one cause, and nothing says to change the checkpoint alone
    found = the_one(findings(one, compiles=(first, again)))
    assert (found.code, found.compile_ids) == ("CA507", ("!0/4/0", "!0/0/1"))
    # Without such a break it is what it is in eager backwards.
    other = the_one(findings(compiles=(first, again)))
    assert (other.code, other.location) == ("CA112", applied)


@pytest.mark.parametrize("function", ["CheckpointFunction.backward", UNPACK])
@pytest.mark.parametrize(
    ("phases", "is_eager"), [({}, False), ({"dynamo": 0.5}, True), ({"aot": 0.1}, False)]
)
def test_a_checkpoint_goes_into_a_forward_whose_backward_is_compiled(
    function: str, phases: dict[str, float], *, is_eager: bool
) -> None:
    one = broken(explanation=skipped(function, "utils/checkpoint.py"))
    forward = Compile("0/0", 0, None, 1, None, phases=phases)
    fix = next(one.fix for one in findings(one, compiles=(forward,)) if one.code in CHECKPOINTS)
    assert "inside a forward that `torch.compile` compiles with aot_eager or inductor" in fix
    assert ('with backend="eager", as here, the breaks stay' in fix) is is_eager
