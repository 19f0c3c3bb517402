"""A finding and what trials of its patches counted."""

from __future__ import annotations

from dataclasses import replace

from ca_reports.findings import Finding
from ca_reports.fixes.patches import Patch
from ca_reports.model import Capture
from ca_reports.rules import find_rule
from ca_reports.trial import AS_IS, TrialOutcome

RULE = find_rule("CA101")
assert RULE is not None
FINDING = Finding(
    RULE.about(), "warning", "m", "f", key="k", events=(Capture(1, 0, None, None, "", 1, step=2),)
)
SAME, OTHER = Patch("what", ()), Patch("what", (), intention="leaves samples out")
BEFORE = TrialOutcome(AS_IS, 4, 2, 1, 3.0, 0.1, (4.0, 3.0, 2.0, 1.0), 0, None, (FINDING,))
AFTER = replace(BEFORE, captures=1, recompiles=0, seconds_lost=0.0, findings=())
