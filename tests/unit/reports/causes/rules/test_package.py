"""The rules, all of them."""

from __future__ import annotations

import pytest

from ca_reports.causes.rules import all_rules, find_rule
from ca_reports.causes.rules.base import Rule


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rule_is_named_like_its_module(rule: type[Rule]) -> None:
    module = rule.__module__.rpartition(".")[2]
    assert module == f"{rule.code}_{rule.name}".lower().replace("-", "_")


def test_codes_and_names_are_unique() -> None:
    assert len({rule.code for rule in all_rules()}) == len(all_rules())
    assert len({rule.name for rule in all_rules()}) == len(all_rules())


def test_a_rule_is_found_by_code_and_by_name() -> None:
    found = find_rule("ca101")
    assert found is not None
    assert found.code == "CA101"
    assert find_rule("last-batch") is found
    assert find_rule("CA999") is None
