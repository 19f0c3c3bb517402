"""Compares short runs of one program under several configurations, for `ca try`."""

from __future__ import annotations

import math
from dataclasses import field, replace
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.model import TrialCalls
from ca_reports.sentences.lowering import lowering_lines
from ca_reports.words.numbers import magnitude, six_digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.findings import Finding, Varied
    from ca_reports.run.model import Run, Trial

# Relative; what another order of float32 sums makes of a loss within some steps.
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Configuration:
    """A way to run the program. ``settings`` are fields of `ca_engine.settings.Settings`.

    ``varies`` is what a rule must suggest for it to be tried; None: it always is.
    """

    name: str
    what: str
    settings: tuple[tuple[str, object], ...] = ()
    varies: Varied | None = None


AS_IS = Configuration("as is", "as the script says")
CONFIGURATIONS = (
    AS_IS,
    Configuration("dynamic", "dynamic=True on every compile", (("try_dynamic", True),), "shapes"),
    Configuration("static", "dynamic=False on every compile", (("try_dynamic", False),), "shapes"),
    Configuration("eager hooks", "hooks are not compiled", (("try_eager_hooks", True),), "hooks"),
    Configuration("lowering", "captured graphs without Dynamo", (("lowering", True),)),
    Configuration(
        "background", "inductor compiles in another process", (("background", True),), "waits"
    ),
    Configuration("torch engine", "torch's own compiled autograd", (("engine", "torch"),)),
)


# Seconds of a backend's in recompiles, for which it pays to have them in another process
_WORTH_NOT_WAITING = 1.0


@dataclass(frozen=True)
class TrialOutcome:
    """One row of the table. What a run did not tell is None; counts are of all processes.

    ``seconds_a_step`` is the median time from one backward to the next, ``ordinary_seconds`` the
    shortest of those in which nothing was compiled. ``losses`` are those of the process with the
    lowest rank, ``trials`` what each process noted, by rank. ``error`` is what the script ended
    with, and ``crashed`` says that it was an exception, a signal or our time limit: ``exit_code``
    may also be what the script itself chose. ``lowering`` says in sentences what became of the
    captured graphs where lowering was on. ``recompiles`` are all that torch counts, ``compiles``
    those of user code, ``skipped`` the functions that torch left to Python. ``printed`` is all that
    the script wrote to stdout, ``logged`` to stderr. ``seconds_compiling`` is what all compiles
    took, the first ones too, of which ``seconds_lost`` is a part, ``seconds_of_backends`` what
    backends took of recompiles; ``seconds`` what the whole run took. ``calls`` says how the calls
    of compiled functions ran.
    """

    configuration: Configuration
    backwards: int
    captures: int
    recompiles: int
    seconds_lost: float | None
    seconds_a_step: float | None
    losses: tuple[float | str, ...]
    exit_code: int
    error: str | None
    findings: tuple[Finding, ...]
    lowering: tuple[str, ...] = ()
    graph_breaks: int = 0
    compiles: int = 0
    printed: str = ""
    seconds_compiling: float | None = None
    seconds_of_backends: float = 0.0
    logged: str = ""
    crashed: bool = False
    skipped: int = 0
    calls: TrialCalls = field(default_factory=TrialCalls)
    trials: tuple[Trial, ...] = ()
    ordinary_seconds: float | None = None
    seconds: float | None = None
    # Compiles that ended with an exception, also one that the program or torch caught.
    raised: int = 0
    # Types and texts of those exceptions, each once: what a program prints of one that it caught.
    raised_texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ended:
    """How a run ended, and what it wrote: see `TrialOutcome`."""

    exit_code: int
    error: str | None = None
    printed: str = ""
    logged: str = ""
    seconds: float | None = None
    was_stopped: bool = False


def outcome(configuration: Configuration, run: Run, ended: Ended) -> TrialOutcome:
    """Return what a run of ``configuration`` came to that ``ended`` so."""
    analysis = analyze(run)
    diagnosis, summary = analysis.diagnosis, analysis.summary
    trials = _trials(run)
    first = trials[0] if trials else None
    return TrialOutcome(
        configuration=configuration,
        backwards=sum(len(found.losses) for found in trials),
        captures=summary.captures,
        recompiles=len(run.recompiles),
        seconds_lost=summary.seconds_lost,
        seconds_a_step=_seconds_a_step(first),
        losses=() if first is None else first.losses,
        exit_code=ended.exit_code,
        error=ended.error,
        findings=diagnosis.findings,
        lowering=tuple(lowering_lines(run.captures)),
        graph_breaks=summary.graph_breaks or 0,
        compiles=summary.forward_compiles or 0,
        printed=ended.printed,
        seconds_compiling=_seconds_compiling(run),
        seconds_of_backends=_seconds_of_backends(run),
        logged=ended.logged,
        crashed=_crashed(run, ended),
        skipped=sum(found.skipped for found in trials),
        calls=_calls(trials),
        trials=trials,
        ordinary_seconds=None if first is None else first.ordinary_seconds(),
        seconds=ended.seconds,
        raised=sum(one.failed is not None for one in run.compiles),
        raised_texts=tuple(
            dict.fromkeys(
                text
                for one in run.compiles
                if one.failed is not None
                for text in (one.fail_type, one.fail_reason)
                if text
            )
        ),
    )


def unrecorded(configuration: Configuration, ended: Ended) -> TrialOutcome:
    """Return what a run came to that recorded nothing: it compiled nothing, for whatever reason."""
    return TrialOutcome(
        configuration=configuration,
        backwards=0,
        captures=0,
        recompiles=0,
        seconds_lost=None,
        seconds_a_step=None,
        losses=(),
        exit_code=ended.exit_code,
        error=ended.error,
        findings=(),
        printed=ended.printed,
        logged=ended.logged,
        crashed=ended.exit_code != 0,
        seconds=ended.seconds,
    )


def _crashed(run: Run, ended: Ended) -> bool:
    """Return whether the program did not end by its own choice."""
    if not ended.exit_code:
        return False
    ends = [process.end for process in run.processes]
    has_raised = any(end is not None and end.error is not None for end in ends)
    return ended.was_stopped or ended.exit_code < 0 or has_raised or not any(ends)


def _calls(trials: Sequence[Trial]) -> TrialCalls:
    calls = [found.calls for found in trials]
    first = calls[0] if calls else TrialCalls()
    return replace(
        first, compiled=sum(one.compiled for one in calls), eager=sum(one.eager for one in calls)
    )


def suggested(as_is: TrialOutcome) -> tuple[Configuration, ...]:
    """List configurations worth trying after that run; without captures those of forwards."""
    rules = {rule for found in as_is.findings for rule in (found.rule, *found.other_rules)}
    wanted: set[Varied | None] = {rule.suggests_trial for rule in rules if rule.suggests_trial}
    if as_is.captures:
        wanted.add(None)
    if as_is.seconds_of_backends > _WORTH_NOT_WAITING:
        wanted.add("waits")
    return tuple(found for found in CONFIGURATIONS if found is not AS_IS and found.varies in wanted)


def agreement(reference: TrialOutcome, other: TrialOutcome) -> str:
    """Return whether the losses of ``other`` are those of ``reference``, in words."""
    pairs = list(zip(reference.losses, other.losses, strict=False))
    if not pairs:
        return "none to compare"
    worst = 0.0
    for step, (left, right) in enumerate(pairs):
        difference = relative_difference(left, right)
        if difference > TOLERANCE:
            return f"differ from backward {step} on: {_show(left)}, {_show(right)}"
        worst = max(worst, difference)
    # A run may have ended early, or late: then this says about how many it is.
    counted = f" ({len(pairs)} of {len(reference.losses)})"
    short = counted if len(pairs) < len(reference.losses) else ""
    return f"equal{short}" if worst == 0 else f"agree to {magnitude(worst)}{short}"


def relative_difference(left: float | str, right: float | str) -> float:
    """Relative difference; texts (nan, inf) are equal or not."""
    if isinstance(left, str) or isinstance(right, str):
        return 0.0 if left == right else math.inf
    return abs(left - right) / max(abs(left), abs(right), 1e-12)


def _show(value: float | str) -> str:
    return value if isinstance(value, str) else six_digits(value)


def _seconds_compiling(run: Run) -> float | None:
    known = [found.seconds for found in run.compiles if found.seconds is not None]
    return sum(known) if known else None


def _seconds_of_backends(run: Run) -> float:
    return sum(found.phases.get("backend", 0.0) for found in run.recompiles)


def _trials(run: Run) -> tuple[Trial, ...]:
    """Return what each process noted, that with the lowest rank first."""
    trials = [process for process in run.processes if process.trial is not None]
    trials.sort(key=lambda process: (process.rank or 0, process.index))
    return tuple(process.trial for process in trials if process.trial is not None)


def _seconds_a_step(trial: Trial | None) -> float | None:
    if trial is None or len(trial.starts) < 2:
        return None
    starts = trial.starts
    return median(after - before for before, after in pairwise(starts))
