"""What to do about a finding: one edit, what it does besides, and what may take its place."""

from __future__ import annotations

from typing import get_args

import pytest

from ca_reports.causes.remedies import (
    BY_HAND,
    EFFECTS,
    Edit,
    Effect,
    NoEdits,
    Remedy,
    otherwise,
    remedy,
)
from ca_reports.causes.rules import all_rules


def test_a_remedy_is_its_first_edit_and_others_in_its_place() -> None:
    found = remedy("choose outside", ("flag_as_tensor", "eager_rare_calls"))
    assert found.edit == "flag_as_tensor"
    assert found.effects == ("computes_more", "trains_on_zeros")
    assert found.alternatives == (otherwise("eager_rare_calls"),)
    assert found.alternatives[0].effects == ("runs_eager",)
    assert found.edits == ("flag_as_tensor", "eager_rare_calls")


@pytest.mark.parametrize(
    ("edits", "reason"), [((), BY_HAND.reason), (NoEdits("it is a key"), "it is a key")]
)
def test_without_an_edit_a_reason_is_given(edits: NoEdits | tuple[()], reason: str) -> None:
    found = remedy("look it up outside", edits)
    assert found.edit == NoEdits(reason)
    assert not found.edits
    assert not found.effects


def test_what_has_no_edit_may_have_one_in_its_place() -> None:
    found = Remedy("decide it outside", NoEdits("a branch"), (otherwise("tensor_number"),))
    assert found.edits == ("tensor_number",)
    assert found.instead("decide outside").edits == ("tensor_number",)


def test_of_several_the_first_may_be_a_reason() -> None:
    found = remedy("pad it", (NoEdits("by hand"), "eager_rare_calls"))
    assert (found.edit, found.edits) == (NoEdits("by hand"), ("eager_rare_calls",))


def test_effects_are_of_edits() -> None:
    assert EFFECTS.keys() <= {*get_args(Edit)}
    assert {one for every in EFFECTS.values() for one in every} == {*get_args(Effect)}


def test_who_follows_a_sentence_has_the_effects_of_what_it_asks_for() -> None:
    keeping = remedy("keep the gradients as tensors", ("keep_gradients",))
    assert keeping.sure_effects == ("trains_on_zeros",)
    assert keeping.instead("in `on_train_start`, …").sure_effects == ("trains_on_zeros",)
    # What is done by hand has not the effects of the edit that is tried beside it.
    own = remedy("compute both ways", ("both_branches",)).by_hand("make it before the first call")
    assert (own.sentence, own.edits) == ("make it before the first call", ("both_branches",))
    assert not own.sure_effects
    # A sentence about a flag may ask for a choice outside the compiled code, which costs nothing.
    assert not remedy("choose outside", ("flag_as_tensor",)).sure_effects


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_what_a_rule_names_in_another_place_has_words(rule: type) -> None:
    found = remedy("fix", rule.edits)  # type: ignore[attr-defined]
    assert all(one.sentence for one in found.alternatives)
