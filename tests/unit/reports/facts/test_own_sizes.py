"""Sizes of the program's own data that explain those of a backward."""

from __future__ import annotations

from ca_reports.facts.own_sizes import OwnSize, own_sizes


def test_a_variable_whose_size_changed_by_the_factor_of_the_backward() -> None:
    found = own_sizes({"words": (8, 20)}, {"words": (8, 24)}, [(160, 192)])
    assert found == (OwnSize("words", 1, (20, 24)),)


def test_a_number_that_joined_a_list_since_has_no_size() -> None:
    # GIVEN `norms.append(loss.detach())` in each step
    found = own_sizes({"day": (16, 4)}, {"day": (9, 4), "norms[3]": ()}, [(16, 9)])
    assert found == (OwnSize("day", 0, (16, 9)),)
