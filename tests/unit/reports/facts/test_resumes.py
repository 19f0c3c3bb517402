"""Functions that graph breaks leave to be compiled, or to Python."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ca_reports.run.model import Compile, Frame
from tests.unit.reports.causes.rules.broken import (
    LIBRARY,
    LINE,
    MAIN,
    PACKAGES,
    broken,
    findings,
    rest,
    the_one,
)
from tests.unit.reports.causes.rules.recompiled import CODE, compiled, explained


def test_a_tensor_that_the_rest_of_a_function_is_given_is_not_told_beside_the_argument() -> None:
    # GIVEN a function that a graph break splits, called with another dtype
    mismatch = "tensor '{}' dtype mismatch. expected Float, actual Double"
    rest = Frame("/work/train.py", 6, "f", "print(y)")

    def of_rest(number: int, *reasons: str) -> Compile:
        own = compiled(number, *(reason.format("___stack0") for reason in reasons))
        reason = own.recompile_reason and own.recompile_reason.replace("0/", "1/")
        return replace(
            own, compile_id=f"1/{number}", recompile_reason=reason, resumes=rest, code=CODE
        )

    found = explained(
        compiled(0, code=CODE), of_rest(0),
        compiled(1, mismatch.format("x"), code=CODE), of_rest(1, mismatch),
    ).diagnosis.findings  # fmt: skip

    # THEN it is one cause, with both recompiles
    (one,) = found
    assert (one.code, one.key, one.compile_ids) == ("CA708", "x", ("0/1", "1/1"))


def test_what_was_left_of_the_function_is_what_a_break_costs() -> None:
    again = rest("1/1", reason="___stack0 == 1.0")
    other = rest("7/0", Frame("/home/me/train.py", 99, "other", ""))

    first, *_ = findings(broken(), compiles=(rest("1/0"), again, rest("2/0", MAIN), other))

    assert first.seconds == 1.5  # 1/0, its recompile, and 2/0, which called it
    assert "`step` (2 more functions to compile, 1 recompile after it)" in first.message
    assert first.chain is not None
    assert "(1/0)" in first.chain
    assert "(1/1)" in first.chain


def test_the_functions_that_are_called_from_python_since_are_the_breaks() -> None:
    # GIVEN a break deep in a library: the functions above it are compiled one by one
    forward = Frame(f"{PACKAGES}/transformers/gpt2.py", 700, "forward", "loss_function()")
    inner = Frame(f"{PACKAGES}/transformers/utils.py", 20, "loss_function", "logger.warning_once()")
    finding = the_one(
        findings(
            broken(
                "logging.Logger method not supported for non-export cases",
                "GB0291",
                (MAIN, LIBRARY, forward, inner),
            ),
            compiles=(
                Compile("0/0", 0, None, 1, None, seconds=1.0, code=replace(LIBRARY, line=930)),
                Compile("1/0", 0, None, 1, None, seconds=2.0, code=replace(forward, line=640)),
                Compile("2/0", 0, None, 1, None, seconds=0.5, code=replace(inner, line=18)),
                Compile("3/0", 0, None, 1, None, seconds=8.0, code=replace(LINE, line=10)),
            ),
        )
    )

    # THEN these, and no others, are what it costs
    assert "(2 more functions to compile)" in finding.message
    assert finding.seconds == pytest.approx(2.5)


def test_what_a_function_that_is_left_to_python_calls_is_the_breaks() -> None:
    # GIVEN a break in a loop: the blocks that the function calls are compiled one by one
    block = Frame("/home/me/block.py", 3, "forward", "def forward(self, x):")
    head = Frame("/home/me/head.py", 3, "forward", "def forward(self, x):")
    other = Frame("/home/me/other.py", 3, "score", "def score(x):")
    code = replace(LINE, line=10)
    finding = the_one(
        findings(
            broken(given_up=True, in_loop=True),
            compiles=(
                Compile("0/0", 0, None, 1, None, seconds=1.0, code=code, stack=(MAIN, code)),
                Compile(
                    "1/0", 0, None, 1, None, seconds=4.0, code=block, stack=(MAIN, LINE, block)
                ),
                Compile("2/0", 0, None, 1, None, seconds=2.0, code=head, stack=(MAIN, LINE, head)),
                Compile("3/0", 0, None, 1, None, seconds=8.0, code=other, stack=(MAIN, other)),
            ),
        )
    )

    # THEN all of them but one, as the function itself would be compiled without it
    assert "uncompiled: it is in a loop (1 more function to compile)" in finding.message
    assert finding.seconds == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("reason", "is_the_breaks"),
    [
        ("tensor 'x' requires_grad mismatch. expected requires_grad=0", True),
        ("tensor 'x' size mismatch at index 0. expected 8, actual 3", False),
    ],
)
def test_the_one_function_that_is_left_to_compile_is_recompiled_for_gradients_by_the_break(
    reason: str, is_the_breaks: bool
) -> None:
    # GIVEN a break in a loop over layers, of which the first gets data that asks for no gradient
    code, block = replace(LINE, line=10), Frame("/home/me/block.py", 3, "forward", "")
    whole = Compile("0/0", 0, None, 1, None, seconds=1.0, code=code, stack=(MAIN, code))
    layer = replace(whole, compile_id="1/0", code=block, location=block, stack=(MAIN, LINE, block))
    again = replace(layer, compile_id="1/1", recompile_reason=f"1/0: {reason}")
    found = findings(broken(given_up=True, in_loop=True), compiles=(whole, layer, again))

    # THEN the recompile is the break's, and a batch of another size is not
    owner = next(one for one in found if "1/1" in one.compile_ids)
    assert (owner.code == "CA801") == is_the_breaks
