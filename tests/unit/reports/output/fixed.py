"""The patches of a run, made by hand."""

from __future__ import annotations

from ca_reports.causes.findings import Finding
from ca_reports.causes.remedies import Remedy
from ca_reports.causes.rules import find_rule
from ca_reports.output import formats
from ca_reports.patching.patches import Patch, Proposal, Replacement
from ca_reports.patching.result import Fix, Fixes

RULE = find_rule("CA101")
assert RULE is not None
FINDING = Finding(RULE.about(), "warning", "it\nshrank", Remedy("drop it"), seconds=2.0)
TEXT = "one\ntwo\nthree\n\n\n\n\nfour\r\nfive"
FIRST = Patch("two is 2", (Replacement("a/b.py", 4, 7, "2"),))
# In a line without an end, after one that the first patch makes shorter.
SECOND = Patch("more", (Replacement("a/b.py", len(TEXT), len(TEXT), "!"),), intention="adds")
FIXES = Fixes(
    {"a/b.py": TEXT},
    offered=(Fix(FINDING, FIRST, alternatives=(Fix(FINDING, SECOND),)), Fix(FINDING, SECOND)),
    refused=(Proposal(FINDING, refusal="two calls"),),
)


def shown(name: str, fixes: Fixes = FIXES) -> str:
    found = formats.find(name, "fixes")
    assert found is not None
    return found.text("fixes", fixes)
