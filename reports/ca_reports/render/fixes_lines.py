"""Words about a patch, in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.text.numbers import counted, duration

if TYPE_CHECKING:
    from ca_reports.fixes.proof import Proof
    from ca_reports.fixes.result import Fix


def lines(fix: Fix) -> list[str]:
    """The finding, the change and its effect, a line each."""
    finding = fix.finding
    told = [f"{finding.rule}: {finding.message}", fix.patch.what]
    if fix.proof is not None:
        told += proof_lines(fix.proof)
    elif finding.seconds is not None:
        told.append(f"expected to save {duration(finding.seconds)}; --verify measures it")
    if fix.patch.intention:
        told.append(f"by design, it {fix.patch.intention}")
    if fix.patch.note:
        told.append(fix.patch.note)
    told += [f"alternative: {_alternative(other)}" for other in fix.alternatives]
    return told


def proof_lines(proof: Proof) -> list[str]:
    """Describe what was measured, and whether it holds."""
    before, after = proof.before, proof.after
    lost = f"lost {duration(before.seconds_lost)} → {duration(after.seconds_lost)}"
    verb = f"ran {counted(before.backwards, 'backward')}"
    told = [f"{verb}: {proof.counts}, {lost}{_longer(proof)}", proof.agreement]
    if proof.failure:
        told.append(f"not offered: {proof.failure}")
    return told


def _longer(proof: Proof) -> str:
    """Say plainly where fewer compiles took longer."""
    if proof.longer is None or proof.failure:
        return ""
    return f"; saves {proof.saved}, but compiles {duration(proof.longer)} longer"


def _alternative(fix: Fix) -> str:
    what = fix.patch.what
    return what if fix.proof is None else f"{what} ({proof_lines(fix.proof)[0]})"
