"""Gates: what counts, against what, and what is behind it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.gates.baseline import entries
from ca_reports.gates.config import GateSettings
from ca_reports.gates.gate import Verdict, findings_to_know
from ca_reports.output.reported import headline
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.causes.rules.recompiled import compiled, explained
from tests.unit.reports.costs.caches.made import start_of
from tests.unit.reports.gates.made import (
    crashed,
    judged,
    recapturing,
    sample,
    with_internal_recompile,
)
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from ca_reports.run.model import Run

DROPOUT = "self._modules['drop'].training == True"
CALL = [("/home/user/train.py", 20, "main", "loss = compiled(words).sum()")]


def codes(verdict: Verdict) -> list[str]:
    return [one.found.finding.code for one in verdict.failing]


@pytest.mark.parametrize(
    ("budget", "limit", "found"),
    [
        ("max-captures", 2, 3),
        ("max-recaptures", 0, 2),
        ("max-dynamo-recompiles", 1, 2),
        ("max-seconds-lost", 20.0, 21.875),
        ("max-lost-share", 0.5, 21.875 / 40),
    ],
)
def test_each_budget(tmp_path: Path, budget: str, limit: float, found: float) -> None:
    run = sample(tmp_path)

    red = judged(run, GateSettings({budget: limit}))
    green = judged(run, GateSettings({budget: found}))

    assert not red.ok
    assert [(check.kind.key, check.found) for check in red.exceeded] == [(budget, found)]
    assert red.exceeded[0].behind
    assert green.ok
    assert not green.by_findings


def test_findings_behind_a_budget_are_those_that_were_counted(tmp_path: Path) -> None:
    verdict = judged(
        sample(tmp_path), GateSettings({"max-recaptures": 0, "max-dynamo-recompiles": 0})
    )

    behind = {
        check.kind.key: [one.finding.code for one in check.behind] for check in verdict.exceeded
    }

    assert behind == {
        "max-recaptures": ["CA206", "CA202"],
        "max-dynamo-recompiles": ["CA702", "CA000"],
    }


def test_without_any_budget_every_warning_fails(tmp_path: Path) -> None:
    verdict = judged(sample(tmp_path), GateSettings())

    assert sorted(codes(verdict)) == ["CA000", "CA202", "CA206", "CA702"]
    assert headline(verdict) == "Failed: 4 findings."


def test_select_fails_on_those_alone_also_beside_a_budget(tmp_path: Path) -> None:
    select = frozenset({"CA206"})

    verdict = judged(sample(tmp_path), GateSettings({"max-captures": 99}, select=select))

    assert codes(verdict) == ["CA206"]
    assert not verdict.ok
    # What is not selected counts against no budget: CA202's capture is left out.
    held = judged(sample(tmp_path), GateSettings({"max-recaptures": 1}, select=select))
    assert held.checks[0].found == 1


@pytest.mark.parametrize("log", ["CUDA graphs", "functions"])
def test_all_that_the_summary_calls_lost_counts(log: str, tmp_path: Path) -> None:
    written = LogWriter()
    written.ca_run()
    if log == "CUDA graphs":
        written.compiled("0/0", 1.0, CALL)
        for number in range(3):
            written.cuda_graph_recorded("0/0", 2.0 + number, 0.5)
    else:  # one function, compiled for itself three times
        for function in range(3):
            written.compiled(f"{function}/0", 0.5, CALL, start_time=START + function)
    written.ca_end(START + 9, backwards=0, hits=0)
    run = ca_reports.load([run_folder(tmp_path, written)])

    assert analyze(run).summary.seconds_lost == 1.0
    (check,) = judged(run, GateSettings({"max-seconds-lost": 0.9})).exceeded
    assert check.found == 1.0
    assert check.codes == ("CA901" if log == "CUDA graphs" else "CA717")


def test_a_function_that_two_models_have_is_compiled_for_both_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    written = LogWriter()
    written.ca_run(enabled=False, backend=None)
    for function in range(2):
        written.compiled(f"{function}/0", 0.5, CALL, start_time=START + function)
    written.ca_end(START + 9, backwards=0, hits=0)
    run = ca_reports.load([run_folder(tmp_path, written)])

    analysis = analyze(run)

    assert (analysis.summary.seconds_lost, analysis.diagnosis.findings) == (0.0, ())
    assert not judged(run, GateSettings({"max-seconds-lost": 0.1})).exceeded


def test_what_an_ignored_finding_explains_does_not_count(tmp_path: Path) -> None:
    run = sample(tmp_path)

    verdict = judged(run, GateSettings({"max-recaptures": 1}, ignore=frozenset({"CA206"})))

    assert verdict.ok
    assert verdict.checks[0].found == 1
    assert headline(verdict) == "Passed: 1 recapture, at most 1 (1 ignored)."


def test_a_comment_in_the_source_counts_as_well(tmp_path: Path) -> None:
    log = recapturing([3])
    text = log.data.replace(b'loss.backward()"', b'loss.backward()  # ca: ignore[CA206]"')
    log.records = [text.replace(b'"has_payload": ', b'"has_payload_": ')]
    folder = run_folder(tmp_path / "run", recapturing([3]))
    plain = judged(ca_reports.load([folder]), GateSettings({"max-recaptures": 0}))
    assert not plain.ok

    source = recapturing([3], file=str(tmp_path / "train.py"), line=1)
    (tmp_path / "train.py").write_text("loss.backward()  # ca: ignore[CA206]\n")
    run = ca_reports.load([run_folder(tmp_path / "other", source)], source_roots=[tmp_path])
    verdict = judged(run, GateSettings({"max-recaptures": 0}))

    assert verdict.ok
    assert [one.state for one in verdict.findings] == ["silenced"]


def test_per_path_ignores_are_relative_to_the_settings(tmp_path: Path) -> None:
    log = recapturing([3], file=str(tmp_path / "experiments" / "train.py"))
    run = ca_reports.load([run_folder(tmp_path / "run", log)])
    ignores = {"experiments/*": frozenset({"CA206"})}

    assert judged(run, GateSettings(per_path_ignores=ignores, folder=tmp_path)).ok
    assert not judged(run, GateSettings(per_path_ignores=ignores, folder=tmp_path / "other")).ok


def test_warm_up(tmp_path: Path) -> None:
    # Captures at steps 0, 1, 2, 3.
    run = ca_reports.load([run_folder(tmp_path, recapturing([3, 4, 5]))])

    def recaptures(warmup: int) -> float | None:
        settings = GateSettings({"max-recaptures": 0}, warmup_steps=warmup)
        return judged(run, settings).checks[0].found

    assert [recaptures(warmup) for warmup in (0, 1, 2, 3, 4)] == [3, 3, 2, 1, 0]
    # The one finding has events after the warm-up until the end of it.
    assert not judged(run, GateSettings(warmup_steps=3)).ok
    within = judged(run, GateSettings(warmup_steps=4))
    assert within.ok
    assert headline(within) == "Passed: no findings (1 in the warm-up)."


def test_seconds_of_the_warm_up_are_no_loss(tmp_path: Path) -> None:
    run = ca_reports.load([run_folder(tmp_path, recapturing([3, 4], seconds=0.5))])

    verdict = judged(run, GateSettings({"max-seconds-lost": 0.6}, warmup_steps=2))

    # The capture, and what its first run took.
    assert verdict.checks[0].found == pytest.approx(0.5 + 0.25)
    assert not verdict.ok


def test_steps_that_a_log_of_torch_does_not_have(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0, ["!0: first"])
    log.torch_capture(1, ["!0: first", "!1: Cache miss due to changed shapes"])
    path = log.write(tmp_path / "dedicated_log_torch_trace_x.log")

    verdict = judged(ca_reports.load([path]), GateSettings({"max-captures": 0}, warmup_steps=5))

    assert verdict.checks[0].found == 2
    assert any("2 captures without a step" in note for note in verdict.notes)


def test_budgets_hold_for_each_process(tmp_path: Path) -> None:
    logs = [recapturing([3], rank=0), recapturing([3, 4, 5], rank=1), recapturing([3], rank=2)]
    run = ca_reports.load([run_folder(tmp_path, *logs)])

    verdict = judged(run, GateSettings({"max-recaptures": 2}))

    assert verdict.exceeded[0].found == 3
    assert verdict.exceeded[0].sentence() == "rank 1: 3 recaptures, at most 2 allowed"
    assert judged(run, GateSettings({"max-recaptures": 3})).ok


def test_what_a_log_cannot_tell_is_not_held(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0, ["!0: first"])
    log.torch_capture(1, ["!0: first", "!1: Cache miss due to changed shapes"])
    run = ca_reports.load([log.write(tmp_path / "dedicated_log_torch_trace_x.log")])

    verdict = judged(run, GateSettings({"max-seconds-lost": 100.0}))

    assert verdict.ok  # nothing is exceeded …
    assert [check.kind.key for check in verdict.untold] == ["max-seconds-lost"]  # … or shown not
    assert not verdict.checks[0].ok
    assert verdict.inconclusive_reason is not None
    assert verdict.inconclusive_reason.startswith(
        "max-seconds-lost cannot be checked: unknown, as this log has no times"
    )


def test_a_green_gate_over_nothing_says_so(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run(enabled=False)
    log.ca_end(START + 1, backwards=0, hits=0)
    run = ca_reports.load([run_folder(tmp_path, log)])

    verdict = judged(run, GateSettings({"max-recaptures": 0}))

    assert verdict.vacuous is not None
    assert "compiled autograd was not turned on" in verdict.vacuous
    # Dynamo's recompiles can be counted without compiled autograd.
    assert judged(run, GateSettings({"max-dynamo-recompiles": 0})).vacuous is None
    assert verdict.inconclusive_reason == f"nothing to check: {verdict.vacuous}"


def forwards(folder: Path, *, breaks: tuple[str, ...] = ()) -> Run:
    """Two compiles of one function, the second a recompile, and graph breaks in it."""
    log = LogWriter()
    log.ca_run(enabled=False)
    log.compiled("0/0", 2.0)
    log.compiled("0/1", 1.0, recompile_reason="0/0: k == 2")
    for text in breaks:
        log.artifact("dynamo_graph_break_reason", text, **log.context("0/0"))
    log.ca_end(START + 5, backwards=0, hits=0)
    return ca_reports.load([run_folder(folder, log)])


def test_budgets_of_forwards(tmp_path: Path) -> None:
    limits = {"max-recompiles": 0, "max-graph-breaks": 0, "max-compile-seconds": 2.5}

    verdict = judged(forwards(tmp_path), GateSettings(limits))

    assert [check.sentence() for check in verdict.checks] == [
        "1 forward recompile, at most 0 allowed",
        "0 graph breaks, at most 0 allowed",
        "3.0 s compiling, at most 2.5 s allowed",
    ]
    assert [check.ok for check in verdict.checks] == [False, True, False]
    assert verdict.vacuous is None


def test_a_run_of_dynamo_alone_is_judged_unless_only_captures_are_limited(tmp_path: Path) -> None:
    run = forwards(tmp_path)

    assert run.forward_only
    assert judged(run, GateSettings({})).vacuous is None
    assert judged(run, GateSettings({"max-seconds-lost": 9})).vacuous is None
    assert judged(run, GateSettings({"max-recaptures": 0})).vacuous == "No backward was captured."
    assert analyze(run).limitations == ()


def test_compiled_autograd_that_was_asked_for_and_not_met_is_told(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run(enabled=True)
    log.compiled("0/0", 2.0)
    log.ca_end(START + 5, backwards=0, hits=0)
    by_option = ca_reports.load([run_folder(tmp_path / "option", log)])
    log = LogWriter()
    log.compiled("0/0", 2.0, dynamo_config='{"compiled_autograd": true, "verbose": false}')
    by_flag = ca_reports.load([run_folder(tmp_path / "flag", log)])

    for run in (by_option, by_flag):
        assert not run.forward_only
        assert analyze(run).limitations[0].subject == "compiled_autograd"


def test_a_break_that_nobody_can_change_fails_no_gate(tmp_path: Path) -> None:
    disabled = (
        "Graph break in user code at /home/user/train.py:9\nGraph Break Reason: Encountered graph "
        "break when attempting to trace CALL:\n\n"
        "Skip calling `torch.compiler.disable()`d function\n"
        "  Explanation: Skip calling function `<function log at 0x7f>`\n\nUser code traceback:\n"
        '  File "/home/user/train.py", line 9, in step\n    log(x)\n'
    )
    run = forwards(tmp_path, breaks=(disabled,))

    (info,) = (found for found in analyze(run).diagnosis.findings if found.code == "CA805")
    assert info.severity == "info"
    assert judged(run, GateSettings({"max-graph-breaks": 0})).ok
    others = {found.code for found in analyze(run).diagnosis.findings} - {"CA805"}
    told = headline(judged(run, GateSettings(ignore=frozenset(others))))
    assert told == "Passed: no warnings or errors (1 ignored, 1 for information: CA805)."
    assert not judged(run, GateSettings({"max-graph-breaks": 0}, select=frozenset(("CA805",)))).ok
    # What is for information counts beside warnings where it is asked for, also behind a budget.
    more = frozenset(("CA805",))
    without = frozenset(others)
    for budgets in ({}, {"max-captures": 9}):
        strict = GateSettings(budgets, extend_select=more, ignore=without)
        assert codes(judged(run, strict)) == ["CA805"]
        assert headline(judged(run, strict)).startswith("Failed: 1 finding")


def test_backwards_that_all_hit_hold_a_budget(tmp_path: Path) -> None:
    # As in a second recording of a process, whose captures are in the first.
    log = LogWriter()
    log.ca_run()
    log.ca_backwards([(0, 0), (0, 0)])
    log.ca_end(START + 4, backwards=2, hits=2)
    run = ca_reports.load([run_folder(tmp_path, log)])

    verdict = judged(run, GateSettings({"max-recaptures": 0}))

    assert verdict.ok
    assert (verdict.vacuous, verdict.inconclusive_reason) == (None, None)
    (gap,) = analyze(run).limitations
    assert gap.subject == "captures"
    assert "a graph from before the recording began" in gap.text


def test_no_budget_is_held_by_a_run_without_a_trace(tmp_path: Path) -> None:
    run = ca_reports.load([run_folder(tmp_path)])

    verdict = judged(run, GateSettings({"max-graph-breaks": 0}))

    assert verdict.ok
    assert verdict.inconclusive_reason is not None
    assert "No trace was written" in verdict.inconclusive_reason


def test_internal_compiles_count_against_no_budget(tmp_path: Path) -> None:
    log = recapturing([])
    with_internal_recompile(log)
    run = ca_reports.load([run_folder(tmp_path, log)])

    verdict = judged(run, GateSettings({"max-dynamo-recompiles": 0, "max-seconds-lost": 0}))

    assert [found.internal for found in run.compiles] == [True, True]
    assert analyze(run).summary.dynamo_recompiles == 0
    assert [check.found for check in verdict.checks] == [0, 0]
    assert verdict.ok


def test_a_run_that_a_compile_ended_passes_no_gate(tmp_path: Path) -> None:
    run = crashed(tmp_path / "crashed")

    for settings in (
        GateSettings(),
        GateSettings({"max-recompiles": 3}),
        GateSettings(select=frozenset({"CA701"})),
    ):
        verdict = judged(run, settings)
        assert codes(verdict) == ["CA610"]
        assert headline(verdict) == "Failed: compiling `step` raised BackendCompilerFailed."
    assert judged(run, GateSettings({"max-recompiles": 3}, ignore=frozenset({"CA610"}))).ok


def test_a_compile_that_was_caught_fails_as_any_warning_does(tmp_path: Path) -> None:
    for error in (None, "KeyError: 1"):
        run = crashed(tmp_path / str(error), error=error)
        assert codes(judged(run, GateSettings())) == ["CA610"]
        assert judged(run, GateSettings({"max-recompiles": 3})).ok


def test_baseline_lets_only_what_is_new_fail(tmp_path: Path) -> None:
    before = ca_reports.load([run_folder(tmp_path / "a", recapturing([3]))])
    known = entries(findings_to_know(judged(before, GateSettings())))
    log = recapturing([3], line=50)
    log.compiled("4/0", 1.0)
    log.compiled("4/1", 2.0, recompile_reason="4/0: n == 1.0   # return y * n")
    after = ca_reports.load([run_folder(tmp_path / "b", log)])

    same = judged(before, GateSettings(), known)
    more = judged(after, GateSettings(), known)
    gone = judged(
        ca_reports.load([run_folder(tmp_path / "c", recapturing([]))]), GateSettings(), known
    )

    assert same.ok
    assert headline(same) == "Passed: no new findings (1 known)."
    assert codes(more) == ["CA702"]
    assert headline(more) == "Failed: 1 new finding."
    assert gone.ok
    assert [entry.code for entry in gone.gone] == ["CA206"]


def test_what_is_known_counts_against_no_budget(tmp_path: Path) -> None:
    run = ca_reports.load([run_folder(tmp_path / "a", recapturing([3, 4]))])
    known = entries(findings_to_know(judged(run, GateSettings())))

    verdict = judged(run, GateSettings({"max-recaptures": 0}), known)

    assert verdict.ok
    assert verdict.checks[0].found == 0


def test_baseline_keeps_what_does_not_fail_today(tmp_path: Path) -> None:
    verdict = judged(sample(tmp_path), GateSettings(warmup_steps=50, ignore=frozenset({"CA202"})))

    # The warm-up may be set shorter tomorrow; what is ignored was ignored on purpose.
    assert sorted(one.finding.code for one in findings_to_know(verdict)) == [
        "CA000",
        "CA206",
        "CA702",
    ]


def test_notes_say_what_a_green_gate_does_not_cover(tmp_path: Path) -> None:
    log = recapturing([])
    log.records.append(b"\x00 broken\n{[}\n")
    folder = run_folder(tmp_path, log, exit_code=3)

    verdict = judged(ca_reports.load([folder]), GateSettings())

    assert any(note.startswith("The run ended with exit code 3.") for note in verdict.notes)


@pytest.mark.parametrize("limits", [{}, {"max-recompiles": 0}])
def test_no_damaged_log_passes(tmp_path: Path, limits: dict[str, float]) -> None:
    """Unread parts may hold what fails; what was read and fails fails all the same."""
    log = LogWriter()
    log.ca_run(enabled=False, backend=None)
    log.compiled("0/0", 2.0)
    log.records.append(b'V1121 06:36:28.935000 7 torch/_dynamo/x.py:458] {"artifact": {"na\n')
    log.ca_end(START + 5, backwards=0, hits=0)
    run = ca_reports.load([run_folder(tmp_path / "damaged", log)])
    verdict = judged(run, GateSettings(limits))
    assert verdict.ok
    assert verdict.inconclusive_reason == (
        "1 damaged place in the log could not be read, where what fails may have been"
    )
    assert headline(verdict) == f"Not judged: {verdict.inconclusive_reason}"
    log.ca_capture(1, kind="new_node")
    budget = GateSettings({"max-captures": 0})
    verdict = judged(ca_reports.load([run_folder(tmp_path / "failing", log)]), budget)
    assert not verdict.ok
    assert verdict.inconclusive_reason is None


def test_a_damaged_description_of_the_run_hides_no_compile(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run(enabled=False, backend=None)
    log.compiled("0/0", 2.0)
    log.ca_end(START + 5, backwards=0, hits=0)
    folder = run_folder(tmp_path, log)
    (folder / "source.json").write_text("{")
    run = ca_reports.load([folder])
    assert (len(run.damage), run.unread) == (1, 0)
    assert judged(run, GateSettings()).inconclusive_reason is None


def test_a_size_that_became_dynamic_counts_and_a_variant_for_evaluation_is_noted() -> None:
    limit = GateSettings({"max-recompiles": 0})
    grew = compiled(1, "tensor 'ids' size mismatch at index 1. expected 24, actual 30")
    made_dynamic = [
        replace(compiled(0), inputs={"l_ids_": (4, 24)}),
        replace(grew, inputs={"l_ids_": (4, "s1")}),
    ]
    verdict = judged(explained(*made_dynamic).run, limit)
    assert [check.found for check in verdict.exceeded] == [1]
    assert [one.finding.code for one in verdict.exceeded[0].behind] == ["CA102"]
    assert judged(explained(*made_dynamic).run, GateSettings()).ok

    verdict = judged(explained(compiled(0), compiled(1, DROPOUT)).run, limit)
    assert verdict.ok
    assert (
        "max-recompiles leaves out 1 forward recompile of which nothing is lost or that nobody "
        "can change (CA715)."
    ) in verdict.notes


def test_a_budget_of_what_a_text_does_not_hold_is_not_judged(tmp_path: Path) -> None:
    head = "V1121 06:36:28.935000 7 torch/_dynamo/guards.py:5396] [4/1] [__recompiles] "
    (tmp_path / "stderr.txt").write_text(
        f"{head}Recompiling function fwd in /home/user/train.py:7\n{head}    - 4/0: n == 3\n"
    )
    run = ca_reports.load([tmp_path / "stderr.txt"])
    verdict = judged(run, GateSettings({"max-graph-breaks": 0}))
    assert [check.found for check in verdict.checks] == [None]
    assert verdict.inconclusive_reason == (
        "max-graph-breaks cannot be checked: unknown, as this log has not all graph breaks; "
        "at most 0"
    )
    assert [check.found for check in judged(run, GateSettings({"max-recompiles": 0})).exceeded] == [
        1
    ]


def test_budgets_of_a_start_that_was_to_be_warm(tmp_path: Path) -> None:
    limits = GateSettings({"max-cache-misses": 0, "max-cold-compile-seconds": 3.5})
    cold = ca_reports.load([run_folder(tmp_path / "cold", start_of())])
    warm = ca_reports.load([run_folder(tmp_path / "warm", start_of(state="hit"))])

    assert [check.sentence() for check in judged(cold, limits).exceeded] == [
        "1 cache miss, at most 0 allowed",
        "4.0 s compiling cold, at most 3.5 s allowed",
    ]
    assert judged(warm, limits).ok


def test_a_run_that_asked_no_cache_holds_no_budget_of_caches(tmp_path: Path) -> None:
    verdict = judged(forwards(tmp_path), GateSettings({"max-cache-misses": 0}))
    assert [check.found for check in verdict.checks] == [None]
    assert verdict.inconclusive_reason == (
        "max-cache-misses cannot be checked: unknown, as this log has not all cache misses; "
        "at most 0"
    )
