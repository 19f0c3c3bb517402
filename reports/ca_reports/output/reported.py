"""Result of a command for any format: SARIF, JUnit, annotations and Markdown take it.

``ca explain-recompiles``, ``ca check`` and ``ca diff`` each make one of it; the renderers know
nothing of how it came about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_reports.diagnosis.identities import Identity, identify
from ca_reports.diagnosis.ignores import is_silenced
from ca_reports.errors import CaError
from ca_reports.gates.baseline import Entry, entries
from ca_reports.output.runs import run_totals
from ca_reports.sentences.failures import raised
from ca_reports.words.numbers import counted
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.comparison.runs import Outcome
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.gates.gate import Check, Judged, State, Verdict
    from ca_reports.words.places import Places

# new: only now, not in what it is compared with; known: there, too; silenced: by a comment.
# "": nothing to compare with.
Standing = Literal["", "new", "known", "silenced"]

# Codes of findings for information that a verdict names.
_MAX_CODES = 3
_ASIDE: dict[State, str] = {
    "known": "known",
    "ignored": "ignored",
    "silenced": "silenced in the source",
    "warmup": "in the warm-up",
    "info": "for information",
}


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding as it is reported.

    ``file`` is relative to the repository, None for one that is not in it. ``fails``: the
    command ends with 1 because of it.
    """

    found: Identity
    file: str | None
    standing: Standing = ""
    fails: bool = False

    @property
    def finding(self) -> Finding:
        """Return the finding itself."""
        return self.found.finding

    @property
    def title(self) -> str:
        """Return ``CA101 last-batch``."""
        return f"{self.finding.code} {self.finding.name}"


@dataclass(frozen=True, slots=True)
class Report:
    """All that a command reports.

    ``ok`` is None where nothing was judged; ``inconclusive_reason`` says why all may not be
    well although nothing fails. ``headline`` is the outcome in one line, ``totals`` the run in
    one. ``exceeded`` and ``held`` are budgets. ``gone`` are findings that are no more. ``script``
    is where what has no place of its own belongs.
    """

    analysis: Analysis
    command: str
    headline: str
    totals: str
    findings: tuple[Reported, ...]
    ok: bool | None = None
    inconclusive_reason: str | None = None
    exceeded: tuple[Check, ...] = ()
    held: tuple[Check, ...] = ()
    gone: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()
    script: str | None = None

    @property
    def shown(self) -> tuple[Reported, ...]:
        """Return the findings that nobody has silenced."""
        return tuple(found for found in self.findings if found.standing != "silenced")

    @property
    def failing(self) -> tuple[Reported, ...]:
        """Return the findings because of which the command ends with 1."""
        return tuple(found for found in self.findings if found.fails)


def of_analysis(analysis: Analysis) -> Report:
    """Return what ``ca explain-recompiles`` reports: everything, not judged."""
    diagnosis, places = analysis.diagnosis, analysis.places
    found = [_reported(one, places) for one in identify(diagnosis.findings, places)]
    # Not those that were left out by an option, which nobody wants to see at all.
    quiet = [one for one in diagnosis.quiet if is_silenced(one.code, one.location, analysis.files)]
    found += [_reported(one, places, "silenced") for one in identify(quiet, places)]
    number = len(diagnosis.findings)
    return Report(
        analysis=analysis,
        totals=totals_of(analysis),
        script=script_of(analysis),
        command="ca explain-recompiles",
        headline=counted(number, "finding") if number else "No finding.",
        findings=tuple(found),
    )


def totals_of(analysis: Analysis) -> str:
    """Return the run in two sentences: what it lost to how many causes, and its counts."""
    findings = analysis.diagnosis.findings
    return run_totals(analysis.run, analysis.summary, findings, analysis.ranks)


def of_verdict(verdict: Verdict) -> Report:
    """Report what fails first, then what is known, for ``ca check``; not what is ignored."""
    analysis = verdict.analysis
    places = analysis.places
    behind = {id(one) for check in verdict.exceeded for one in check.behind}
    found = []
    for judged in verdict.findings:
        if judged.state in ("ignored", "warmup"):
            continue
        fails = judged.fails or id(judged.found) in behind
        found.append(_reported(judged.found, places, _standing(judged, verdict), fails=fails))
    found.sort(key=lambda one: not one.fails)
    return Report(
        analysis=analysis,
        totals=totals_of(analysis),
        script=script_of(analysis),
        command="ca check",
        headline=headline(verdict),
        findings=tuple(found),
        ok=verdict.ok,
        inconclusive_reason=verdict.inconclusive_reason,
        exceeded=verdict.exceeded,
        held=tuple(check for check in verdict.checks if check.ok),
        gone=verdict.gone,
        notes=verdict.notes,
    )


def of_outcome(outcome: Outcome) -> Report:
    """Report a comparison's second run, for ``ca diff``. Raises ``CaError`` for a baseline."""
    found = outcome.comparison
    analysis = found.head.analysis
    if analysis is None:
        raise CaError("this format needs a run, and HEAD is a baseline")
    places, judged = analysis.places, outcome.limits.new
    findings = [
        _reported(one, places, "new", fails=judged and one.finding.severity != "info")
        for one in found.new
        if isinstance(one, Identity)
    ]
    findings += [
        _reported(one, places, "known")
        for _, one in (*found.moved, *found.same)
        if isinstance(one, Identity)
    ]
    gone = [one for one in found.gone if isinstance(one, Entry)]
    gone += entries(one for one in found.gone if isinstance(one, Identity))
    return Report(
        analysis=analysis,
        totals=totals_of(analysis),
        script=script_of(analysis),
        command="ca diff",
        headline=outcome.headline,
        findings=tuple(findings),
        ok=not outcome.failures,
        gone=tuple(gone),
        notes=(*outcome.failures, *found.notes),
    )


def headline(verdict: Verdict) -> str:
    """Return the outcome of a gate in one line: what fails, or what was checked."""
    if not verdict.ok:
        told = []
        crash = next((one for one in verdict.failing if one.is_crash), None)
        failure = None if crash is None else crash.found.finding.failure
        if failure is not None:
            told.append(raised(failure))
        if verdict.exceeded:
            of = len(verdict.checks)
            told.append(f"{len(verdict.exceeded)} of {counted(of, 'budget')} exceeded")
        if others := len(verdict.failing) - (failure is not None):
            new = "new " if verdict.has_baseline else ""
            told.append(counted(others, f"{new}{'other ' if failure else ''}finding"))
        return f"Failed: {'; '.join(told)}."
    if verdict.inconclusive_reason is not None:
        return f"Not judged: {verdict.inconclusive_reason}"
    told = [check.sentence().removesuffix(" allowed") for check in verdict.checks]
    if verdict.by_findings:
        told.append("no new findings" if verdict.has_baseline else _none_that_fail(verdict))
    states = verdict.states()
    aside = [f"{states[state]} {words}" for state, words in _ASIDE.items() if states[state]]
    if informing := {one.found.code for one in verdict.findings if one.state == "info"}:
        # A cache that is never used is no failure, and no all-clear either.
        aside[-1] += f": {listed(sorted(informing), _MAX_CODES)}"
    more = f" ({', '.join(aside)})" if aside else ""
    return f"Passed: {'; '.join(told)}{more}."


def _none_that_fail(verdict: Verdict) -> str:
    return "no warnings or errors" if verdict.states()["info"] else "no findings"


def script_of(analysis: Analysis) -> str | None:
    """Return the script of a run, relative to the repository; None if it is not in there."""
    run = analysis.run
    names = [recorded.script for recorded in run.recorded if recorded.script]
    names += [process.argv[0] for process in run.processes if process.argv and process.argv[0]]
    for name in names:
        found = analysis.places.in_repository(name)
        if found is not None and found.endswith(".py"):
            return found
    return None


def _standing(judged: Judged, verdict: Verdict) -> Standing:
    if judged.state == "silenced":
        return "silenced"
    if not verdict.has_baseline:
        return ""
    return "known" if judged.state == "known" else "new"


def _reported(
    one: Identity, places: Places, standing: Standing = "", *, fails: bool = False
) -> Reported:
    location = one.finding.location
    file = None if location is None else places.in_repository(location.file)
    return Reported(one, file, standing, fails)
