"""Judges a patch: the same program, run as it was and with the patch.

First how the program ends, then what it computes and prints, then what torch counts and how long
it takes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_reports.patching.computed import compare_asking, compare_computed, compare_results
from ca_reports.patching.printed import NOTHING_PRINTED, compare_printed
from ca_reports.words.clean import one_line
from ca_reports.words.numbers import counted, joined, percent
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.computed import ComputedComparison, ResultsComparison
    from ca_reports.patching.patches import Patch
    from ca_reports.patching.printed import PrintedComparison
    from ca_reports.patching.trial import TrialOutcome

# equal: bit for bit. noise: within what another order of float32 sums makes.
# intended: equal up to the first step where the patch changes the samples.
Losses = Literal["equal", "noise", "intended", "different", "unknown"]


# Compiles of the same program take a tenth more or less from run to run.
_NOISE, _NOTICED = 0.1, 0.1
# Of the calls of compiled functions, and of their time: more may not become uncompiled.
_MOST_EAGER = 0.1
# Seconds below which the time of a few small calls tells nothing.
_SHORT = 0.05
_LONGEST_TEXT = 80


@dataclass(frozen=True, slots=True)
class Proof:
    """Two runs side by side, of ``steps`` backwards at most.

    ``failure`` says why the patch is not to be offered; empty if it is. ``differs_from`` is the
    first backward, counted from 0, whose numbers differ; None if there is none. Where they
    differ by more than float noise, it is the first of those, and ``exact`` says whether all
    before it are equal bit for bit. ``results`` are compared where no backward ran and nothing is
    printed. ``varies_from`` is the first backward at which the unchanged
    program differs from run to run; None if that was not seen. ``left`` are the findings that
    are still there with the patch, or came with it. ``is_idle`` says that it failed only because
    it saves nothing: beside another patch it may; ``has_other_results`` only because results
    differ unsaid: the program may differ from run to run.
    """

    steps: int
    before: TrialOutcome
    after: TrialOutcome
    losses: Losses
    differs_from: int | None
    exact: bool = True
    failure: str = ""
    computed: ComputedComparison | None = None
    printed: PrintedComparison = NOTHING_PRINTED
    results: ResultsComparison | None = None
    varies_from: int | None = None
    left: tuple[Finding, ...] = ()
    is_idle: bool = False
    has_other_results: bool = False

    @property
    def cures_crash(self) -> bool:
        """Return whether the program stopped before, and comes to its end with the patch."""
        return self.before.crashed and not self.after.crashed

    @property
    def is_improvement(self) -> bool:
        """Return whether it saves something and is no cure: some of it is left."""
        return not self.failure and bool(self.left)

    @property
    def saved(self) -> str:
        """Return ``1 recompile`` in words: what the patch leaves out; empty where that is none."""
        old, new = self.before, self.after
        pairs = (
            (old.captures - new.captures, "capture"),
            (old.recompiles - new.recompiles, "recompile"),
            (old.graph_breaks - new.graph_breaks, "graph break"),
        )
        compiles = old.compiles - new.compiles
        # Compiles are counted where nothing else tells.
        return ", ".join(counted(number, what) for number, what in pairs if number > 0) or (
            counted(compiles, "compile") if compiles > 0 else ""
        )

    @property
    def counts(self) -> str:
        """Return ``captures 2 → 1, recompiles 1 → 0`` in words.

        What there is none of is left out, and compiles are told where nothing else changed,
        compiled calls where some ran uncompiled.
        """
        old, new = self.before, self.after
        told = []
        if old.captures or new.captures:
            told.append(f"captures {old.captures} → {new.captures}")
        if old.recompiles or new.recompiles:
            told.append(f"recompiles {old.recompiles} → {new.recompiles}")
        if old.graph_breaks or new.graph_breaks:
            told.append(f"graph breaks {old.graph_breaks} → {new.graph_breaks}")
        if old.raised != new.raised:
            told.append(f"compiles that raised {old.raised} → {new.raised}")
        if old.skipped != new.skipped:
            told.append(f"skipped functions {old.skipped} → {new.skipped}")
        known = (old.captures, old.recompiles, old.graph_breaks)
        is_same = known == (new.captures, new.recompiles, new.graph_breaks)
        if is_same and old.compiles != new.compiles:
            told.append(f"compiles {old.compiles} → {new.compiles}")
        if old.calls.eager or new.calls.eager:
            told.append(
                f"compiled calls {old.calls.compiled} of {old.calls.all} → "
                f"{new.calls.compiled} of {new.calls.all}"
            )
        return ", ".join(told) or "recompiles 0 → 0"

    @property
    def longer(self) -> float | None:
        """Return seconds that all compiles took more with the patch; None where they took no more.

        A compile for every size takes longer than one for a fixed size, which pays off later.
        """
        old, new = self.before.seconds_compiling, self.after.seconds_compiling
        # One that stopped had not compiled all.
        if self.before.crashed or old is None or new is None:
            return None
        return new - old if new - old >= max(_NOTICED, old * _NOISE) else None

    @property
    def slower_steps(self) -> tuple[float, float] | None:
        """Return seconds of an ordinary step before and after, where it takes clearly longer."""
        old, new = self.before.ordinary_seconds, self.after.ordinary_seconds
        if old is None or new is None or new <= 1.5 * old or new - old < _SHORT / 10:
            return None
        return old, new

    @property
    def agreement(self) -> str:
        """Describe what was compared, and how it agrees."""
        parts = [
            *self._computed_in_words(),
            *self._printed_in_words(),
            *self._results_in_words(),
        ]
        if parts:
            return "; ".join(parts)
        if self.before.crashed:
            return "the program stopped before anything could be compared"
        return "no losses to compare"

    def _computed_in_words(self) -> list[str]:
        found, at = self.computed, self.differs_from
        if found is None or not found.backwards:
            return []
        kinds = [
            "losses",
            *(["gradients"] if found.gradients else []),
            *(["weights"] if found.weights else []),
        ]
        what = joined(kinds)
        if self.losses == "different":
            return [f"{found.what} differ from backward {at} on"]
        number = found.backwards if self.varies_from is None else self.varies_from
        stopped = any(one.stopped for one in self.before.trials)
        is_part = number < self.before.backwards
        which = f"the first {number} of {counted(self.before.backwards, 'backward')}"
        if not is_part:
            which = f"{'the first ' if stopped else ''}{counted(number, 'backward')}"
        if self.losses == "intended":
            how = "bit for bit" if self.exact else "within float noise"
            return [f"{what} equal {how} before backward {at}; from there they differ by design"]
        if self.losses == "noise":
            told = f"{what} of {which} equal within float noise, bit for bit up to backward {at}"
        else:
            told = f"{what} of {which} equal bit for bit"
        if self.varies_from is not None:
            told += "; later ones differ from run to run without a patch, too"
        return [told]

    def _printed_in_words(self) -> list[str]:
        found = self.printed
        if found.verdict not in ("equal", "noise") or not found.lines:
            return []
        how = "equal" if found.verdict == "equal" else "equal within float noise"
        number = counted(found.lines, "printed line")
        if found.lines < found.total:
            return [f"{found.lines} of {counted(found.total, 'printed line')} {how}"]
        none = "" if self.before.backwards else "no backward ran; "
        return [f"{none}{number} {how}"]

    def _results_in_words(self) -> list[str]:
        found = self.results
        if found is None or self.losses not in ("equal", "noise"):
            return []
        how = "bit for bit" if found.first is None else "within float noise"
        of_all = counted(found.total, "compiled call")
        which = of_all if found.calls == found.total else f"{found.calls} of {of_all}"
        return [f"no backward ran; what {which} gave is equal {how}"]


def prove(
    finding: Finding,
    patch: Patch,
    steps: int,
    before: TrialOutcome,
    after: TrialOutcome,
    unchanged: tuple[TrialOutcome, TrialOutcome] | None = None,
) -> Proof:
    """Judge ``patch`` by the outcome of the program without it and of the one with it.

    ``unchanged`` are two runs of the program without any patch: what differs there says nothing.
    """
    shown = findings_of(finding, before.findings)
    computed = compare_computed(before.trials, after.trials)
    varies = None
    if unchanged is not None:
        varies = compare_computed(*(one.trials for one in unchanged)).beyond
    printed = compare_printed(before, after, unchanged)
    losses, first, exact = _judge_computed(computed, varies, patch, shown)
    if not computed.backwards and printed.verdict != "nothing":
        losses = "equal" if printed.verdict == "equal" else printed.verdict
    results = None
    if not computed.backwards and printed.verdict == "nothing":
        results = compare_results(before.trials, after.trials)
        if unchanged is not None:
            varies = compare_results(*(one.trials for one in unchanged)).beyond
        losses = _judge_results(results)
    proof = Proof(
        steps,
        before,
        after,
        losses,
        first,
        exact,
        "",
        computed,
        printed,
        results,
        varies,
        _left(finding, before, after),
    )
    failure = (
        _not_shown(finding, shown, before)
        or _stops(proof)
        or _fewer_backwards(proof, patch)
        or _trains_others(proof, patch)
    )
    changed = "" if failure else _changed(proof)
    failure = failure or changed or _uncompiled(before, after, patch)
    idle = "" if failure or proof.cures_crash else _saves_nothing(finding, before, after)
    return replace(
        proof, failure=failure or idle, is_idle=bool(idle), has_other_results=bool(changed)
    )


def _not_shown(finding: Finding, shown: Sequence[Finding], before: TrialOutcome) -> str:
    if shown:
        return ""
    if not before.backwards:
        return f"{finding.code} did not show again"
    return (
        f"{finding.code} did not show within {counted(before.backwards, 'backward')}: "
        "--steps takes more"
    )


def _stops(proof: Proof) -> str:
    """Say that a program that raises, or is killed, proves nothing; exit codes may stay."""
    before, after = proof.before, proof.after
    if after.crashed and before.crashed:
        is_later = after.error != before.error and after.backwards > before.backwards
        later = f", later (after {counted(after.backwards, 'backward')})" if is_later else ""
        return f"the program still stops{later}: {after.error}"
    if after.crashed:
        return f"the patched program ended with: {after.error}"
    if after.exit_code != before.exit_code and not before.crashed:
        return f"its exit code was {before.exit_code} and is {after.exit_code}"
    return ""


def _fewer_backwards(proof: Proof, patch: Patch) -> str:
    before, after = proof.before, proof.after
    if after.backwards >= before.backwards or patch.intention:
        return ""
    return f"it ran {counted(after.backwards, 'backward')} of {before.backwards}"


def _trains_others(proof: Proof, patch: Patch) -> str:
    asking = compare_asking(proof.before.trials, proof.after.trials)
    if asking is None or patch.keeps_requires_grad:
        return ""
    number = counted(abs(asking.number), "more tensor" if asking.number > 0 else "tensor")
    change = "have requires_grad" if asking.number > 0 else "lose requires_grad"
    if abs(asking.number) == 1:
        change = "has requires_grad" if asking.number > 0 else "loses requires_grad"
    named = f" ({listed(asking.names)})" if asking.names else ""
    return f"it changes what is trained: {number} {change}{named} at backward {asking.step}"


def _changed(proof: Proof) -> str:
    """Say what the program computes or prints otherwise, unsaid."""
    if proof.losses == "different" and proof.computed is not None and proof.computed.backwards:
        return f"it changes the {proof.computed.what} from backward {proof.differs_from} on"
    if proof.results is not None and proof.varies_from is not None:
        return "what calls give differs from run to run without a patch, too: seed the numbers"
    if proof.results is not None and proof.losses == "different":
        return f"it changes what compiled calls give from call {proof.results.beyond} on"
    if proof.varies_from == 0:
        return "losses differ from run to run without a patch, too: seed the script's numbers"
    if proof.printed.verdict == "different" and proof.losses != "intended":
        return _other_print(proof.printed)
    if proof.losses == "unknown" and not proof.before.crashed:
        return "no loss and no result of a compiled call could be compared, and nothing is printed"
    return ""


def _other_print(found: PrintedComparison) -> str:
    old, new = (
        None if line is None else one_line(line, _LONGEST_TEXT)
        for line in (found.before, found.after)
    )
    if old is None:
        return f"it prints one more line: {new!r}"
    if new is None:
        return f"it no longer prints {old!r}"
    return f"it prints something else: {new!r} for {old!r}"


def _uncompiled(before: TrialOutcome, after: TrialOutcome, patch: Patch) -> str:
    """Say so where less is compiled: nothing is lost then, and nothing is won."""
    if before.compiles and not (after.compiles or after.captures):
        return "nothing is compiled with it"
    old, new = before.calls, after.calls
    if before.crashed and new.all and patch.runs_eager and new.eager / new.all > _MOST_EAGER:
        return f"it ends the crash by running {new.eager} of {counted(new.all, 'call')} uncompiled"
    if before.crashed or not (old.all and new.all):
        return ""
    more = new.eager / new.all - old.eager / old.all
    if more > _MOST_EAGER:
        were = f" ({old.eager} of {old.all} without it)" if old.eager else ""
        return f"it runs {new.eager} of {counted(new.all, 'call')} uncompiled{were}"
    # Fewer samples make fewer calls.
    expected = old.compiled * (after.backwards / before.backwards if before.backwards else 1.0)
    if new.compiled < expected * (1 - _MOST_EAGER) and not (
        patch.intention and not before.backwards
    ):
        return f"only {counted(new.compiled, 'compiled call')} of {old.compiled} are left"
    if new.eager > old.eager and new.eager_seconds and new.compiled_seconds:
        eager = new.eager * new.eager_seconds
        part = eager / (eager + new.compiled * new.compiled_seconds)
        if part > _MOST_EAGER and eager > _SHORT:
            took = f"{percent(part)} of the time of all"
            return f"it runs {counted(new.eager, 'call')} uncompiled, which take {took}"
    return ""


def _saves_nothing(finding: Finding, before: TrialOutcome, after: TrialOutcome) -> str:
    old, new = before.calls, after.calls
    # Past a recompile limit functions run uncompiled: to compile them takes compiles.
    compiles_more = new.eager < old.eager and new.compiled > old.compiled
    if compiles_more or after.raised < before.raised:
        return ""
    if _cost(after) >= _cost(before):
        return "it saves no capture, no compile and no graph break"
    is_more = after.recompiles > before.recompiles or after.graph_breaks > before.graph_breaks
    if is_more and _lost_more(before, after):
        return "it brings more recompiles or graph breaks than it saves"
    only_compiles = _events(after) >= _events(before)
    if finding.severity == "info" and only_compiles and _lost_more(before, after):
        return "nothing was lost, and it compiles longer"
    return ""


def _events(outcome: TrialOutcome) -> int:
    return outcome.captures + outcome.recompiles + outcome.graph_breaks + outcome.skipped


def _cost(outcome: TrialOutcome) -> int:
    return _events(outcome) + outcome.compiles


def _lost_more(before: TrialOutcome, after: TrialOutcome) -> bool:
    old, new = before.seconds_lost, after.seconds_lost
    return old is not None and new is not None and new > old * (1 + _NOISE) + _NOTICED


def findings_of(finding: Finding, found: Sequence[Finding]) -> list[Finding]:
    """Return those of the same cause in another run: a patch may move its line."""
    return [one for one in found if (one.code, one.key) == (finding.code, finding.key)]


def _left(finding: Finding, before: TrialOutcome, after: TrialOutcome) -> tuple[Finding, ...]:
    """Return what is still there of ``finding``, and what was not there before it was patched."""
    known = {(one.code, one.key) for one in before.findings} - {(finding.code, finding.key)}
    return tuple(
        one for one in after.findings if one.severity != "info" and (one.code, one.key) not in known
    )


def _judge_results(found: ResultsComparison) -> Losses:
    """Return the verdict on what compiled calls gave."""
    if not found.calls:
        return "unknown"
    if found.beyond is not None:
        return "different"
    return "equal" if found.first is None else "noise"


def _judge_computed(
    found: ComputedComparison, varies: int | None, patch: Patch, shown: Sequence[Finding]
) -> tuple[Losses, int | None, bool]:
    """Give the verdict, the backward from which numbers differ, and if those before are equal.

    From the backward ``varies`` on they differ from run to run.
    """
    first, beyond = found.first, found.beyond
    if varies is not None:
        beyond = beyond if beyond is not None and beyond < varies else None
        first = first if first is not None and first < varies else None
    if not found.backwards:
        return "unknown", None, True
    if first is None:
        return "equal", None, True
    if beyond is None:
        return "noise", first, False
    steps = [
        step
        for one in shown
        for event in one.events
        if (step := getattr(event, "step", None)) is not None
    ]
    # A recompile does not say in which step it was; then only the patch says what to expect.
    if patch.intention and beyond >= min(steps, default=0):
        return "intended", beyond, first == beyond
    return "different", beyond, first == beyond
