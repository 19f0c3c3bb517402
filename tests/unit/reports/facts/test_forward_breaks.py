"""Graph breaks of forwards, by their lines, and what comes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile, Frame
from tests.unit.reports.causes.rules.broken import (
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

POLYFILL = Frame(f"{PACKAGES}/torch/_dynamo/polyfills/__init__.py", 505, "instantiate", "…")
OPTIMIZER = Frame(f"{PACKAGES}/torch/optim/optimizer.py", 79, "_use_grad", "…")


def test_a_recompile_for_what_came_out_of_the_line_is_the_breaks_and_no_other() -> None:
    for_value = rest("1/1", reason="___stack0 == 1.0")
    for_size = rest("1/2", reason="tensor 'x' dtype mismatch. expected Float, actual Double")

    first, other = findings(broken(), compiles=(rest("1/0"), for_value, for_size))

    assert first.compile_ids == ("0/0", "1/1")
    assert other.compile_ids == ("1/2",)


def test_a_number_that_is_compiled_for_again_and_again_is_one_finding_with_its_break() -> None:
    again = tuple(rest(f"1/{number}", reason=f"___stack0 == {number}") for number in (1, 2, 3))

    finding = the_one(findings(broken(), compiles=again))

    assert (finding.code, finding.count) == ("CA716", 3)
    assert finding.compile_ids == ("1/1", "1/2", "1/3", "0/0")
    assert finding.location == LINE


@pytest.mark.parametrize(("given", "code"), [("weight", "CA702"), ("x", "CA716")])
def test_a_number_that_the_function_was_given_did_not_come_out_of_the_break(
    given: str, code: str
) -> None:
    # GIVEN a function whose rest is compiled again for a number after a branch on a tensor
    begin = replace(LINE, line=10)
    whole = Compile(
        "0/0", 0, None, 1, None, seconds=0.5, location=begin, code=begin,
        held=RecordedGuards.from_record({"guards": [], "arguments": {given: {"type": "float"}}}),
    )  # fmt: skip
    quoted = "# y = y * weight  # train.py:14 in torch_dynamo_resume_in_step_at_12"
    again = rest("1/1", reason=f"1/0: weight == 0.5  {quoted}")

    found = findings(broken(), compiles=(whole, rest("1/0"), again))

    # THEN it is the break's only where the function did not get it
    assert code in {one.code for one in found}


def test_one_line_is_one_finding() -> None:
    # `with open(…)`: the call cannot be traced, and what it gives cannot be entered.
    opened = broken("Failed to trace builtin operator", "GB0059", count=2)
    entered = broken("Unsupported context manager", "GB0142", given_up=True)

    finding = the_one(findings(opened, entered))

    assert (finding.code, finding.count) == ("CA806", 3)
    assert "leaves all of `step` uncompiled" in finding.message


def test_two_lines_that_torch_meets_in_one_place_are_two_findings() -> None:
    elsewhere = Frame("/home/me/train.py", 40, "other", "json.dumps({})")
    one = broken("Unsupported method call", "GB0156", (MAIN, LINE, POLYFILL))
    two = broken("Unsupported method call", "GB0156", (MAIN, elsewhere, POLYFILL))

    assert one.key != two.key
    assert {found.location for found in findings(one, two)} == {LINE, elsewhere}


def test_a_break_of_torchs_own_optimizer_is_only_worth_knowing() -> None:
    finding = the_one(
        findings(broken("Call to `torch._dynamo.graph_break()`", "GB0025", (MAIN, OPTIMIZER)))
    )

    assert (finding.code, finding.severity, finding.location) == ("CA805", "info", MAIN)
    assert "`_use_grad` of torch" in finding.message
    assert finding.fix.startswith("nothing, unless")


def test_an_optimizer_s_step_that_a_scheduler_wraps_is_only_worth_knowing() -> None:
    found = broken(
        "Attempted to call function marked as skipped",
        "GB0007",
        context="module: torch.optim.sgd, qualname: SGD.step, skip reason: file is force-skipped",
    )
    finding = the_one(findings(found))

    assert (finding.code, finding.severity) == ("CA805", "info")
    assert finding.message.startswith("`SGD.step` splits")
    assert finding.fix.startswith("nothing:")


INNER = Frame("/home/me/store.py", 17, "forward", "used = len(chosen.unique())")
CALL = Frame("/home/me/net.py", 16, "forward", "codes = self.store(h)")


def in_a_module(*more: Compile) -> tuple[Compile, ...]:
    """A module's forward, that of a module in it, which breaks, and what is left of both."""
    net, store = replace(CALL, line=14), replace(INNER, line=15)
    return (
        Compile("0/0", 0, None, 1, None, seconds=4.0, code=net, location=net, stack=(MAIN, net)),
        Compile("1/0", 0, None, 1, None, seconds=1.0, code=store, stack=(MAIN, CALL, store)),
        replace(rest("2/0", INNER), stack=(MAIN, CALL, INNER)),
        replace(rest("3/0", CALL), stack=(MAIN, CALL)),
        *more,
    )


def test_a_break_in_a_module_of_a_module_splits_both_forwards() -> None:
    # GIVEN the stack as torch writes it: of two frames `forward` in a row only the inner one
    finding = the_one(
        findings(broken("Dynamic shape operator", "GB0036", (MAIN, INNER)), compiles=in_a_module())
    )

    # THEN the inner forward, called from Python now, and what is left of both is what it costs
    assert "(3 more functions to compile)" in finding.message
    assert finding.seconds == pytest.approx(2.0)


def test_a_module_between_a_librarys_and_the_one_that_breaks_is_the_breaks() -> None:
    # GIVEN an `nn.Sequential` whose blocks' parts break: what is compiled is torch's wrapper of it
    wrapper = Frame(f"{PACKAGES}/torch/_dynamo/external_utils.py", 69, "inner", "fn(*args)")
    net, store = replace(CALL, line=14), replace(INNER, line=15)
    reason = "tensor '{}' requires_grad mismatch. expected requires_grad=0"
    block = Compile("1/0", 0, None, 1, None, seconds=1.0, code=net, stack=(MAIN, net))
    of_rest = replace(rest("4/0", CALL), stack=(MAIN, CALL))
    again = f"4/0: {reason.format('___stack0')}"
    finding = the_one(
        findings(
            broken(stack=(MAIN, wrapper, INNER)),
            compiles=(
                Compile("0/0", 0, None, 1, None, seconds=4.0, code=replace(wrapper, line=67)),
                block,
                Compile(
                    "2/0", 0, None, 1, None, seconds=1.0, code=store, stack=(MAIN, CALL, store)
                ),
                replace(rest("3/0", INNER), stack=(MAIN, CALL, INNER)),
                of_rest,
                replace(block, compile_id="1/1", recompile_reason=f"1/0: {reason.format('x')}"),
                replace(of_rest, compile_id="4/1", recompile_reason=again),
            ),
        )
    )

    # THEN the block is called from Python, and that the second one's input has a gradient
    # recompiles it and what is left of it
    assert "(4 more functions to compile, 2 recompiles after it)" in finding.message
    assert finding.compile_ids == ("0/0", "1/1", "4/1")


def test_two_calls_of_a_module_that_breaks_are_the_breaks() -> None:
    # GIVEN two modules of one class in one file with their caller, which give each other's tables:
    # the class's forward is compiled by itself since the break, for what each call gives it
    outer = Frame("/home/me/net.py", 29, "forward", "books = self.to_books(self.books, readers)")
    inner = Frame("/home/me/net.py", 16, "forward", "if messages.abs().max() > self.limit:")
    exchange, library = replace(inner, line=14), replace(outer, line=28)
    kind = "1/0: expected type of 'source' to be a tensor type, ' but found <class 'torch.Tensor'>"
    size = "2/0: tensor 'to' size mismatch at index 0. expected 12, actual 20"
    found = findings(
        broken(stack=(MAIN, inner)),
        compiles=(
            Compile("0/0", 0, None, 1, None, seconds=1.0, code=library, stack=(MAIN, library)),
            Compile(
                "1/0", 0, None, 1, None, seconds=1.0, code=exchange, stack=(MAIN, outer, exchange)
            ),
            replace(rest("2/0", inner), stack=(MAIN, outer, inner)),
            replace(rest("3/0", outer), stack=(MAIN, outer)),
            Compile(
                "1/1", 0, None, 1, None, recompile_reason=kind, seconds=1.0, code=exchange,
                stack=(MAIN, outer, exchange),
            ),
            rest("2/1", inner, size),
        ),
    )  # fmt: skip
    (finding,) = found
    assert (finding.code, finding.compile_ids) == ("CA801", ("0/0", "1/1", "2/1"))
    assert "(3 more functions to compile, 2 recompiles after it)" in finding.message


@pytest.mark.parametrize(
    ("first_part", "by_code"),
    [
        # The argument is of another kind: what comes out of the break is, too.
        ("tensor 'x' dtype mismatch. expected Float, actual Double",
         {"CA708": ("0/1", "3/1"), "CA807": ("0/0",)}),
        # The first part was compiled for something else: the break made what is new.
        ("scale == 2.0", {"CA702": ("0/1",), "CA807": ("0/0", "3/1")}),
    ],
)  # fmt: skip
def test_what_an_argument_passes_on_is_not_the_breaks(
    first_part: str, by_code: dict[str, tuple[str, ...]]
) -> None:
    after = "3/0: tensor '___stack0' dtype mismatch. expected Float, actual Double"
    net = replace(CALL, line=14)
    again = Compile(
        "0/1", 0, None, 1, None, recompile_reason=f"0/0: {first_part}", seconds=1.0, code=net,
        location=net,
    )  # fmt: skip
    found = findings(
        broken("Dynamic shape operator", "GB0036", (MAIN, INNER), compile_id="0/0"),
        compiles=in_a_module(again, rest("3/1", CALL, after)),
    )
    assert {one.code: one.compile_ids for one in found} == by_code


OF_TORCH = (MAIN, Frame(TRANSFORMER, 535, "forward", "is_causal = …"))


def test_torch_is_told_what_it_would_read_in_the_mask() -> None:
    read = Frame(TRANSFORMER, 1245, "_detect_is_causal_mask", "make_causal = bool((a == b).all())")
    line = Frame("/home/me/model.py", 142, "forward", "output = self.encoder(x, mask=self.mask)")
    found = broken("Unsupported Tensor.item() call", "GB0124", (*OF_TORCH, read), **SCALARS)
    whole = Compile("0/0", 0, None, 1, None, seconds=1.0, location=line, code=line)

    finding = the_one(findings(found, compiles=(whole, rest("1/0", line))))

    assert (finding.code, finding.severity, finding.location) == ("CA802", "warning", line)
    assert "is_causal=True" in finding.fix
    assert "capture_scalar_outputs" not in finding.fix


def apart(number: int, reason: str | None = None, **more: Any) -> Compile:
    """A layer that Python calls since the break, and its recompiles."""
    code = Frame("/home/me/layers.py", 5, "layer", "")
    return Compile(
        f"2/{number}", 0, None, 1, None, recompile_reason=reason, seconds=0.25, location=code,
        code=code, stack=(MAIN, LINE, code), **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "of_the_call", "is_the_breaks"),
    [
        ("tensor 'x' stride mismatch at index 1. expected 64, actual 1", None, True),
        ("tensor 'x' requires_grad mismatch. expected requires_grad=0", None, True),
        # What the program itself calls is recompiled for such a thing: it is handed on.
        ("tensor 'x' dtype mismatch. expected Float, actual Double",
         "tensor 'batch' dtype mismatch. expected Float, actual Double", False),
        ("self.scale == 2.0", None, False),
    ],
)  # fmt: skip
def test_what_a_layer_below_a_break_is_given(
    reason: str, of_the_call: str | None, is_the_breaks: bool
) -> None:
    step = Frame("/home/me/train.py", 10, "step", "")
    whole = Compile("0/0", 0, None, 1, None, seconds=1.0, location=step, code=step)
    again = replace(whole, compile_id="0/1", recompile_reason=of_the_call)
    more = (again,) if of_the_call else ()

    found = findings(
        broken(), compiles=(whole, rest("1/0"), apart(0), apart(1, f"2/0: {reason}"), *more)
    )

    owner = next(one for one in found if "2/1" in one.compile_ids)
    assert (owner.code == "CA801") == is_the_breaks
    if is_the_breaks:
        assert "1 recompile after it" in owner.message


@pytest.mark.parametrize(("times", "is_the_breaks"), [((2.0, 3.0), True), ((2.0, 12.0), False)])
def test_constants_of_the_calls_below_a_break_are_not_values_that_change(
    times: tuple[float, float], is_the_breaks: bool
) -> None:
    # GIVEN a hook that three layers have, each with another name, in the first of several steps
    step = Frame("/home/me/train.py", 10, "step", "")
    whole = Compile("0/0", 0, None, 1, None, seconds=1.0, location=step, code=step, time=0.5)
    named = [
        apart(number, f"2/{number - 1}: name == '{number - 1}'", time=time)
        for number, time in enumerate(times, 1)
    ]

    found = findings(
        broken(),
        compiles=(whole, rest("1/0"), apart(0, time=1.0), *named),
        step_starts=(10.0, 20.0, 30.0),
    )

    # THEN they are the break's; in two steps they are a value that changes
    owner = next(one for one in found if "2/1" in one.compile_ids)
    assert (owner.code == "CA801") == is_the_breaks
    assert (owner.code == "CA703") != is_the_breaks
