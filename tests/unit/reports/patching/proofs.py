"""A finding and what trials of its patches counted."""

from __future__ import annotations

from dataclasses import replace

from ca_reports.causes.findings import Finding
from ca_reports.causes.remedies import Remedy
from ca_reports.causes.rules import find_rule
from ca_reports.patching.patches import Patch
from ca_reports.patching.trial import AS_IS, TrialOutcome
from ca_reports.run.model import Capture, TensorSum, Trial

RULE = find_rule("CA101")
assert RULE is not None
FINDING = Finding(
    RULE.about(),
    "warning",
    "m",
    Remedy("f"),
    key="k",
    events=(Capture(1, 0, None, None, "", 1, step=2),),
)
SAME, OTHER = Patch("what", ()), Patch("what", (), intention="leaves samples out")
LOSSES = (4.0, 3.0, 2.0, 1.0)


def trial(*losses: float | str, **more: object) -> Trial:
    """A process with these losses, whose gradients and weights do not say anything."""
    return replace(Trial((), losses, False), **more)  # type: ignore[arg-type]


def sums(*magnitudes: float, tensors: int = 2) -> tuple[TensorSum, ...]:
    """Sums over ``tensors``, one a backward; of equal magnitudes the bits are equal."""
    return tuple(TensorSum(tensors, one, hash(one) & 0xFFFF) for one in magnitudes)


def with_losses(outcome: TrialOutcome, *losses: float | str, **more: object) -> TrialOutcome:
    """``outcome`` with backwards that began with ``losses``."""
    return replace(outcome, backwards=len(losses), losses=losses, trials=(trial(*losses, **more),))


BEFORE = with_losses(
    TrialOutcome(AS_IS, 4, 2, 1, 3.0, 0.1, LOSSES, 0, None, (FINDING,), compiles=3), *LOSSES
)
AFTER = replace(BEFORE, captures=1, recompiles=0, compiles=2, seconds_lost=0.0, findings=())
