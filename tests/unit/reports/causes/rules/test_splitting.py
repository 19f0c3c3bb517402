"""What the rules on graph breaks of forwards have in common."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ca_reports.causes.findings import SplitGraph
from ca_reports.run.model import Capture, Frame
from tests.unit.reports.causes.rules.broken import (
    LIBRARY,
    LINE,
    MAIN,
    PACKAGES,
    SCALARS,
    TRANSFORMER,
    broken,
    findings,
    rest,
    the_one,
)

CALL_HOOK = Frame(f"{PACKAGES}/torch/nn/modules/module.py", 1844, "inner", "r = hook(self, args)")


@pytest.mark.parametrize(
    ("below", "more", "is_told"),
    [
        (True, {}, False),
        (False, {}, True),  # in the program's own code
        (True, {"in_loop": True}, True),  # with what else is in the loop
        (True, {"given_up": False}, True),
    ],
)
def test_a_call_of_a_backward_that_was_captured_loses_nothing(
    below: bool, more: dict[str, bool], is_told: bool
) -> None:
    call = replace(LINE, code="loss.backward()")
    torchs = Frame(f"{PACKAGES}/torch/_tensor.py", 1530, "__torch_function__", "func(*args)")
    own = Frame(LINE.file, 40, "note", "x.tag = 1")
    stack = (MAIN, call, torchs if below else own)
    found = broken(
        "Unsupported tensor subclass overridden attribute access",
        "GB0171",
        stack=stack,
        **{"given_up": True, **more},
    )
    captured = Capture(0, 0, None, None, "log", 9, kind="first", stack=(MAIN, call))

    assert bool(findings(found, captures=(captured,))) is is_told
    assert findings(found)


def test_the_size_of_what_is_repeated_can_be_given() -> None:
    operator = broken("Dynamic shape operator", "GB0036", context="aten.repeat_interleave.Tensor")
    finding = the_one(findings(operator))

    assert finding.fix.startswith("pass `output_size=`")


@pytest.mark.parametrize(
    ("code", "helps"),
    [
        ("ranks = order(x[0].tolist())", False),
        ("return torch.stack([torch.tensor(order(r.tolist())) for r in rows])", False),
        ("parts = x.split(sizes.tolist())", True),
        ("first, *rest = torch.split(x, sizes.tolist())", True),
        ("sizes = tuple(sizes.tolist())", True),
    ],
)
def test_numbers_that_the_programs_own_function_computes_with_are_no_symbols(
    code: str, helps: bool
) -> None:
    stack = (replace(LINE, code=code),)
    finding = the_one(
        findings(broken("Unsupported Tensor.item() call", "GB0124", stack, **SCALARS))
    )

    assert ("capture_scalar_outputs" in finding.fix) is helps


def test_where_the_break_is_gets_said() -> None:
    in_hook = the_one(findings(broken(stack=(MAIN, CALL_HOOK, LINE))))
    in_loop = the_one(findings(broken(given_up=True, in_loop=True)))
    in_step = the_one(findings(broken(in_step=True)))

    assert in_hook.message.endswith("splits `step`, a hook")
    assert in_loop.message.endswith("leaves all of `step` uncompiled: it is in a loop")
    assert in_step.message.endswith("splits `step`, in the middle of a training step")


def test_a_break_in_a_library_names_the_setting_that_avoids_it() -> None:
    finding = the_one(
        findings(
            broken(
                "logging.Logger method not supported for non-export cases",
                "GB0291",
                (MAIN, LIBRARY),
                context="method: <Logger transformers.x (WARNING)>.warning_once, args: [], kwargs",
                hints=("Add the method to `torch._dynamo.config.ignore_logging_functions`.",),
            )
        )
    )

    assert (finding.code, finding.severity, finding.location) == ("CA803", "warning", MAIN)
    assert "`wrapper` of transformers" in finding.message
    assert (
        "torch._dynamo.config.ignore_logging_functions.add(logging.Logger.warning_once)`, which "
        "leaves out what compiled code writes with it"
    ) in finding.fix


def test_what_is_written_after_the_graph_is_not_left_out() -> None:
    hint = "Add it to `torch._dynamo.config.reorderable_logging_functions`."
    finding = the_one(
        findings(broken("Failed to trace builtin operator", "GB0059", hints=(hint,),
                        explanation="Dynamo does not know how to trace builtin operator `print`"))
    )  # fmt: skip

    assert finding.fix == (
        "call `torch._dynamo.config.reorderable_logging_functions.add(print)`, which writes it "
        "after the graph; or write outside the compiled code"
    )


@pytest.mark.parametrize(
    ("code", "option"),
    [
        ('warnings.warn("old", FutureWarning, stacklevel=2)', "ignore"),
        ('warnings.warn("old", category=Old)', "ignore"),
        ('warnings.warn(f"{n} left", None, 2)', "reorderable"),
        ("warnings.warn(", "reorderable"),
    ],
)
@pytest.mark.parametrize("file", ["/home/me/model.py", LIBRARY.file])
def test_a_warning_with_a_category_stays_in_the_graph(code: str, option: str, file: str) -> None:
    hint = "you can try adding it to `torch._dynamo.config.reorderable_logging_functions`."
    words = "Attempted to call function marked as skipped", "GB0007"
    stack = (MAIN, Frame(file, 9, "attention", code))
    skipped = broken(*words, stack, hints=(hint,), context="module: _warnings, qualname: warn",
                     explanation="`_warnings.warn` is a builtin")  # fmt: skip
    finding = the_one(findings(skipped))

    assert finding.code == "CA803"
    assert f"torch._dynamo.config.{option}_logging_functions.add(warnings.warn)" in finding.fix
    assert isinstance(finding.detail, SplitGraph)
    assert finding.detail.option == f"{option}_logging_functions"


def test_what_a_function_asks_a_clock_is_told_once() -> None:
    # GIVEN a decorator that asks the clock before and after, and adds to a global sum
    clock = "module: time, qualname: perf_counter, skip reason: (likely a C extension)"
    skipped = "Attempted to call function marked as skipped", "GB0007"
    before = Frame("/home/me/timing.py", 14, "wrapper", "began = time.perf_counter()")
    after = replace(before, line=16, code="SECONDS[label] += time.perf_counter() - began")
    quoted = "  # SECONDS[label] += …  # me/timing.py:16 in torch_dynamo_resume_in_wrapper_at_14"
    found = findings(
        broken(*skipped, (MAIN, before), context=clock),
        broken(*skipped, (MAIN, after), context=clock, compile_id="1/0", count=3),
        compiles=(
            rest("1/0", before),
            rest("1/1", before, f"1/0: ___stack0 == 45769.5{quoted}"),
            rest("1/2", before, f"1/1: G['SECONDS']['mixer'] == 0.36{quoted}"),
            rest("1/3", before, "1/2: tensor 'x' size mismatch at index 1. expected 8, actual 6"),
        ),
    )

    # THEN that is one finding, of the first line; another cause is its own
    assert {one.code: (one.count, one.compile_ids) for one in found} == {
        "CA804": (4, ("0/0", "1/1", "1/0", "1/2")),
        "CA102": (1, ("1/3",)),
    }
    assert found[0].location == before


@pytest.mark.parametrize(
    ("code", "helps"), [("done = bool(x.all())", False), ("most = int(x.max())", True)]
)
@pytest.mark.parametrize("file", ["/home/me/model.py", TRANSFORMER])
def test_a_truth_is_no_symbol(code: str, helps: bool, file: str) -> None:
    stack = (MAIN, Frame(file, 9, "check", code))

    finding = the_one(
        findings(broken("Unsupported Tensor.item() call", "GB0124", stack, **SCALARS))
    )

    assert ("capture_scalar_outputs = True" in finding.fix) == helps
    assert finding.severity == ("warning" if helps or file != TRANSFORMER else "info")
