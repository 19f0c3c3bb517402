"""Budgets and a baseline over a run: what fails, and the findings behind it.

Pure functions. Every budget holds for each process by itself, and the worst one is told, so
that the same limits fit a job of one rank and of eight.
"""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_reports.costs.caches.starts import asked_for
from ca_reports.diagnosis.identities import identify, match, rewrite_note
from ca_reports.facts.summary import any_hit
from ca_reports.gates.baseline import single
from ca_reports.gates.budgets import BUDGETS
from ca_reports.logs import names
from ca_reports.run.model import Capture, Compile, CudaGraph, GraphBreak
from ca_reports.sentences.places import run_cwd
from ca_reports.sentences.processes import how_it_ended, process_labels
from ca_reports.words.numbers import agreeing, counted, duration, fine_percent
from ca_reports.words.places import Places
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.diagnosis.identities import Identity
    from ca_reports.facts.costs import Costs
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.gates.baseline import Entry
    from ca_reports.gates.budgets import BudgetKind
    from ca_reports.gates.config import GateSettings
    from ca_reports.run.model import Event, EventKey, LogKind, Process, Run

# Why a finding counts or does not.
#   counts: it may fail the gate, or stand behind a budget that does
#   info: of severity info, and not selected by name
#   known: in the baseline; ignored: by settings; silenced: by a comment in the source
#   warmup: all of it happened in the first `warmup-steps` backwards
State = Literal["counts", "info", "known", "ignored", "silenced", "warmup"]
# What these explain does not count against a budget.
_LEFT_OUT = frozenset(("known", "ignored", "silenced"))
# Of what is gone, as many are named.
_GONE = 5
_OF_RECOMPILES = ("max-dynamo-recompiles", "max-recompiles")
# The records that a budget counts, which a text may have been logged without.
_RECORDS: dict[str, LogKind] = {
    **dict.fromkeys(_OF_RECOMPILES, "recompiles"),
    "max-graph-breaks": "graph_breaks",
}
# Budgets that say something of a run in which compiled autograd is off.
_OF_CAPTURES = frozenset(("max-captures", "max-recaptures"))
_MISSES, _COLD_SECONDS = "max-cache-misses", "max-cold-compile-seconds"
_OF_DYNAMO = frozenset(
    (
        "max-dynamo-recompiles", "max-recompiles", "max-graph-breaks", "max-compile-seconds",
        _MISSES, _COLD_SECONDS,
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding and what the gate makes of it. ``fails``: the gate is red because of it."""

    found: Identity
    state: State
    fails: bool = False

    @property
    def is_crash(self) -> bool:
        """Return whether it is about an exception out of a compile that may have ended the run.

        What such a run did not come to can't be judged: it fails whatever the budgets say.
        """
        failure = self.found.finding.failure
        return failure is not None and failure.may_have_ended


@dataclass(frozen=True, slots=True)
class Check:
    """One budget: what was ``found`` in the worst process against the ``limit``.

    ``found`` is None if the log cannot tell. ``process`` is that process's label, None if
    there is only one. ``behind`` are the findings that explain what was counted. ``aside`` are
    recompiles that were not counted because every program of this kind has them or nobody can
    change them, with the codes that say so.
    """

    kind: BudgetKind
    limit: float
    found: float | None
    process: str | None = None
    behind: tuple[Identity, ...] = ()
    aside: Mapping[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Return whether the budget holds; what cannot be told is not held."""
        return self.found is not None and self.found <= self.limit

    @property
    def codes(self) -> str:
        """Return the codes of the findings behind it: ``CA206, CA101``; empty without any."""
        return ", ".join(dict.fromkeys(one.finding.code for one in self.behind))

    def sentence(self) -> str:
        """Return ``2 recaptures, at most 0 allowed``; with the process if there are several."""
        process = f"{self.process}: " if self.process else ""
        if self.found is None:
            lacks = f"not all {self.kind.of_many}" if self.kind.unit == "count" else "no times"
            return f"{process}unknown, as this log has {lacks}; at most {self._limit()}"
        if self.kind.unit == "count":
            told = counted(int(self.found), self.kind.noun)
        else:
            told = f"{self._number(self.found)} {self.kind.noun.replace('seconds ', '')}"
        return f"{process}{told}, at most {self._limit()} allowed"

    def _limit(self) -> str:
        return self._number(self.limit)

    def _number(self, number: float) -> str:
        if self.kind.unit == "seconds":
            return duration(number)
        if self.kind.unit == "share":
            return fine_percent(number)
        return f"{int(number):,}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a gate.

    ``by_findings``: the findings themselves were judged (no budget was set, or a baseline or
    ``select`` was given). ``gone`` are entries of the baseline that the run no longer has.
    ``vacuous`` says why there was nothing to judge, if so. ``notes`` say what else one has
    to know before one trusts a green gate.
    """

    analysis: Analysis
    settings: GateSettings
    checks: tuple[Check, ...]
    findings: tuple[Judged, ...]
    by_findings: bool
    has_baseline: bool = False
    gone: tuple[Entry, ...] = ()
    vacuous: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Return whether nothing fails."""
        return not self.exceeded and not self.failing

    @property
    def exceeded(self) -> tuple[Check, ...]:
        """Return the budgets that are exceeded."""
        return tuple(check for check in self.checks if check.found is not None and not check.ok)

    @property
    def untold(self) -> tuple[Check, ...]:
        """Return the budgets that this log cannot tell about."""
        return tuple(check for check in self.checks if check.found is None)

    @property
    def inconclusive_reason(self) -> str | None:
        """Explain why the result is inconclusive; None if it is not."""
        if not self.ok:
            return None
        for check in self.untold:
            return f"{check.kind.key} cannot be checked: {check.sentence()}"
        if unread := self.analysis.run.unread:
            places = counted(unread, "damaged place")
            return f"{places} in the log could not be read, where what fails may have been"
        return None if self.vacuous is None else f"nothing to check: {self.vacuous}"

    @property
    def failing(self) -> tuple[Judged, ...]:
        """Return the findings that fail by themselves."""
        return tuple(judged for judged in self.findings if judged.fails)

    def states(self) -> Counter[State]:
        """Count the findings in each state."""
        return Counter(judged.state for judged in self.findings)


def judge(
    analysis: Analysis, settings: GateSettings, known: Sequence[Entry] | None = None
) -> Verdict:
    """Check a run against ``settings`` and the entries of a baseline.

    ``analysis`` must have been made without ``ignore``, which is the settings' to say.
    """
    run, diagnosis = analysis.run, analysis.diagnosis
    warm = _WarmUp(analysis.facts, settings.warmup_steps)
    judged = [Judged(one, "silenced") for one in identify(diagnosis.quiet, analysis.places)]
    # Patterns of paths are relative to the file that they are in.
    beside = Places(settings.folder, run_cwd(run))
    for one in identify(diagnosis.findings, analysis.places):
        location = one.finding.location
        file = None if location is None else beside.relative(location.file)
        judged.append(Judged(one, _state(one, settings, file, warm)))
    gone: tuple[Entry, ...] = ()
    if known is not None:
        judged, gone = _recognise(judged, known)
    by_findings = not settings.budgets or known is not None or settings.select is not None
    judged = [
        replace(
            one,
            fails=one.state == "counts"
            and (by_findings or one.is_crash or one.found.finding.code in settings.extend_select),
        )
        for one in judged
    ]
    checks = _checks(analysis, settings, judged, warm)
    return Verdict(
        analysis=analysis,
        settings=settings,
        checks=checks,
        findings=tuple(judged),
        by_findings=by_findings,
        has_baseline=known is not None,
        gone=gone,
        vacuous=vacuous(analysis, settings.budgets),
        notes=(
            *_gone(gone, run, settings),
            *_old(known, settings),
            *_aside(checks),
            *_notes(analysis, warm),
        ),
    )


def findings_to_know(verdict: Verdict) -> list[Identity]:
    """Return what a baseline is made of: all findings but the ignored and the silenced ones."""
    return [one.found for one in verdict.findings if one.state not in ("ignored", "silenced")]


def _state(one: Identity, settings: GateSettings, file: str | None, warm: _WarmUp) -> State:
    found = one.finding
    if settings.ignores(found.code, file):
        return "ignored"
    if found.failure is not None and found.failure.may_have_ended:
        return "counts"
    if found.code not in settings.extend_select:
        if settings.select is not None:
            if found.code not in settings.select:
                return "ignored"
        elif found.severity == "info":
            return "info"
    return "warmup" if warm.holds_all(found.events) else "counts"


def _recognise(
    judged: Sequence[Judged], known: Sequence[Entry]
) -> tuple[list[Judged], tuple[Entry, ...]]:
    matching = match(single(known), [one.found for one in judged])
    paired = {id(found) for _, found in matching.pairs}
    return [
        replace(one, state="known")
        if id(one.found) in paired and one.state not in _LEFT_OUT
        else one
        for one in judged
    ], matching.gone


class _WarmUp:
    """The events that happened in the first ``steps`` backwards of their process."""

    def __init__(self, facts: Iterable[ProcessFacts], steps: int) -> None:
        self._steps = steps
        self._facts = {found.process.index: found for found in facts}
        self.untold = 0 if not steps else sum(map(self._untold, self._facts.values()))

    def holds(self, event: Event) -> bool:
        """Return whether ``event`` was in the warm-up; no if the log does not say when it was.

        A graph break is where it is at every step, so it never is.
        """
        if not self._steps:
            return False
        step = self._step(event)
        return step is not None and step < self._steps

    def holds_all(self, events: Sequence[Event]) -> bool:
        """Return whether there are events and all of them were in the warm-up."""
        return bool(events) and all(self.holds(event) for event in events)

    def _step(self, event: Event) -> int | None:
        if isinstance(event, Capture):
            return event.step
        if isinstance(event, Compile | CudaGraph):
            return self._facts[event.process].step_at(event.time)
        return None

    def _untold(self, facts: ProcessFacts) -> int:
        return sum(capture.step is None for capture in facts.process.captures)


def _checks(
    analysis: Analysis, settings: GateSettings, judged: Sequence[Judged], warm: _WarmUp
) -> tuple[Check, ...]:
    if not settings.budgets:
        return ()
    owners = {
        event.key: one
        for one in judged
        if not one.found.finding.is_shared
        for event in one.found.finding.events
    }
    run = analysis.run
    labels = process_labels(run)
    tallies = [_Tally(found, owners, analysis.costs, warm) for found in run.processes]
    checks = []
    for kind in BUDGETS:
        if kind.key not in settings.budgets:
            continue
        limit = settings.budgets[kind.key]
        told = []
        for tally in tallies:
            number = tally.number(kind)
            # Of what there is at least, more than the limit is certain.
            if number is not None and number <= limit and not tally.holds(kind):
                number = None
            told.append((number, tally))
        # A process that cannot tell comes first: a budget that nobody can judge is not held.
        number, worst = max(
            told, key=lambda pair: (pair[0] is None, pair[0] or 0.0), default=(0.0, None)
        )
        check = Check(kind, limit, number)
        if worst is not None:
            several = len(run.processes) > 1
            label = labels[worst.process.index] if several else None
            check = replace(
                check, process=label, behind=worst.behind(kind), aside=worst.aside(kind)
            )
        checks.append(check)
    return tuple(checks)


class _Tally:
    """The events of a process that count: no warm-up, nothing that left-out findings explain."""

    def __init__(
        self,
        process: Process,
        owners: Mapping[EventKey, Judged],
        costs: Costs,
        warm: _WarmUp,
    ) -> None:
        self.process = process
        self._owners = owners
        self._costs = costs

        def counts(event: Event) -> bool:
            owner = owners.get(event.key)
            if warm.holds(event) or (owner is not None and owner.state in _LEFT_OUT):
                return False
            # Two graphs by design, and what nobody can change. A size that became dynamic could
            # have been from the start, and a mode that differs could be the same.
            if owner is None or owner.state != "info":
                return True
            if isinstance(event, Compile) and owner.found.finding.is_note:
                if event.is_recompile:
                    self._aside[event.key] = event, owner.found.finding.code
                return False
            return not isinstance(event, GraphBreak)

        self._aside: dict[EventKey, tuple[Compile, str]] = {}
        self._captures = [capture for capture in process.captures if counts(capture)]
        self._recaptures = [capture for capture in self._captures if capture.is_recapture]
        self._recompiles = [
            compiled for compiled in process.compiles if compiled.is_recompile and counts(compiled)
        ]
        self._forward = [
            compiled for compiled in process.compiles if compiled.is_forward and counts(compiled)
        ]
        self._breaks: list[GraphBreak] = [found for found in process.graph_breaks if counts(found)]
        self._losing = [event for event in process.events if costs.loses(event) and counts(event)]

    def number(self, kind: BudgetKind) -> float | None:
        """Count what this process has of a kind; None if its log cannot tell."""
        if kind.key == "max-compile-seconds":
            times = [found.seconds for found in self._forward if found.seconds is not None]
            return sum(times) if times or not self._forward else None
        if kind.key in (_MISSES, _COLD_SECONDS):
            return self._cold(seconds=kind.key == _COLD_SECONDS)
        if kind.unit != "count":
            return self._lost(share=kind.unit == "share")
        if kind.key == "max-graph-breaks":
            return sum(found.count for found in self._breaks)
        return len(self._events(kind))

    def holds(self, kind: BudgetKind) -> bool:
        """Return whether the log has every record of what is counted."""
        needed = _RECORDS.get(kind.key)
        return needed is None or needed in self.process.holds

    def aside(self, kind: BudgetKind) -> Mapping[str, int]:
        """Count the recompiles that were left out of a kind, by the code of their finding."""
        if kind.key not in _OF_RECOMPILES:
            return {}
        return Counter(
            code
            for compiled, code in self._aside.values()
            if compiled.is_forward or kind.key == "max-dynamo-recompiles"
        )

    def behind(self, kind: BudgetKind) -> tuple[Identity, ...]:
        """Return the findings that explain what was counted, in their own order of cost."""
        found: dict[int, Identity] = {}
        for event in self._events(kind):
            owner = self._owners.get(event.key)
            if owner is not None:
                found.setdefault(id(owner), owner.found)
        return tuple(sorted(found.values(), key=lambda one: -(one.finding.seconds or 0.0)))

    def _events(self, kind: BudgetKind) -> Sequence[Event]:
        events: dict[str, Sequence[Event]] = {
            _MISSES: [],
            _COLD_SECONDS: [],
            "max-captures": self._captures,
            "max-recaptures": self._recaptures,
            "max-dynamo-recompiles": self._recompiles,
            "max-recompiles": [found for found in self._recompiles if found.is_forward],
            "max-graph-breaks": self._breaks,
            "max-compile-seconds": [*self._forward, *self._breaks],
        }
        return events.get(kind.key, self._losing)

    def _cold(self, *, seconds: bool) -> float | None:
        """Count what was compiled for want of a cached graph; None where no cache was asked."""
        asked = asked_for(self.process)
        if not asked and self.process.compiles:
            return None
        cold = [found for found in asked if found.outcome != "warm"]
        if not seconds:
            return len(cold)
        took = [found.seconds for found in cold]
        return sum(one for one in took if one is not None) if None not in took else None

    def _lost(self, *, share: bool) -> float | None:
        lost = self._costs.lost(self._losing)
        if not lost or not share:
            return lost
        seconds = self.process.seconds
        return None if seconds is None else min(1.0, lost / seconds)


def vacuous(analysis: Analysis, budgets: Iterable[str] = ()) -> str | None:
    """Explain why a green gate would say nothing: no backward was captured at all, or hit.

    ``budgets`` are keys; some of them can be judged by Dynamo's part of a log alone. A run of
    Dynamo alone (`Run.forward_only`) leaves open only what is about captures.
    """
    gaps = {gap.subject: gap.text for gap in reversed(analysis.limitations)}
    if "trace" in gaps:
        return gaps["trace"]
    run = analysis.run
    if run.captures or any_hit(run) or not _OF_DYNAMO.isdisjoint(budgets):
        return None
    if not budgets and "recompiles" in run.missing and not analysis.diagnosis.findings:
        return "recompiles are not in this log."
    if run.forward_only and not (budgets and _OF_CAPTURES.issuperset(budgets)):
        return None
    return gaps.get("compiled_autograd", "No backward was captured.")


def _gone(gone: Sequence[Entry], run: Run, settings: GateSettings) -> list[str]:
    """Note the baseline's entries that are gone, and the command that takes them out."""
    if not gone:
        return []
    named = [
        f"{one.code} in {one.function or 'no function'}" + (f" of {one.file}" if one.file else "")
        for one in gone
    ]
    update = ["ca", "baseline", *map(names.shown, run.paths)]
    if settings.baseline is not None:
        update += ["-o", names.shown(settings.baseline)]
    return [
        f"{len(gone)} in the baseline {agreeing(len(gone), 'is', 'are')} gone: "
        f"{first_few(named, _GONE)}. "
        f"Remove them: `{shlex.join([*update, '--update'])}`"
    ]


def _old(known: Sequence[Entry] | None, settings: GateSettings) -> list[str]:
    note = rewrite_note(known or (), names.shown(settings.baseline or "the baseline"))
    return [] if note is None else [note]


def _aside(checks: Iterable[Check]) -> Iterator[str]:
    """Note the recompiles that no budget counted, though torch made them."""
    for check in checks:
        if check.aside:
            number = sum(check.aside.values())
            yield (
                f"{check.kind.key} leaves out {counted(number, check.kind.noun)} of which nothing "
                f"is lost or that nobody can change ({', '.join(sorted(check.aside))})."
            )


def _notes(analysis: Analysis, warm: _WarmUp) -> tuple[str, ...]:
    notes = []
    run, diagnosis = analysis.run, analysis.diagnosis
    ended = how_it_ended(run)
    if ended is not None:
        notes.append(f"{ended} Anything after that is not judged.")
    notes += [gap.text for gap in analysis.limitations if gap.subject == "end"]
    if warm.untold:
        notes.append(
            f"{counted(warm.untold, 'capture')} without a step in this log: counted, as "
            "warmup-steps cannot leave them out."
        )
    if any(process.from_text for process in run.processes):
        notes.append("TORCH_LOGS text: what was not logged could not be counted.")
    if run.damage:
        places = counted(sum(damage.count for damage in run.damage), "damaged place")
        notes.append(f"{places} in the log: their contents could not be counted.")
    notes += [f"A rule failed, which is a bug in ca: {failed}" for failed in diagnosis.failed_rules]
    return tuple(notes)
