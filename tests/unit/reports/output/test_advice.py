"""What is said of a finding beside its message."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output.advice import cost, notes, nothing_found
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.causes.rules.captured import annealed, captures, findings, hook
from tests.unit.reports.causes.rules.recompiled import compiled, explained, on_float, tree

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("threads", "told"),
    [
        (("steady", "sampler", "sampler"), "; in the thread `sampler`"),
        ((None, "sampler", "sampler"), "; in the thread `sampler`"),
        (("steady", None, None), "; in the main thread"),
        (("sampler", "sampler", "sampler"), ""),
        ((None, None, None), ""),
    ],
)
def test_a_cause_in_some_threads_only_names_them(
    tmp_path: Path, threads: tuple[str | None, ...], told: str
) -> None:
    log = LogWriter()
    log.ca_run(enabled=False, backend=None)
    for number, thread in enumerate(threads):
        record = {"schema_version": 1, "time": START, "guards": [], "thread": thread}
        log.artifact("ca_guards", record, **log.context(f"0/{number}"))
        reason = f"0/{number - 1}: temperature == {number}.5" if number else None
        log.compiled(f"0/{number}", 1.0, recompile_reason=reason)
    log.ca_end(START + 30, backwards=0, hits=0)
    log.write(tmp_path / "trace.log")
    analysis = analyze(ca_reports.load([tmp_path]))
    (found,) = [one for one in analysis.diagnosis.findings if not one.is_note]
    assert cost(found, analysis.run).endswith(f"2 times{told}")


def test_what_a_fix_saves_is_less_where_another_number_changes_as_well() -> None:
    # GIVEN a position of three values by turns, and a weight with another value in each step
    held = [(0, 0.9), (16, 0.8), (32, 0.7), (0, 0.6)]
    trees = [
        tree(on_float("L['self'].at", at), on_float("L['self'].weight", weight))
        for at, weight in held
    ]
    again = ("self.at == 32", "self.at == 16", "self.weight == 0.9")
    analysis = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "self.at == 0", guards=trees[1]),
        compiled(2, "self.at == 16", "self.at == 0", guards=trees[2]),
        compiled(3, *again, guards=trees[3]),
    )

    # THEN a fixed position leaves three recompiles for the weight, a fixed weight two
    weight, position = analysis.diagnosis.findings
    assert ("weight" in weight.message, weight.seconds, weight.saves) == (True, 2.0, None)
    assert ("at`" in position.message, position.seconds, position.saves) == (True, 4.0, 0.0)
    assert (
        notes(position)[0]
        == "its fix alone saves nothing: another CA704 shows in the same compiles"
    )


def test_two_causes_of_one_capture_are_both_told_and_its_cost_once() -> None:
    # GIVEN a hook that always comes together with another exponent
    first, second = findings(captures(annealed(2.0), annealed(2.5, hook("clip"))))

    # THEN both are found in the one capture, and the second says that it takes both
    assert [(one.code, one.captures, one.is_shared) for one in (first, second)] == [
        ("CA206", ("!1",), False),
        ("CA301", ("!1",), True),
    ]
    assert second.fix.endswith("; it takes the fix of CA206 at train.py:10 as well")


def test_beside_a_cold_start_nothing_else_is_found() -> None:
    run = explained(compiled(0)).run

    assert nothing_found(run) == "No problems found."
    assert nothing_found(run, is_cold=True) == "No other problem found."


def test_a_remedy_that_leaves_the_largest_capture_saves_less() -> None:
    found = replace(
        findings(captures(annealed(2.0), annealed(2.5)))[0], seconds=9.0, saves=4.0, saves_of=()
    )

    assert notes(found)[0] == "its fix saves 4.0 s: the largest capture is left"
