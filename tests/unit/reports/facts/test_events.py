"""One event with what it is compared with."""

from __future__ import annotations

from dataclasses import replace

from ca_engine import guards
from ca_reports.facts.events import AOT_BACKWARD, CaptureFacts, RecompileFacts, common_call
from ca_reports.facts.process import ProcessFacts
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Capture, Change, Compile, Frame
from tests.unit.reports.causes.rules.captured import CALL, captures, graph, leaf, node
from tests.unit.reports.made import captured, run_of

OF_TORCH = Frame("/v/site-packages/torch/nn/modules/linear.py", 134, "forward", "return F.linear()")


def facts(*made: Capture) -> tuple[CaptureFacts, ...]:
    run = run_of(*made)
    return ProcessFacts(run.processes[0], run).captures


def test_a_capture_is_compared_with_the_closest_one_and_not_with_the_one_before() -> None:
    plain, other, again = captures(
        graph(node("MulBackward0"), leaf("w")),
        graph(node("TanhBackward0"), leaf("w")),
        graph(node("MulBackward0"), node("MulBackward0"), leaf("w"), leaf("b")),
    )
    first, _, third = facts(plain, other, replace(again, closest_capture=0))
    assert third.closest is first
    assert third.previous is not None
    assert third.previous.capture.id == 1
    assert dict(third.added) == {"MulBackward0": 1, "torch::autograd::AccumulateGrad": 1}
    assert not third.removed
    assert third.parameters == {"w", "b"}
    assert (third.node(1) or {}).get("name") == "MulBackward0"
    assert first.closest is None
    assert not first.added


def test_modes_that_differ_from_the_closest_capture() -> None:
    first = captured(0, modes={"grad_mode": True, "autocast": False})
    second = captured(1, modes={"grad_mode": False, "anomaly": True}, closest_capture=0)
    assert facts(first, second)[1].mode_changes == {"grad_mode": (True, False)}


def test_another_region_of_aotautograd_is_told_by_the_node_or_the_change() -> None:
    of_region = Change(1, AOT_BACKWARD, "aot_id", 0, 1)
    of_value = Change(1, "PowBackward0", "exponent", 2, 3)
    one, other = facts(captured(0, changes=(of_region,)), captured(1, changes=(of_value,)))
    assert (one.aot_replaced, other.aot_replaced) == (True, False)
    assert (one.only_regions_and_sizes, other.only_regions_and_sizes) == (True, False)


def test_the_call_is_the_users_frames() -> None:
    (one,) = facts(captured(0, stack=(OF_TORCH, CALL)))
    assert one.call == (CALL,)
    assert one.call_place == ("train.py", 10)
    assert common_call([one]) == CALL
    (unknown,) = facts(captured(0, stack=()))
    assert unknown.call_place is None
    assert common_call([unknown]) is None


def recompile(text: str, held: RecordedGuards | None = None) -> RecompileFacts:
    compiled = Compile("0/1", 0, None, 1, None, recompile_reason=text, held=held, line=7)
    return RecompileFacts(compiled, guards.parse(text), None, CALL, file="t.log")


def test_what_a_guard_reads_is_that_of_the_compile_that_it_failed_for() -> None:
    record = {
        "guards": [
            {"failed": failed, "source": source, "held": {"type": "int", "value": value}}
            for failed, source, value in (("0/0", "m", 1), ("1/0", "n", 2), ("0/0", "n", 3))
        ]
    }
    found = recompile("0/0: n == 4", RecordedGuards.from_record(record))
    assert found.held is not None
    assert found.held.value == 3
    assert recompile("0/0: n == 4").held is None
    assert found.evidence.text == "0/1: n == 4"


def test_the_line_of_a_guard_is_the_users_innermost() -> None:
    inner = 'File "/v/site-packages/torch/nn/a.py", line 4, in g\n    return F.linear()'
    stack = f'User stack trace:\n  File "train.py", line 6, in f\n    x * s\n  {inner}'
    found = recompile(f"0/0: s == 0.5\n{stack}")
    assert found.line == Frame("train.py", 6, "f", "x * s")
    assert recompile("0/0: s == 0.5").line == CALL
