"""The rules about hazards, on models made by hand."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.causes.located.trail import Trail
from ca_reports.causes.rules.ca614_compiled_object import CompiledObject
from ca_reports.program.names import Names
from ca_reports.program.syntax import Module, Program
from ca_reports.run.model import Capture, Compile, Frame
from tests.unit.reports.causes.rules.backward_breaks import (
    CALL,
    FIRST,
    end,
    findings,
    hazard,
    the_one,
)

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding


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
    assert finding.fix == "call `backward()` outside `torch.autocast`"


PART = Frame("/home/me/model.py", 12, "forward", "p = self.router(h.float())")
BF16 = {"cpu": "bfloat16"}


def test_a_part_of_the_forward_in_another_precision_is_the_line() -> None:
    found = hazard(
        "autocast", capture=0, then=BF16, now={}, option="same_as_forward", lines=(PART,)
    )
    finding = the_one(findings(hazards=(found,)))

    assert (finding.code, finding.severity) == ("CA602", "error")
    assert (finding.location, finding.noticed_at) == (PART, CALL)
    assert "its backward casts that part, and eager's does not" in finding.message
    assert finding.fix.startswith('set `torch._functorch.config.backward_pass_autocast = "off"`')


def test_what_a_checkpoint_recomputes_under_autocast() -> None:
    found = hazard(
        "autocast", capture=0, then=BF16, now=BF16, option="same_as_forward", lines=(PART,)
    )
    finding = the_one(findings(hazards=(found,)))

    assert finding.message.startswith("the backward runs under autocast cpu bfloat16, and casts")
    assert finding.fix.startswith("call `backward()` outside `torch.autocast`, and set")


def test_a_backward_under_another_autocast_goes_outside_and_is_traced_so() -> None:
    found = hazard("autocast", capture=0, then={"cpu": "bfloat16"}, now={"cuda": "bfloat16"})
    finding = the_one(findings(hazards=(found,)))

    assert finding.message.endswith("for a backward under autocast cpu bfloat16")
    assert finding.fix == (
        "call `backward()` outside `torch.autocast`, and set "
        '`torch._functorch.config.backward_pass_autocast = "off"` before the forward is compiled'
    )


def test_a_backward_outside_of_the_autocast_that_the_option_names() -> None:
    option = [{"device_type": "cpu"}]
    found = hazard("autocast", capture=0, then=BF16, now={}, option=option)
    fix = the_one(findings(hazards=(found,))).fix

    assert fix.startswith('set `torch._functorch.config.backward_pass_autocast = "off"`')
    assert fix.endswith("or call `backward()` under that autocast")


@pytest.mark.parametrize(("captures", "severity"), [((), "warning"), ((FIRST,), "info")])
def test_backwards_that_were_not_captured(captures: tuple[Capture, ...], severity: str) -> None:
    finding = the_one(findings(captures=captures, hazards=(hazard("not_captured"),)))

    assert (finding.code, finding.severity, finding.count) == ("CA604", severity, 6)


FAILED = Compile(
    "0/0", 0, None, 1, None, location=CALL, stack=(CALL,), failed="raised",
    code=Frame("/home/me/train.py", 4, "step", ""),
)  # fmt: skip
MARKED = (
    "Constraints violated (L['x'].size()[0])! For more information\n  - You marked "
    "L['x'].size()[0] as dynamic but your code specialized it to be a constant (18). If you're"
)


def raised(kind: str, text: str, **more: Any) -> Finding:
    failed = replace(FAILED, fail_type=kind, fail_reason=text, **more)
    return the_one(findings(captures=(), compiles=(failed,), end=end(f"{kind}: {text}", CALL)))


def test_a_size_that_was_marked_dynamic() -> None:
    found = raised("ConstraintViolationError", MARKED)
    assert (found.code, found.severity) == ("CA611", "error")
    assert found.message.startswith("dimension 0 of `x` was marked dynamic, and the compiled")
    assert found.failure is not None
    assert found.failure.outcome == "ended"
    assert found.fix == (
        "use dimension 0 of `x` in what is compiled without fixing it, or mark it with "
        "`maybe_mark_dynamic`"
    )

    quoted = '\n\nUser stack:\n  File "/home/me/net.py", line 17, in forward\n    x + self.bias\n'
    named = raised("ConstraintViolationError", MARKED + quoted)
    assert named.fix == (
        "make net.py:17, which fixes dimension 0 of `x`, work for any, or mark it with "
        "`maybe_mark_dynamic`"
    )

    combined = raised("ConstraintViolationError", MARKED + quoted.replace("self.bias", "bias"))
    assert combined.fix.startswith("net.py:17 combines `x` with `bias`, whose size is a number")
    assert "mark the dimension of `bias`" in combined.fix

    captured = raised("ConstraintViolationError", MARKED, compile_id="!0/1/0", capture=0)
    assert captured.code == "CA611"
    assert "(18) was marked dynamic for the forward" in captured.message
    assert "dynamic=True" in captured.fix


def test_a_limit_that_is_an_error_counts_what_was_compiled() -> None:
    before = [replace(FAILED, compile_id=f"0/{number}", failed=None) for number in range(8)]
    text = "Hard failure due to fullgraph=True"
    failed = replace(
        FAILED, compile_id="0/8", fail_type="FailOnRecompileLimitHit", fail_reason=text
    )
    ended = end(f"FailOnRecompileLimitHit: {text}", CALL)
    found = findings(captures=(), compiles=(*before, failed), end=ended)

    assert [one.code for one in found] == ["CA612"]
    assert "`step` reached its recompile limit after 8 compiles" in found[0].message


def test_ddp_with_small_buckets() -> None:
    text = "AssertionError: First bucket should be smaller/equal to other buckets to get comms"
    ended = replace(end(text, CALL), error_origin="compile")
    assert the_one(findings(captures=(), end=ended)).code == "CA613"


def test_a_compiled_function_where_a_method_is_expected() -> None:
    text = "AttributeError: 'function' object has no attribute '__func__'"
    ended = replace(end(text, CALL), error="AttributeError")
    found = the_one(findings(captures=(), end=ended))
    assert (found.code, found.confidence) == ("CA614", "medium")
    other = replace(ended, error_text=text.replace("__func__", "name"))
    assert findings(captures=(), end=other) == ()


@pytest.mark.parametrize(
    ("missing", "unexpected", "expected"),
    [
        ('"inner.weight". ', '"_orig_mod.inner.weight". ', "high"),
        ('"_orig_mod.inner.weight". ', '"inner.weight". ', "high"),
        ('"block.0.weight". ', '"block._orig_mod.0.weight". ', "high"),
        ('"_orig_mod.inner.weight", "_orig_mod.inner.bi', None, "medium"),
        # Both are of compiled modules, which differ in what they hold.
        ('"_orig_mod.inner.weight". ', '"_orig_mod.outer.weight". ', None),
        ('"_orig_mod.inner.weight". ', None, None),
        ('"inner.weight", "inner.bi', None, None),
    ],
)
def test_a_state_dict_of_a_compiled_module(
    missing: str, unexpected: str | None, expected: str | None
) -> None:
    text = "RuntimeError: Error(s) in loading state_dict for Net:"
    text += f"\n\tMissing key(s) in state_dict: {missing}"
    if unexpected is not None:
        text += f"\n\tUnexpected key(s) in state_dict: {unexpected}"
    found = findings(captures=(), end=replace(end(text, CALL), error="RuntimeError"))
    assert [one.confidence for one in found if one.code == "CA614"] == [expected] * bool(expected)
    assert all("`model.compile()`" in one.fix for one in found if one.code == "CA614")


def test_a_tensor_that_the_backward_reads_after_its_change() -> None:
    line = Frame("/home/me/norm.py", 9, "forward", "self.calls += 1")
    read = [
        replace(FAILED, compile_id=f"0/{number}", failed=None, read_after_change=(line,))
        for number in range(2)
    ]
    found = the_one(findings(captures=(), compiles=(read[0],)))
    assert (found.code, found.location, found.severity) == ("CA615", line, "error")
    assert "the compiled backward of `main` reads after that" in found.message
    twice = findings(captures=(), compiles=tuple(read))
    assert [(one.code, one.count) for one in twice if one.code == "CA615"] == [("CA615", 2)]

    unnamed = the_one(
        findings(captures=(), compiles=(replace(read[0], read_after_change=(None,)),))
    )
    assert (unnamed.code, unnamed.location) == ("CA615", CALL)
    assert unnamed.message.startswith("`main` changes a tensor in place")


def test_an_exception_whose_words_are_known_says_what_to_do() -> None:
    found = raised(
        "BackendCompilerFailed",
        "backend='compile_fn' raised:\nAttributeError: 'float' object has no attribute 'meta'",
    )
    assert found.code == "CA610"
    assert found.message.startswith("torch splits the graph at DDP's buckets")
    assert "optimize_ddp = False" in found.fix


@pytest.mark.parametrize(("origin", "is_found"), [("graph", True), ("program", False)])
def test_losses_of_one_compiled_function_have_one_backward(origin: Any, *, is_found: bool) -> None:
    text = "RuntimeError: Trying to backward through the graph a second time (or directly access …"
    ended = replace(end(text, CALL), error="RuntimeError", error_origin=origin)
    found = findings(captures=(), end=ended)
    assert [(one.code, one.location) for one in found] == [("CA610", CALL)] * is_found
    assert all("`backward(retain_graph=True)`" in one.fix for one in found)


def test_an_exception_that_no_other_rule_knows() -> None:
    found = raised("LoweringException", "no kernel")
    assert (found.code, found.compile_ids, found.other_rules) == ("CA610", ("0/0",), ())
    assert found.message == "compiling `step` raised LoweringException: no kernel"


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


def test_the_line_of_a_method_that_is_replaced_by_a_compiled_function() -> None:
    source = (
        "import torch\n"
        "model = torch.compile(model)\n"
        "optimizer.step = torch.compile(optimizer.step)\n"
        "step = torch.compile(optimizer.step)\n"
    )
    text = "AttributeError: 'function' object has no attribute '__func__'"
    ended = replace(end(text, CALL), error="AttributeError")
    found = the_one(findings(captures=(), end=ended))
    program = Program.of({"train.py": Module("train.py", source, ast.parse(source))})
    search = CompiledObject.search(found)
    assert search is not None
    assert [site.line for site in search(Trail(found, Names(program, ()), {}))] == [3]
