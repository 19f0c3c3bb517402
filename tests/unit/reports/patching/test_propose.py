"""Which code is fixed where."""

from __future__ import annotations

import ast
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast, get_args

import pytest

from ca_engine.guards import Guard
from ca_reports.causes.findings import GuardedValue, OtherNodes, Subject
from ca_reports.causes.remedies import Edit, remedy
from ca_reports.causes.rules import all_rules
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded_things import GuardedThing
from ca_reports.patching import loops
from ca_reports.patching.patches import Patch, Proposal, RefusedError, Replacement, applied
from ca_reports.patching.propose import MAKERS, choose, propose, propose_for
from ca_reports.run.model import Compile, Failure, Frame
from tests.unit.reports.patching.programs import finding_of, in_step, line_of, program_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import Finding
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.patching.program import EditableProgram
    from ca_reports.patching.propose import Maker


def test_a_branch_without_parameters_is_not_at_the_line_of_one_that_has_some(
    tmp_path: Path,
) -> None:
    source = in_step("if step % 2:", "    loss = loss + head(x)")
    program = program_of(tmp_path, {"train.py": source})
    at = ("train.py", line_of(source, "if step"))
    plain = finding_of("CA202", tmp_path, at, detail=OtherNodes("operations"))
    with_parameters = finding_of("CA202", tmp_path, at, detail=OtherNodes("modules"))

    def of(*findings: Finding) -> list[bool]:
        diagnosis = SimpleNamespace(findings=findings)
        analysis = cast("Analysis", SimpleNamespace(diagnosis=diagnosis))
        return [bool(one.patches) for one in propose(analysis, program)]

    assert of(plain, with_parameters) == [False, True]
    assert of(plain) == [True]


@pytest.mark.parametrize(("line", "is_offered"), [("if step % 3:", True), ("y = x", False)])
def test_a_fix_that_saves_nothing_alone_is_none_without_the_other(
    tmp_path: Path, line: str, *, is_offered: bool
) -> None:
    """Where what takes its compiles has no patch, they are compiled for that all the same."""
    branches = ("if step % 2:", "    loss = loss + head(x)", "if step % 3:", "    loss = loss + x")
    source = in_step("y = x", *branches)
    program = program_of(tmp_path, {"train.py": source})
    detail = OtherNodes("modules")
    of_other, own = (("train.py", line_of(source, text)) for text in (line, "if step % 2:"))
    taking = finding_of("CA202", tmp_path, of_other, detail=detail)
    alone = finding_of("CA202", tmp_path, own, detail=detail)
    alone = replace(alone, saves=0.0, saves_of=(taking.rule,))
    diagnosis = SimpleNamespace(findings=(alone, taking))
    first, other = propose(cast("Analysis", SimpleNamespace(diagnosis=diagnosis)), program)
    assert bool(other.patches) == is_offered
    assert bool(first.patches) == is_offered
    assert is_offered or first.refusal.startswith("alone it saves nothing")
    assert first.beside is (taking if is_offered else None)


TWO_CAUSES = """\
import torch


@torch.compile
def forward(x, weight):
    return x * weight


for step in range(9):
    forward(batches[step], step / 10)
"""


@pytest.mark.parametrize(
    ("value", "codes", "refusals"),
    [
        ("0.1", (), ["", ""]),
        ("0.1", ("CA102",), ["it needs the patch for CA702: with --code CA702 as well"]),
        ("0.1", ("CA702",), [""]),
        # Dynamo takes a text as it is, however dynamic sizes are.
        ("'a'", ("CA102",), [""]),
    ],
)
def test_dynamic_sizes_are_not_offered_without_the_patch_of_a_number_that_changes(
    tmp_path: Path, value: str, codes: tuple[str, ...], refusals: list[str]
) -> None:
    script, at = str(tmp_path / "train.py"), ("train.py", line_of(TWO_CAUSES, "    forward("))
    line = Frame(script, line_of(TWO_CAUSES, "def forward"), "forward", "")
    call = Frame(script, at[1], "<module>", "")
    events = (Compile("0/1", 0, None, None, None, location=line, stack=(call, line)),)
    guard = Guard("weight == 0.0", "value", "0/0", expected="0.0", source="weight")
    thing = GuardedThing((RecompileFacts(events[0], (guard,), None, line),))
    program = program_of(tmp_path, {"train.py": TWO_CAUSES}, events, thing)
    number = GuardedValue("weight", "weight", "variable", ("0.0", value), is_text=value != "0.1")
    sizes = finding_of("CA102", tmp_path, at, subject=Subject("x", (0,)), events=events)
    changing = finding_of("CA702", tmp_path, at, detail=number, key="weight", events=events)
    diagnosis = SimpleNamespace(findings=(sizes, changing))

    found = propose(cast("Analysis", SimpleNamespace(diagnosis=diagnosis)), program, codes)

    assert [one.refusal for one in found] == refusals
    chosen = choose(found, program)
    beside = [one.beside for one in chosen.offered if one.finding is sizes]
    assert beside == ([changing] if not codes else [None] * (value != "0.1"))
    # What cannot be offered takes the one with it that needs it.
    if not codes:
        alone = choose([found[0], Proposal(changing, refusal="none")], program)
        assert [one.refusal for one in alone.refused] == [
            "it needs the patch for CA702: that one cannot be offered with it", "none",
        ]  # fmt: skip


def test_a_number_of_two_compiled_functions_is_a_tensor_for_both(tmp_path: Path) -> None:
    source = (
        "import torch\n\n\n@torch.compile\ndef critic(x, alpha):\n    return x * alpha\n\n\n"
        "@torch.compile\ndef actor(x, alpha):\n    return x + alpha\n\n\n"
        "for alpha in rates:\n    critic(x, alpha)\n    actor(x, alpha)\n"
    )
    guard = Guard("alpha == 1.0", "value", "0/0", expected="1.0", source="alpha")
    compiles, things = [], []
    for number, (name, words) in enumerate((("critic", "    critic("), ("actor", "    actor("))):
        inner = Frame(str(tmp_path / "train.py"), line_of(source, f"def {name}"), name, "")
        call = Frame(str(tmp_path / "train.py"), line_of(source, words), "<module>", "")
        compiles += [
            Compile(f"{number}/{at}", 0, None, None, None, location=inner, stack=(call, inner))
            for at in range(2)
        ]
        things.append(GuardedThing((RecompileFacts(compiles[-1], (guard,), None, inner),)))
    program = program_of(tmp_path, {"train.py": source}, tuple(compiles), *things)
    events = (compiles[1], compiles[3])
    finding = finding_of("CA702", tmp_path, key="alpha", subject=Subject("alpha"), events=events)

    (patch,) = propose_for(finding, program).patches

    changed = applied({"train.py": source}, [patch])["train.py"]
    assert "    critic(x, torch.tensor(alpha))\n    actor(x, torch.tensor(alpha))\n" in changed


def test_what_has_no_patch_keeps_the_advice(tmp_path: Path) -> None:
    program = program_of(tmp_path, {"train.py": "pass\n"})
    proposal = propose_for(finding_of("CA601", tmp_path, fix="Switch it once."), program)
    assert proposal.refusal == "it is changed by hand"


def test_a_remedy_that_fails_costs_no_other_finding_its_patch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(finding: Finding, program: EditableProgram) -> list[Patch]:
        raise KeyError("x")

    monkeypatch.setitem(MAKERS, "full_batches", broken)
    program = program_of(tmp_path, {"train.py": "pass\n"})
    proposal = propose_for(finding_of("CA101", tmp_path), program)
    assert proposal.refusal == "the search for one failed, please report it: KeyError: 'x'"
    assert not proposal.patches


def _around_the_call(before: str, after: str) -> Maker:
    """A remedy that puts something around the call that the finding is at."""

    def remedy(finding: Finding, program: EditableProgram) -> list[Patch]:
        file, calls = loops.nodes_at(finding.location, program, ast.Call)
        if file is None or not calls:
            raise RefusedError("there is no call")
        start, end = file.span(calls[0])
        text = f"{before}{file.text[start:end]}{after}"
        return [Patch(before, (Replacement(file.name, start, end, text),))]

    return remedy


def test_a_patch_that_would_be_no_python_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = program_of(tmp_path, {"train.py": "y = f(x)\n"})
    finding = finding_of("CA206", tmp_path, ("train.py", 1))
    monkeypatch.setitem(MAKERS, "tensor_operand", _around_the_call("g(", ""))
    assert propose_for(finding, program).refusal == "train.py cannot be changed: g("


def test_a_patch_that_changes_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MAKERS, "tensor_operand", lambda *_: [Patch("what", ())])
    program = program_of(tmp_path, {"train.py": "y = f(x)\n"})
    refused = propose_for(finding_of("CA206", tmp_path, ("train.py", 1)), program).refusal
    assert refused == "the source has it already: what"


def test_of_two_patches_for_one_line_the_second_is_made_of_what_the_first_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GIVEN a patch that adds a line, and others for that line and the next
    monkeypatch.setitem(MAKERS, "tensor_operand", _around_the_call("(\n", ")"))
    monkeypatch.setitem(MAKERS, "clone", _around_the_call("g(", ")"))
    source = "x=1\ny = f(x)\nz = f(y)\n"  # in no formatter's layout
    program = program_of(tmp_path, {"train.py": source})
    findings = [
        finding_of(code, tmp_path, ("train.py", line))
        for code, line in (("CA206", 2), ("CA714", 2), ("CA714", 3))
    ]

    chosen = choose([propose_for(one, program) for one in findings], program)

    assert not chosen.refused
    patches = [one.patch for one in chosen.offered]
    assert applied({"train.py": source}, patches) == {
        "train.py": "x=1\ny = (\ng(f(x)))\nz = g(f(y))\n"
    }
    assert patches[1].upon is patches[0]
    assert chosen.diff(chosen.offered[1]).splitlines()[-4:] == [
        " y = (", "-f(x))", "+g(f(x)))", " z = f(y)",
    ]  # fmt: skip


def test_a_patch_for_lines_that_another_leaves_nothing_of_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        MAKERS, "tensor_operand", lambda *_: [Patch("", (Replacement("a.py", 4, 8, "2"),))]
    )
    monkeypatch.setitem(MAKERS, "clone", _around_the_call("g(", ")"))
    program = program_of(tmp_path, {"a.py": "y = f(x)\n"})
    findings = [finding_of(code, tmp_path, ("a.py", 1)) for code in ("CA206", "CA714")]
    chosen = choose([propose_for(one, program) for one in findings], program)
    assert [one.finding for one in chosen.offered] == findings[:1]
    (left,) = chosen.refused
    assert left.refusal == "two patches change the same lines of a.py: apply one at a time"


def test_nothing_is_made_of_a_line_that_the_patch_of_a_crash_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MAKERS, "tensor_operand", _around_the_call("g(", ")"))
    monkeypatch.setitem(MAKERS, "clone", _around_the_call("(", ")"))
    program = program_of(tmp_path, {"a.py": "y = f(x)\n"})
    stopped = Failure("compile", "RuntimeError", "0/0 failed", "log", ended=True)
    crash = finding_of("CA206", tmp_path, ("a.py", 1), events=(stopped,))
    other = finding_of("CA714", tmp_path, ("a.py", 1))

    chosen = choose([propose_for(one, program) for one in (crash, other)], program)

    # THEN the run is to be recorded with the first: without the crash, it may be another one
    assert [one.finding for one in chosen.offered] == [crash]
    (left,) = chosen.refused
    assert left.refusal == "the patch of what stops the run changes the same lines"


def test_every_edit_is_one_that_a_rule_asks_for() -> None:
    asked = {edit for rule in all_rules() for edit in remedy("", rule.edits).edits}
    assert {*MAKERS} == {*get_args(Edit)}
    # Of some findings of CA209, CA112, CA101, CA102, CA603, CA701, CA703, CA704, CA706, CA707,
    # CA719, CA720 and CA804.
    assert {*MAKERS} - asked == {
        "any_size",
        "compile_round", "compile_wrapped", "drawn_in_graph", "dynamic_numbers",
        "eager_differentiated", "kept_rate",
        "limit_of_compile", "loss_in_float",
        "made_before", "made_in_call", "not_reentrant", "parameter_sizes", "picked_outside",
        "plain_tensor", "raised_limit", "reset_between", "whole_evaluation",
    }  # fmt: skip


def test_what_leaves_calls_uncompiled_is_proposed_only_to_be_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GIVEN two remedies of one finding, of which one compiles less
    program = program_of(tmp_path, {"train.py": "x = 1\n"})
    finding = finding_of("CA101", tmp_path, ("train.py", 1))
    change = (Replacement("train.py", 4, 5, "2"),)
    eager = Patch("the call runs uncompiled", change, runs_eager=True, edit="full_batches")
    other = Patch("the size is dynamic", change, edit="full_batches")

    def offered(*patches: Patch, is_measured: bool) -> Proposal:
        monkeypatch.setitem(MAKERS, "full_batches", lambda *_: list(patches))
        return propose_for(finding, program, is_measured=is_measured)

    assert offered(eager, other, is_measured=True).patches == (eager, other)
    assert offered(eager, other, is_measured=False).patches == (other,)
    alone = offered(eager, is_measured=False)
    assert not alone.patches
    assert alone.refusal == "the call runs uncompiled: --verify counts whether these are few"


def test_a_patch_to_be_measured_is_told_also_where_it_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eager = Patch("rare calls run uncompiled", (), runs_eager=True)
    monkeypatch.setitem(MAKERS, "eager_rare_calls", lambda *_: [eager])
    program = program_of(tmp_path, {"train.py": "x = 1\n"})
    finding = finding_of("CA710", tmp_path, ("train.py", 1))
    proposal = propose_for(finding, program, is_measured=False)
    assert not proposal.patches
    told = "rare calls run uncompiled: --verify counts whether these are few"
    assert proposal.refusal == told


@pytest.mark.parametrize(
    ("asks", "said"),
    [
        ("count = sum(p.grad is not None for p in net.parameters())", True),
        ("none = [p for p in net.parameters() if None is p.grad]", True),
        ("count = sum(p.data is not None for p in net.parameters())", False),
    ],
)
def test_a_line_that_asks_which_gradients_are_none_is_named(
    tmp_path: Path, asks: str, said: bool
) -> None:
    source = (
        "import torch\n\nfor step in range(9):\n    loss = net(x)\n    if step % 3 == 0:\n"
        f"        loss = loss + side(x)\n    loss.backward()\n    {asks}\n"
    )
    program = program_of(tmp_path, {"train.py": source})
    finding = finding_of("CA202", tmp_path, ("train.py", line_of(source, "if step")))
    (patch,) = propose_for(finding, program).patches
    assert ("train.py:8 asks which gradients are None" in patch.intention) is said
