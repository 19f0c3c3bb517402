"""Proves the patches of a run: each alone, all together, and those that only work together."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ca_cli import trials, verifying
from ca_cli.console import tell
from ca_cli.trial_progress import TrialProgress
from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.patches import Patch
    from ca_reports.patching.program import EditableProgram
    from ca_reports.patching.proof import Proof
    from ca_reports.patching.result import Fix, Fixes
    from ca_reports.patching.trial import TrialOutcome
    from ca_reports.run.model import Run


@dataclass(frozen=True)
class Chosen:
    """What the user chose of how to verify: see the options of `ca fix`."""

    steps: int | None = None
    timeout: float | None = None
    yes: bool = False
    quiet: bool = False


def verified(recorded: Run, fixes: Fixes, program: EditableProgram, chosen: Chosen) -> Fixes:
    """Run each patch and its alternatives; of a finding's proven ones offer the best."""
    command = verifying.command_of(recorded)
    steps = chosen.steps or verifying.steps_for((one.finding for one in fixes.offered), recorded)
    tried = [one for found in fixes.offered for one in (found, *found.alternatives)]
    # As it is, and with each patch; of several findings also with all that are proven, with
    # each other patch beside those, and with those that fail together.
    fewest = 1 + len(tried)
    runs = fewest, fewest + (1 + len(tried) if len(fixes.offered) > 1 else 0)
    expected = verifying.recorded_seconds(recorded)
    verifying.agree_to(command, runs, steps, expected, yes=chosen.yes, quiet=chosen.quiet)
    progress = TrialProgress(runs, expected=expected, quiet=chosen.quiet)
    limits = verifying.RunLimits(steps, chosen.timeout)
    with tempfile.TemporaryDirectory(prefix="ca-fix-", ignore_cleanup_errors=True) as name:
        return Verification(command, fixes, program, limits, Path(name), progress).run()


class Verification:
    """The runs of one program with and without the patches of ``fixes``."""

    def __init__(
        self,
        command: verifying.Command,
        fixes: Fixes,
        program: EditableProgram,
        limits: verifying.RunLimits,
        folder: Path,
        progress: TrialProgress,
    ) -> None:
        self._command = command
        self._fixes = fixes
        self._program = program
        self._limits = limits
        self._folder = folder
        self._progress = progress
        self._runs = 0
        self._again: TrialOutcome | None = None
        self._before: TrialOutcome | None = None

    def run(self) -> Fixes:
        """Return the fixes with what was proven, what failed, and what is left after all."""
        before = self.before
        if not before.crashed and not before.backwards:
            if before.error is not None:
                trials.require_backwards(before)
            if not self._progress.is_quiet:
                tell("no backward ran, so what it prints or what compiled calls give is compared")
        self._limits = self._limits.after(before)
        if before.seconds is not None and not before.crashed:
            self._progress.expected = before.seconds
        fixes, proven_by = self._together(self._alone())
        fixes, proven_by = self._beside(fixes, proven_by or before)
        fixes, proven_by = self._joined(fixes, proven_by)
        if not fixes.offered:
            return fixes
        return _without_gone(replace(fixes, left=_left(proven_by)), before, proven_by)

    @property
    def before(self) -> TrialOutcome:
        """Return the program as it is."""
        if self._before is None:
            self._before = self._run("as is", "no patch", ())
        return self._before

    def _run(self, name: str, what: str, patches: Sequence[Patch]) -> TrialOutcome:
        """Run the program with ``patches``. Raises `RefusedError` if they overlap."""
        from ca_reports.patching.patches import applied

        changed = None
        if patches:
            texts = applied(dict(self._fixes.texts), patches)
            changed = {self._program.files[file].path: text for file, text in texts.items()}
        self._runs += 1
        place = self._folder / str(self._runs)
        try:
            return self._command.run(name, what, place, self._limits, self._progress, changed)
        except trials.NothingRecordedError as nothing:
            if not patches:
                raise
            return nothing.outcome  # the patch broke it before torch was there

    def _prove(
        self, finding: Finding, patch: Patch, base: TrialOutcome, after: TrialOutcome
    ) -> Proof:
        """Judge ``after`` beside ``base``; if results differ, see if they do without a patch."""
        from ca_reports.patching.proof import prove

        steps = self._limits.steps or base.backwards
        proof = prove(finding, patch, steps, base, after)
        if not proof.has_other_results:
            return proof
        if self._again is None:
            self._again = self._run("as is", "once more, since results differ", ())
        return prove(finding, patch, steps, base, after, (self.before, self._again))

    def _alone(self) -> Fixes:
        """Run each patch alone, or with the one that it needs."""
        from ca_reports.patching.patches import RefusedError
        from ca_reports.patching.propose import propose_for
        from ca_reports.patching.result import Fix

        offered: list[Fix] = []
        failed: list[Fix] = []
        for found in _needed_first(self._fixes.offered):
            proven: list[Fix] = []
            base, each = self.before, (found, *found.alternatives)
            needed = next((one for one in offered if one.finding is found.beside), None)
            if needed is not None and needed.proof is not None:
                base = needed.proof.after
            with_it = [] if needed is None else [needed.patch]
            if found.patch.upon is not None:
                below = next((one for one in offered if one.patch is found.patch.upon), None)
                if below is not None and below.proof is not None:
                    base = below.proof.after
                else:
                    by_itself = propose_for(found.finding, self._program).patches
                    each = tuple(Fix(found.finding, patch) for patch in by_itself)
            for one in each:
                try:
                    after = self._run(found.finding.code, one.patch.what, [*with_it, one.patch])
                except RefusedError:  # that one changes the same lines as an alternative
                    continue
                proof = self._prove(one.finding, one.patch, base, after)
                own = replace(one, proof=proof, alternatives=())
                (failed if proof.failure else proven).append(own)
            if proven:
                proven.sort(key=_cost)
                offered.append(replace(proven[0], alternatives=tuple(proven[1:])))
        order = [one.finding for one in self._fixes.offered]
        offered.sort(key=lambda one: order.index(one.finding))
        return replace(self._fixes, offered=tuple(offered), failed=tuple(failed))

    def _together(self, fixes: Fixes) -> tuple[Fixes, TrialOutcome | None]:
        """Run all offered patches at once; if that fails, offer the first, which is worth most.

        Also return what came of what is offered; None if nothing is.
        """
        from ca_reports.patching.patches import Proposal, RefusedError

        # A patch that needs another one cannot be the only one.
        first, *others = _needed_first(fixes.offered) or (None,)
        if first is None:
            return fixes, None
        outcome = first.proof.after if first.proof is not None else None
        if not others:
            return fixes, outcome
        joined = _as_one(f"{len(fixes.offered)} patches", [one.patch for one in fixes.offered])
        try:
            after = self._run("together", joined.what, [one.patch for one in fixes.offered])
        except RefusedError as overlap:
            failure = str(overlap)
        else:
            # Losses may differ from the earliest finding on that one of the patches is for.
            finding = min(fixes.offered, key=_first_step).finding
            proof = self._prove(finding, joined, self.before, after)
            failure = proof.failure
            if not failure:
                self._tell(f"{joined.what} together: {proof.counts}; {proof.agreement}")
                return fixes, after
        self._tell(f"{joined.what} together: {failure}; only the first is offered")
        words = f"proven alone, but not beside {first.finding.code}: apply that, and run it again"
        left = tuple(Proposal(one.finding, refusal=words) for one in others)
        return replace(fixes, offered=(first,), refused=(*fixes.refused, *left)), outcome

    def _beside(self, fixes: Fixes, proven: TrialOutcome) -> tuple[Fixes, TrialOutcome]:
        """Run each that saved nothing once more, with the offered patches: ``proven``.

        One whose finding is gone with those is not needed.

        Of two causes in the same steps, or two breaks of one graph, the patch of one may save
        nothing by itself.
        """
        from ca_reports.patching.patches import RefusedError
        from ca_reports.patching.proof import findings_of

        offered, failed = list(fixes.offered), list(fixes.failed)
        for one in fixes.failed if offered else ():
            is_known = any(found.finding is one.finding for found in offered)
            if is_known or not _is_idle(one) or not findings_of(one.finding, proven.findings):
                continue
            codes = ", ".join(dict.fromkeys(found.finding.code for found in offered))
            patches = [*(found.patch for found in offered), one.patch]
            try:
                after = self._run(f"{one.finding.code} beside {codes}", one.patch.what, patches)
            except RefusedError:
                continue
            proof = self._prove(one.finding, one.patch, proven, after)
            if proof.failure:
                continue
            needed = f"by itself it saves nothing: measured beside the patch for {codes}"
            note = f"{one.patch.note}; {needed}" if one.patch.note else needed
            offered.append(replace(one, patch=replace(one.patch, note=note), proof=proof))
            failed.remove(one)
            proven = after
        return replace(fixes, offered=tuple(offered), failed=tuple(failed)), proven

    def _joined(self, fixes: Fixes, proven: TrialOutcome) -> tuple[Fixes, TrialOutcome]:
        """Run the patches that save nothing alone at once: they may only work together.

        Those that are needed for it become one patch.
        """
        from ca_reports.patching.patches import RefusedError

        parts: list[Fix] = []
        for one in fixes.failed:
            is_known = any(found.finding is one.finding for found in (*parts, *fixes.offered))
            if _is_idle(one) and not is_known:
                parts.append(one)
        if len(parts) < 2:
            return fixes, proven
        others = [one.patch for one in fixes.offered]

        def tried(parts: Sequence[Fix]) -> tuple[Patch, Proof] | None:
            patch = _as_one(" and ".join(one.patch.what for one in parts), _patches(parts))
            codes = " with ".join(dict.fromkeys(one.finding.code for one in parts))
            try:
                after = self._run(codes, "all at once", [*others, *_patches(parts)])
            except RefusedError:
                return None
            proof = self._prove(parts[0].finding, patch, proven, after)
            return None if proof.failure else (patch, proof)

        found = tried(parts)
        if found is None:
            return fixes, proven
        for one in parts if len(parts) > 2 else ():
            fewer = [other for other in parts if other is not one]
            without = tried(fewer) if len(fewer) > 1 else None
            if without is not None and _saves_as_much(without[1], found[1]):
                parts, found = fewer, without
        patch, proof = found
        also = tuple(one.finding for one in parts[1:])
        whole = replace(parts[0], patch=patch, proof=proof, alternatives=(), also=also)
        failed = tuple(one for one in fixes.failed if one not in parts)
        return replace(fixes, offered=(*fixes.offered, whole), failed=failed), proof.after

    def _tell(self, text: str) -> None:
        if not self._progress.is_quiet:
            tell(text)


def _needed_first(fixes: Sequence[Fix]) -> list[Fix]:
    """Return those that need no other one before those that do."""
    return sorted(fixes, key=lambda one: one.beside is not None)


def _patches(fixes: Sequence[Fix]) -> list[Patch]:
    return [one.patch for one in fixes]


def _as_one(what: str, patches: Sequence[Patch]) -> Patch:
    """Return one patch with all the changes of ``patches``."""
    from ca_reports.patching.patches import Patch, standing

    return Patch(
        what,
        tuple(standing(patches)),
        "; ".join(dict.fromkeys(one.intention for one in patches if one.intention)),
        "; ".join(dict.fromkeys(one.note for one in patches if one.note)),
        keeps_requires_grad=any(one.keeps_requires_grad for one in patches),
    )


def _is_idle(fix: Fix) -> bool:
    return fix.proof is not None and fix.proof.is_idle


def _saves_as_much(proof: Proof, other: Proof) -> bool:
    counts = [
        (one.after.captures, one.after.recompiles, one.after.graph_breaks, one.after.compiles)
        for one in (proof, other)
    ]
    return counts[0] <= counts[1]


def _left(outcome: TrialOutcome) -> tuple[Finding, ...]:
    return tuple(one for one in outcome.findings if one.severity != "info")


def _without_gone(fixes: Fixes, before: TrialOutcome, after: TrialOutcome) -> Fixes:
    """Set apart the findings without a patch that are gone with those that are offered."""
    from ca_reports.patching.proof import findings_of

    without = [one.finding for one in fixes.failed if _is_idle(one)]
    without += [one.finding for one in fixes.refused]
    gone = {
        id(one): one
        for one in without
        if findings_of(one, before.findings) and not findings_of(one, after.findings)
    }
    return replace(
        fixes,
        failed=tuple(one for one in fixes.failed if id(one.finding) not in gone),
        refused=tuple(one for one in fixes.refused if id(one.finding) not in gone),
        gone=tuple(gone.values()),
    )


def _first_step(fix: Fix) -> int:
    """Return the first backward of a finding's events; 0 where they do not say."""
    steps = (getattr(event, "step", None) for event in fix.finding.events)
    return min((step for step in steps if step is not None), default=0)


def _cost(fix: Fix) -> tuple[bool, bool, bool, float]:
    """Rank proven patches by what is left to pay.

    One that compiled longer than the program as it is comes last, one that leaves its finding
    there after one that does not, one that changes no numbers first.
    """
    assert fix.proof is not None
    is_longer = fix.proof.longer is not None
    is_left = fix.proof.is_improvement
    return is_longer, is_left, bool(fix.patch.intention), fix.proof.after.seconds_lost or 0.0
