"""Words about a patch, in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.output import advice
from ca_reports.sentences.places import shown_place
from ca_reports.words.numbers import counted, duration, fine_duration
from ca_reports.words.places import is_typed

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.proof import Proof
    from ca_reports.patching.result import Fix


def lines(fix: Fix) -> list[str]:
    """Return the finding, the change and its effect, a line each."""
    finding = fix.finding
    told = [f"{finding.rule}: {finding.message}"]
    told += [f"also {one.rule}: {one.message}" for one in fix.also]
    told.append(fix.patch.what)
    if fix.proof is not None:
        told += proof_lines(fix.proof)
    elif finding.seconds is not None:
        # Nothing can write a patch into what was typed, so nothing can run it with the patch.
        measured = "" if any(map(is_typed, fix.patch.files)) else "; --verify measures it"
        told.append(f"{_expected(finding)}{measured}")
    if fix.beside is not None:
        told.append(f"only with the patch for {fix.beside.code}")
    if fix.patch.intention:
        told.append(f"by design, it {fix.patch.intention}")
    if fix.patch.note:
        told.append(fix.patch.note)
    told += [f"alternative: {_alternative(other)}" for other in fix.alternatives]
    return told


def _expected(finding: Finding) -> str:
    """Say what a patch saves by the times of the run: by itself, where another cause is in it."""
    if finding.saves == 0 and finding.saves_of:
        return advice.saving(finding, finding.saves)
    return f"expected to save {duration(finding.seconds or 0.0)}"


def proof_lines(proof: Proof) -> list[str]:
    """Describe what was measured, and whether it holds."""
    before, after = proof.before, proof.after
    lost = f", lost {duration(before.seconds_lost)} → {duration(after.seconds_lost)}"
    if proof.cures_crash:
        lost = ""  # it had not come to what is lost later
    verb = f"ran {counted(before.backwards, 'backward')}" if before.backwards else "measured"
    if before.backwards != after.backwards:
        verb = f"ran {before.backwards} → {counted(after.backwards, 'backward')}"
    told = _eager(proof)
    told.append(f"{verb}: {proof.counts}{lost}{_longer(proof)}")
    if proof.cures_crash:
        told.append(f"without it the program stops: {before.error}")
    told.append(proof.agreement)
    if proof.slower_steps is not None:
        old, new = map(fine_duration, proof.slower_steps)
        told.append(f"a step that compiles nothing takes longer: {old} → {new}")
    if proof.failure:
        told.append(f"not offered: {proof.failure}")
    elif proof.is_improvement:
        told.append("improves it but does not cure it; still there with it:")
        told += [still_there(one) for one in proof.left]
    return told


def _eager(proof: Proof) -> list[str]:
    """Say first how many calls a patch leaves uncompiled, where it leaves more than without it."""
    old, new = proof.before.calls, proof.after.calls
    if new.eager <= old.eager:
        return []
    return [f"runs {new.eager} of {counted(new.all, 'call')} uncompiled"]


def still_there(finding: Finding, cwd: str | None = None) -> str:
    """Name a finding that a program has with its patches; its file below ``cwd``."""
    at = finding.location
    place = "" if at is None else f" ({shown_place(at, cwd)})"
    return f"{finding.rule}: {finding.message}{place}"


def _longer(proof: Proof) -> str:
    """Say plainly where compiles took longer, fewer ones too."""
    if proof.longer is None or proof.failure:
        return ""
    saved = f"saves {proof.saved}, but " if proof.saved else ""
    return f"; {saved}compiles {duration(proof.longer)} longer"


def _alternative(fix: Fix) -> str:
    """Name another patch, what it was measured to do, and what else it changes."""
    told = fix.patch.what
    if fix.proof is not None:
        told = f"{told} ({proof_lines(fix.proof)[0]})"
    return f"{told}; by design, it {fix.patch.intention}" if fix.patch.intention else told
