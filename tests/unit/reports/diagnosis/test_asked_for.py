"""Findings about what the program asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.diagnosis.asked_for import with_asked_for
from tests.unit.reports.causes.rules.recompiled import compiled, explained

if TYPE_CHECKING:
    from ca_reports.facts.costs import Inherent

ANALYSIS = explained(
    compiled(0), compiled(1, "self.fast == True"), compiled(2, "self.fast == False")
)


def told(*whys: Inherent | None, is_note: bool = False) -> tuple[bool, str, str]:
    """Say how the finding of two recompiles is told, which are asked for or not."""
    (found,) = ANALYSIS.diagnosis.findings
    keys = [event.key for event in found.events]
    asked = {key: why for key, why in zip(keys, whys, strict=True) if why is not None}
    facts = explained(compiled(0)).facts[0]
    facts.__dict__["asked_for"] = asked
    (now,) = with_asked_for([replace(found, is_note=is_note)], [facts])
    return now.is_note, now.severity, now.fix.replace(found.fix, "FIX")


def test_a_warm_up_is_a_note_of_which_nothing_is_edited() -> None:
    is_note, severity, fix = told("warm_up", "warm_up")
    assert (is_note, severity) == (True, "info")
    assert fix.startswith("nothing: these are chosen")


def test_what_is_compiled_once_for_each_can_still_be_saved() -> None:
    is_note, severity, fix = told("switch", "switch")
    assert (is_note, severity) == (False, "info")
    assert fix.startswith("nothing, if both are meant")
    assert fix.endswith("to save even that, FIX")


@pytest.mark.parametrize("whys", [("warm_up", None), ("warm_up", "switch"), (None, None)])
def test_a_finding_of_which_something_was_not_asked_for_stays(
    whys: tuple[Inherent | None, ...],
) -> None:
    assert told(*whys) == (False, "warning", "FIX")


def test_a_note_that_says_why_nothing_is_to_be_done_keeps_its_reason() -> None:
    assert told("switch", "switch", is_note=True) == (True, "warning", "FIX")
