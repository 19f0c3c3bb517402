"""Judges a patch: the same program, run as it was and with the patch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ca_reports.text.numbers import counted
from ca_reports.trial import TOLERANCE, relative_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.findings import Finding
    from ca_reports.fixes.patches import Patch
    from ca_reports.trial import TrialOutcome

# equal: bit for bit. noise: within what another order of float32 sums makes.
# intended: equal up to the first step where the patch changes the samples.
Losses = Literal["equal", "noise", "intended", "different", "unknown"]


# Compiles of the same program take a tenth more or less from run to run.
_NOISE, _NOTICED = 0.1, 0.1


@dataclass(frozen=True, slots=True)
class Proof:
    """Two runs side by side, of ``steps`` backwards at most.

    ``failure`` says why the patch is not to be offered; empty if it is. ``differs_from`` is the
    first backward, counted from 0, whose loss is another; None if there is none. Where losses
    differ by more than float noise, it is the first of those, and ``exact`` says whether all
    before it are equal bit for bit.
    """

    steps: int
    before: TrialOutcome
    after: TrialOutcome
    losses: Losses
    differs_from: int | None
    exact: bool = True
    failure: str = ""

    def compared_with(self, again: TrialOutcome) -> Proof:
        """Say what the losses tell where the program, run ``again`` as it was, has others, too."""
        if self.before.losses == again.losses or self.losses != "different":
            return self
        failure = "losses differ from run to run without a patch, too: seed the script's numbers"
        return replace(self, failure=failure)

    @property
    def saved(self) -> str:
        """``1 recompile`` in words: what the patch leaves out."""
        old, new = self.before, self.after
        pairs = (
            (old.captures - new.captures, "capture"),
            (old.recompiles - new.recompiles, "recompile"),
            (old.graph_breaks - new.graph_breaks, "graph break"),
            (old.compiles - new.compiles, "compile"),
        )
        # Compiles are counted where nothing else tells.
        return ", ".join(counted(number, what) for number, what in pairs[:3] if number > 0) or (
            counted(*pairs[3])
        )

    @property
    def counts(self) -> str:
        """``captures 2 → 1, recompiles 1 → 0`` in words; graph breaks where there are any,
        compiles where nothing else changed.
        """
        old, new = self.before, self.after
        told = [
            f"captures {old.captures} → {new.captures}",
            f"recompiles {old.recompiles} → {new.recompiles}",
        ]
        if old.graph_breaks or new.graph_breaks:
            told.append(f"graph breaks {old.graph_breaks} → {new.graph_breaks}")
        if (old.captures, old.recompiles, old.graph_breaks) == (
            new.captures,
            new.recompiles,
            new.graph_breaks,
        ):
            told.append(f"compiles {old.compiles} → {new.compiles}")
        return ", ".join(told)

    @property
    def longer(self) -> float | None:
        """Seconds that all compiles took more with the patch; None where they took no more.

        A compile for every size takes longer than one for a fixed size, which pays off later.
        """
        old, new = self.before.seconds_compiling, self.after.seconds_compiling
        if old is None or new is None or new - old < max(_NOTICED, old * _NOISE):
            return None
        return new - old

    @property
    def agreement(self) -> str:
        """Describe what the losses say."""
        compared = min(len(self.before.losses), len(self.after.losses))
        at = self.differs_from
        if self.losses == "equal" and not self.before.backwards:
            lines = len(self.before.printed.splitlines())
            return f"no backward ran; {counted(lines, 'printed line')} equal"
        if self.losses == "equal":
            return f"losses of {counted(compared, 'backward')} equal bit for bit"
        if self.losses == "noise":
            return f"losses equal within float noise, bit for bit up to backward {at}"
        if self.losses == "intended":
            how = "bit for bit" if self.exact else "within float noise"
            return f"losses equal {how} before backward {at}; from there they differ by design"
        if self.losses == "unknown":
            return "no losses to compare"
        return f"losses differ from backward {at} on"


def prove(
    finding: Finding, patch: Patch, steps: int, before: TrialOutcome, after: TrialOutcome
) -> Proof:
    """Judge ``patch`` by the outcome of the program as it was and of the patched one."""
    shown = _of(finding, before.findings)
    losses, first, exact = _compare(before, after, patch, shown)
    failure = ""
    if not shown and not before.backwards:
        failure = f"{finding.code} did not show again"
    elif not shown:
        failure = (
            f"{finding.code} did not show within {counted(before.backwards, 'backward')}: "
            "--steps takes more"
        )
    elif after.error is not None and after.error != before.error:
        failure = f"the patched program ended with: {after.error}"
    elif len(_of(finding, after.findings)) >= len(shown):
        failure = f"{finding.code} is still there"
    elif after.backwards < before.backwards and not patch.intention:
        failure = f"it ran {counted(after.backwards, 'backward')} of {before.backwards}"
    elif _cost(after) >= _cost(before):
        failure = "it saves no capture, no compile and no graph break"
    elif uncompiled := _uncompiled(before, after):
        failure = uncompiled
    elif _is_worse(before, after):
        failure = "it brings more recompiles or graph breaks than it saves"
    elif finding.severity == "info" and _lost_more(before, after):
        failure = "nothing was lost, and it compiles longer"
    elif losses == "different" and not before.backwards:
        failure = "it prints something else, and no backward ran whose loss could be compared"
    elif losses == "unknown":
        failure = "no loss could be compared"
    elif losses == "different":
        failure = f"it changes the losses from backward {first} on"
    return Proof(steps, before, after, losses, first, exact, failure)


def _cost(outcome: TrialOutcome) -> int:
    return outcome.captures + outcome.recompiles + outcome.graph_breaks + outcome.compiles


def _uncompiled(before: TrialOutcome, after: TrialOutcome) -> str:
    """Say so where little is compiled any more: nothing is lost then, and nothing is won."""
    if before.compiles and not (after.compiles or after.captures):
        return "nothing is compiled with it"
    calls, eager = sum(after.stances.values()), after.stances.get("force_eager", 0)
    if eager * 2 > calls:
        return f"it runs {eager} of {counted(calls, 'call')} uncompiled"
    return ""


def _is_worse(before: TrialOutcome, after: TrialOutcome) -> bool:
    """Return whether there is more to compile for one of its causes, and more seconds are lost."""
    is_more = after.recompiles > before.recompiles or after.graph_breaks > before.graph_breaks
    return is_more and _lost_more(before, after)


def _lost_more(before: TrialOutcome, after: TrialOutcome) -> bool:
    old, new = before.seconds_lost, after.seconds_lost
    return old is not None and new is not None and new > old * (1 + _NOISE) + _NOTICED


def _of(finding: Finding, found: Sequence[Finding]) -> list[Finding]:
    """The findings of the same cause: a patch may move its line."""
    return [one for one in found if (one.code, one.key) == (finding.code, finding.key)]


def _compare(
    before: TrialOutcome, after: TrialOutcome, patch: Patch, shown: Sequence[Finding]
) -> tuple[Losses, int | None, bool]:
    if not before.backwards and before.printed:
        return "equal" if before.printed == after.printed else "different", None, True
    pairs = list(zip(before.losses, after.losses, strict=False))
    if not pairs:
        return "unknown", None, True
    first = next((step for step, (old, new) in enumerate(pairs) if old != new), None)
    if first is None:
        return "equal", None, True
    beyond = next(
        (
            step
            for step, (old, new) in enumerate(pairs)
            if relative_difference(old, new) > TOLERANCE
        ),
        None,
    )
    if beyond is None:
        return "noise", first, False
    steps = [
        step
        for found in shown
        for event in found.events
        if (step := getattr(event, "step", None)) is not None
    ]
    # A recompile does not say in which step it was; then only the patch says what to expect.
    if patch.intention and beyond >= min(steps, default=0):
        return "intended", beyond, first == beyond
    return "different", beyond, first == beyond
