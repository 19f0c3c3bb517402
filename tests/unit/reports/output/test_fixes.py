"""The patches of a run in each format."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.unit.reports.output.fixed import FIXES, shown


def test_no_patch_is_said() -> None:
    assert shown("markdown", replace(FIXES, offered=())) == "No patch to offer.\n"
    assert shown("diff", replace(FIXES, offered=())) == ""
    assert json.loads(shown("review", replace(FIXES, offered=())))["comments"] == []
