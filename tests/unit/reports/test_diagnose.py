"""From events to findings: who explains what, what it cost, and what is kept quiet."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

import ca_reports
from ca_reports import diagnose as diagnosing
from ca_reports.analysis import analyze
from ca_reports.model import (
    Backwards,
    Capture,
    CaptureSeconds,
    Change,
    Compile,
    Frame,
    RecordedSource,
)
from ca_reports.render import html
from ca_reports.render import json as json_output
from ca_reports.rules.base import Match, Rule
from tests.unit.logwriter import sample_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ca_reports.facts.process import ProcessFacts
    from ca_reports.findings import Finding
from tests.unit.reports.made import LINE, captured, compiled, run_of


class Made(Rule):
    """A rule that claims all recaptures."""

    code = "CA901"
    name = "made"
    specificity = 50
    found: ClassVar[dict[str, Any]] = {}

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        events = tuple(found.capture for found in facts.recaptures)
        if events:
            yield Match("made", "fix it", events=events, location=LINE, **self.found)


class Special(Made):
    """One that knows more about the first recapture."""

    code = "CA902"
    name = "special"
    specificity = 60

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        first = facts.recaptures[0]
        yield Match("special", "fix it", events=(first.capture,), location=first.line)


class Broken(Made):
    """One with a bug."""

    code = "CA903"
    name = "broken"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        raise KeyError("nothing")


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> list[type[Rule]]:
    """Return the list of rules that are run; tests fill it."""
    used: list[type[Rule]] = []
    monkeypatch.setattr(diagnosing, "all_rules", lambda: tuple(used))
    return used


def also(found: Finding) -> list[str]:
    return [rule.code for rule in found.other_rules]


def test_an_event_goes_to_the_more_specific_rule(rules: list[type[Rule]]) -> None:
    rules += [Made, Special]
    findings = analyze(run_of(captured(0), captured(1), captured(2))).diagnosis.findings
    assert {found.code: found.captures for found in findings} == {
        "CA901": ("!2",),
        "CA902": ("!1",),
    }
    assert {found.code: also(found) for found in findings} == {"CA901": [], "CA902": ["CA901"]}


def test_a_rule_that_loses_every_event_is_only_mentioned(rules: list[type[Rule]]) -> None:
    rules += [Made, Special]
    (found,) = analyze(run_of(captured(0), captured(1))).diagnosis.findings
    assert (found.code, also(found)) == ("CA902", ["CA901"])


def test_equal_findings_of_several_processes_are_one(rules: list[type[Rule]]) -> None:
    rules += [Made]
    run = run_of(captured(0), captured(1), captured(0, 1), captured(1, 1), captured(2, 1))
    (found,) = analyze(run).diagnosis.findings
    assert found.captures == ("!1", "!2")
    assert found.processes == (0, 1)
    assert found.count == 3
    assert found.seconds == pytest.approx(3 * (1.0 + 2.0))


def test_findings_are_ranked_by_what_they_cost(rules: list[type[Rule]]) -> None:
    rules += [Made, Special]
    cheap = captured(1, seconds=CaptureSeconds(0.1, 0.1))
    findings = analyze(run_of(captured(0), cheap, captured(2))).diagnosis.findings
    assert [found.code for found in findings] == ["CA901", "CA902"]


def test_a_rule_that_raises_leaves_the_others_alone(rules: list[type[Rule]]) -> None:
    rules += [Broken, Made]
    found = analyze(run_of(captured(0), captured(1))).diagnosis
    assert [finding.code for finding in found.findings] == ["CA901"]
    assert found.failed_rules == ("CA903: KeyError: 'nothing'",)


def test_findings_are_ignored_by_code_and_counted(rules: list[type[Rule]]) -> None:
    rules += [Made, Special]
    analysis = analyze(run_of(captured(0), captured(1), captured(2)), ignore=["ca902"])
    found = analysis.diagnosis
    assert [finding.code for finding in found.findings] == ["CA901"]
    assert found.silenced == {"CA902": 1}
    # What it cost is no less for being ignored.
    assert analysis.summary.seconds_lost == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("comment", "silenced"),
    [
        ("# ca: ignore[CA902]", True),
        ("# ca: ignore[CA101, ca902]  as agreed", True),
        ("# noqa: X  # ca:ignore", True),
        ("# ca: ignore[CA101]", False),
        ("# ca ignore", False),
    ],
)
def test_a_comment_on_the_line_silences(
    comment: str, silenced: bool, rules: list[type[Rule]]
) -> None:
    rules += [Special]
    line = Frame("/t/train.py", 7, "main", f"loss.backward()  {comment}")
    found = analyze(run_of(captured(0), captured(1, line=line))).diagnosis
    assert bool(found.findings) is not silenced


def test_the_comment_is_read_from_the_file_if_the_log_has_no_line(
    tmp_path: Path, rules: list[type[Rule]]
) -> None:
    rules += [Special]
    script = tmp_path / "train.py"
    script.write_text("x\nloss.backward()  # ca: ignore[CA902]\n")
    for code in ("", "loss.backward()"):
        line = Frame(str(script), 2, "main", code)
        run = run_of(captured(0), captured(1, line=line))
        assert not analyze(replace(run, source_roots=(str(tmp_path),))).diagnosis.findings
        assert analyze(run).diagnosis.findings  # a log that comes from elsewhere
    # A file that is another one by now says nothing about the run.
    other = Frame(str(script), 2, "main", "total.backward()")
    run = run_of(captured(0), captured(1, line=other))
    assert analyze(replace(run, source_roots=(str(tmp_path),))).diagnosis.findings


def test_a_comment_may_come_after_the_run(tmp_path: Path, rules: list[type[Rule]]) -> None:
    rules += [Special]
    script = tmp_path / "train.py"
    line = Frame(str(script), 2, "main", "loss.backward()")
    kept = {str(script): RecordedSource("0" * 32, "x\nloss.backward()\n")}
    run = replace(
        run_of(captured(0), captured(1, line=line)), source_roots=(str(tmp_path),), source=kept
    )
    assert analyze(run).diagnosis.findings
    script.write_text("x\nloss.backward()  # ca: ignore[CA902]\n")
    assert not analyze(run).diagnosis.findings


def test_what_no_rule_knows_is_told_by_its_difference() -> None:
    change = Change(3, "MseLossBackward0", "reduction", 1, 2)
    run = run_of(captured(0), captured(1, changes=(change,), closest_capture=0))
    (found,) = analyze(run).diagnosis.findings
    assert found.code == "CA000"
    assert "MseLossBackward0 reduction: 1 → 2" in found.message
    assert found.confidence == "low"
    assert found.location == LINE


def sized(id: int, before: int, after: int, **more: Any) -> Capture:
    change = Change(1, "AddmmBackward0", "mat1.shape", [before, 6], [after, 6])
    return captured(id, kind="changed_shapes", changes=(change,), closest_capture=0, **more)


def back(before: int, after: int, time: float) -> Compile:
    text = f"size mismatch at index 1. expected {before}, actual {after}"
    return compiled("!1/3/1", f"!1/3/0: tensor 'sizes[0]' {text}", time=time)


def ran(*captures: int) -> Backwards:
    count = len(captures)
    return Backwards(
        array("q", range(count)), array("q", captures),
        array("d", [100.0 + step for step in range(count)]), array("d", [0.9] * count),
        array("b", [0] * count), array("b", [0] * count), count, count, 0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "compiles", "steps", "code"),
    [
        # 8, 8, 6, 8: smaller for one step, and back.
        (sized(1, 8, 6, step=2, time=102.1), (back(6, 8, 103.1),), (0, 0, 1, 1), "CA101"),
        # The same where the size is multiplied by a length on the way.
        (sized(1, 8, 6, step=2, time=102.1), (back(60, 80, 103.1),), (0, 0, 1, 1), "CA101"),
        # The very last step.
        (sized(1, 8, 6, step=2, time=102.1), (), (0, 0, 1), "CA101"),
        # 8, 6, 7: a third size.
        (sized(1, 8, 6, step=1, time=101.1), (back(6, 7, 102.1),), (0, 1, 1), "CA102"),
        # 6, 8, 6: the other one is greater.
        (sized(1, 6, 8, step=1, time=101.1), (back(8, 6, 102.1),), (0, 1, 1), "CA102"),
        # 8, 6, 6, 8: smaller for two steps.
        (sized(1, 8, 6, step=1, time=101.1), (back(6, 8, 103.1),), (0, 1, 1, 1), "CA102"),
    ],
)
def test_a_last_batch_is_told_from_varying_lengths(
    change: Capture, compiles: tuple[Compile, ...], steps: tuple[int, ...], code: str
) -> None:
    run = run_of(captured(0), change, compiles=compiles, backwards=ran(*steps))
    (found,) = analyze(run).diagnosis.findings
    assert found.code == code
    assert found.captures == ("!1",)


def test_a_forward_recompile_and_what_it_brings_are_one_finding() -> None:
    reason = (
        "0/0: self.slope == 0.5  # leaky_relu(x, self.slope)  # t/model.py:3 in forward\n"
        'User stack trace:\n  File "/t/model.py", line 3, in forward\n    leaky_relu(x, self.slope)'
    )
    change = Change(2, "CompiledFunctionBackward", "aot_id", 0, 1)
    run = run_of(
        captured(0),
        captured(1, changes=(change,), closest_capture=0, compile_ids=("!1/4/0",)),
        compiles=(compiled("0/1", reason, time=100.95), compiled("!1/4/0", time=101.2)),
        backwards=ran(0, 1),
    )
    (found,) = analyze(run).diagnosis.findings
    assert found.code == "CA401"
    assert (found.captures, found.compile_ids) == (("!1",), ("0/1",))
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("/t/model.py", 3)
    assert "`self.slope`" in found.fix
    assert found.chain is not None
    parts = ["self.slope == 0.5", "0/1", "!1", "!1/4/0"]
    assert [found.chain.index(part) for part in parts] == sorted(
        found.chain.index(part) for part in parts
    )


def test_everything_is_worked_out_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = ca_reports.load([sample_run().write(tmp_path / "trace.log")])
    decoded: list[int] = []
    unpack = vars(type(run.captures[0]))["autograd_lines"].fget

    def noting(capture: Capture) -> Any:
        decoded.append(capture.id)
        return unpack(capture)

    monkeypatch.setattr(type(run.captures[0]), "autograd_lines", property(noting))
    analysis = analyze(run)
    html.render(analysis)
    json_output.render(analysis)
    assert sorted(decoded) == sorted(capture.id for capture in run.captures)
