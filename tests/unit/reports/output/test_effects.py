"""What a change may do to the training besides, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from ca_reports.causes.remedies import Effect, NoEdits, Remedy
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import advice, effects, html, prompt
from tests.unit.logwriter import sample_run
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("effect", get_args(Effect))
def test_each_effect_has_words(effect: Effect) -> None:
    assert effects.in_words([effect]).startswith("it ")


def test_several_effects_are_joined_and_no_edit_has_none() -> None:
    told = effects.in_words(Remedy("", "both_branches").sure_effects)
    assert told.startswith("it computes more in each step, and gives gradients of zeros")
    assert effects.in_words(Remedy("", NoEdits("by hand")).sure_effects) == ""
    assert effects.in_words(Remedy("", "compile_once").sure_effects) == ""


def test_the_page_and_the_prompt_tell_them(tmp_path: Path) -> None:
    analysis = analyze(loaded(sample_run(), tmp_path))
    told = {advice.effects(found) for found in analysis.diagnosis.findings} - {""}
    assert told
    for words in told:
        assert f"Effect: {words}." in html.render(analysis)
        assert f"effect: {words}" in prompt.render(analysis)
