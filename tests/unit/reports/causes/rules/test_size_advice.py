"""What to do about a size that changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_engine import schema
from ca_reports.causes.rules.size_advice import all_dynamic, lowered_sizes
from ca_reports.diagnosis.analysis import analyze
from ca_reports.facts import torch_costs
from ca_reports.facts.process import ProcessFacts
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import GraphSizes, Process, Run
from ca_reports.words.numbers import duration
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.causes.rules.recompiled import (
    CODE,
    NO_GRAD,
    compiled,
    explained,
    graph,
    tensor,
)
from tests.unit.reports.facts.sizes import made
from tests.unit.reports.lowerings import SIZED

if TYPE_CHECKING:
    from pathlib import Path


def test_sizes_of_an_evaluation_count_for_the_length_to_pad_to() -> None:
    text = "tensor 'ids' size mismatch at index 1. expected {}, actual {}"
    (found, *_) = explained(
        compiled(0, **graph(ids=(4, 24))),
        compiled(1, text.format(24, 20), arguments={"ids": tensor(4, 20)}, **graph(ids=(4, 20))),
        compiled(2, text.format(20, 16), arguments={"ids": tensor(4, 16)}, **graph(ids=(4, 16))),
        compiled(3, NO_GRAD, NO_GRAD, arguments={"ids": tensor(8, 40)}, **graph(ids=(8, 40))),
    ).diagnosis.findings

    assert "24, 20, 16" in found.message
    assert "at least 40" in found.fix


def counted(graph: str, size: int | str, counts: dict[int, int], slower: float) -> GraphSizes:
    """The calls of a graph for one length, or for any, with what a step of each length takes."""
    steps = tuple(slower * (0.01 + 0.001 * one) for one in counts)
    symbols = (size,) if isinstance(size, str) else ()
    return GraphSizes(
        graph, {"ids": (8, size)}, symbols, tuple((one,) if symbols else () for one in counts),
        tuple(counts.values()), steps, steps,
    )  # fmt: skip


@pytest.mark.parametrize(("slower", "pads"), [(2.0, True), (1.0, False)])
def test_counted_sizes_say_whether_to_pad_or_to_make_them_dynamic(
    slower: float, *, pads: bool
) -> None:
    text = "tensor 'ids' size mismatch at index 1. expected {}, actual {}"
    lengths = {24: 50, 20: 30, 16: 20}
    sizes = [counted(f"0/{at}", size, {size: 40}, 1.0) for at, size in enumerate(lengths)]
    (found, *_) = explained(
        compiled(0),
        compiled(1, text.format(24, 20)),
        compiled(2, text.format(20, 16)),
        compiled(3, text.format(16, 22)),
        compiled(4, text.format(22, 18)),
        graph_sizes=(
            *sizes,
            counted("0/3", "s0", {22: 9, 18: 9}, slower),
            counted("0/4", "s0", {22: 9, 18: 9}, slower),
        ),
    ).diagnosis.findings
    choice = found.subject.choice
    assert choice is not None
    assert choice.pads is pads
    assert "3 buckets (" in found.fix or "5 buckets (" in found.fix
    assert "over 10,000 steps" in found.fix
    assert "won't help" not in found.fix
    assert bool(choice.sizes) is pads
    # Padding and slower steps are in what it saves, which ranks the finding.
    assert choice.saves is not None
    assert found.seconds is not None
    assert found.worth == pytest.approx(choice.saves, abs=found.seconds * 0.1)


def test_where_each_size_is_compiled_by_itself_the_plans_are_compared_too(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    sizes = (16, 32, 64)
    for number, size in enumerate(sizes):
        reason = None
        if number:
            reason = (
                f"0/{number - 1}: tensor 'ids' size mismatch at index 1. "
                f"expected {sizes[number - 1]}, actual {size}"
            )
        log.compiled(
            f"0/{number}", 2.0, stack=made.CODE, dynamo_config=made.STATIC, recompile_reason=reason
        )
        made.static(log, f"0/{number}", size, 5)
    log.ca_end(START + 9, 0, 0)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    (found,) = [one for one in analyze(run).diagnosis.findings if one.code == "CA102"]
    assert found.fix.startswith("drop dynamic=False")
    assert "2 buckets" in found.fix or "3 buckets" in found.fix
    assert "over 10,000 steps" in found.fix
    # Padding is told with the mask that makes it right.
    assert found.fix.endswith("; pad with a mask, or the results change")


def test_plans_are_those_of_the_function_that_is_compiled_again() -> None:
    # GIVEN two functions with an argument of one name, the other one counted first
    text = "tensor 'ids' size mismatch at index 1. expected {}, actual {}"
    lengths = {24: 50, 20: 30, 16: 20}
    other = [replace(compiled(at), compile_id=f"0/{at}") for at in range(2)]
    own = [
        replace(compiled(at, *reason), compile_id=f"1/{at}")
        for at, reason in enumerate(((), (text.format(24, 20),), (text.format(20, 16),)))
    ]
    (found, *_) = explained(
        *other,
        *own,
        graph_sizes=(
            *(counted(f"0/{at}", size, {size: 40}, 1.0) for at, size in enumerate((8, 9))),
            *(counted(f"1/{at}", size, {size: 40}, 1.0) for at, size in enumerate(lengths)),
        ),
    ).diagnosis.findings
    assert found.compile_ids == ("1/1", "1/2")
    assert found.subject.choice is not None


def test_a_size_that_several_functions_get_is_made_dynamic_in_all() -> None:
    # GIVEN a function whose result another one takes, both compiled again for one size: what is
    # marked for the first is not marked for the second
    text = "tensor 'x' size mismatch at index 2. expected 16, actual 20"
    again = [
        replace(one, compile_id=f"1/{number}", location=replace(CODE, line=90))
        for number, one in enumerate((compiled(0), compiled(1, text)))
    ]

    one = explained(compiled(0), compiled(1, text)).diagnosis.findings
    both = explained(compiled(0), again[0], compiled(1, text), again[1]).diagnosis.findings

    assert "mark_dynamic(x, 2)" in one[0].fix
    assert both[0].compile_ids == ("0/1", "1/1")
    assert "mark_dynamic" not in both[0].fix
    assert "dynamic=True" in both[0].fix


@pytest.mark.parametrize("gradients", [True, False])
def test_of_an_evaluation_no_sample_is_left_out(gradients: bool) -> None:
    text = "tensor 'x' size mismatch at index 0. expected 8, actual 6"
    held = RecordedGuards.from_record({"guards": [], "gradients": gradients})

    (found,) = explained(compiled(0), replace(compiled(1, text), held=held)).diagnosis.findings

    assert found.code == "CA101"
    assert found.message.endswith("a short last batch") == gradients
    assert found.fix.startswith("pass drop_last=True") == gradients
    assert ("drop_last=True would leave its 6 samples out" in found.fix) != gradients


def test_advice_on_sizes_says_what_lowered_ones_cost(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0, fx_nodes={"total": 1000})
    run = ca_reports.load([log.write(tmp_path / "plain.log")])
    assert lowered_sizes(run.captures) is None
    for sizes in ([4, 4], [6, 6]):
        log.own(schema.LOWERING_RECORD, capture=0, sizes=sizes, **SIZED)
    run = ca_reports.load([log.write(tmp_path / "lowered.log")])
    dynamic = torch_costs.DYNAMIC["aot_eager"].times(1000)
    assert lowered_sizes(run.captures) == (
        "lowered, each of 2 sizes cost 0.25 s, where a graph for all sizes would cost about "
        f"{duration(dynamic.seconds)}"
    )
    many = {**SIZED, "way": "no", "reason": "many_sizes", "detail": "more than 2"}
    log.own(schema.LOWERING_RECORD, capture=0, **many)
    run = ca_reports.load([log.write(tmp_path / "many.log")])
    assert lowered_sizes(run.captures) == (
        f"lowering stopped at {schema.MOST_LOWERED_SIZES['aot_eager']} sizes, and Dynamo compiled "
        "a graph for all others"
    )


@pytest.mark.parametrize("is_dynamic", [True, False])
def test_a_size_that_is_compiled_for_each_time_is_not_made_dynamic(is_dynamic: bool) -> None:
    text = "tensor 'ids' size mismatch at index 1. expected {}, actual {}"

    def again(number: int, before: int, size: int) -> Any:
        sizes = graph(ids=(4, None if is_dynamic else size))
        return compiled(number, text.format(before, size), **sizes)

    (found, *_) = explained(
        compiled(0, **graph(ids=(4, 24))), again(1, 24, 20), again(2, 20, 16)
    ).diagnosis.findings

    assert ("dynamic=True won't help" in found.fix) is not is_dynamic
    assert ("mark_dynamic" in found.fix) is is_dynamic


def test_a_forward_that_is_not_compiled_is_not_to_be_made_dynamic() -> None:
    forward = compiled(0)
    of_capture = replace(forward, capture=1)

    def said(process: Process) -> str:
        return all_dynamic(ProcessFacts(process, Run(("run",), (), (process,))))

    process = Process(0, "t.log", None, 1, 9, compiles=(of_capture,))
    assert said(process) == "compile the backward with dynamic=True"
    both = "compile both the forward and the backward with dynamic=True"
    assert said(replace(process, compiles=(forward, of_capture))) == both
    # A text without its compiles cannot tell.
    assert said(replace(process, holds=frozenset({"captures"}))) == both
