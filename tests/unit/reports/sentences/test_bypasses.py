"""The remedies for graphs that a cache does not take."""

from __future__ import annotations

from typing import get_args

from ca_reports.causes.rules import all_rules
from ca_reports.facts.bypassed import BypassKind
from ca_reports.sentences.bypasses import remedy


def test_each_kind_has_a_remedy_but_what_is_not_known() -> None:
    kinds = get_args(BypassKind)
    assert {kind for kind in kinds if remedy(kind, None) is None} == {"failed", "other"}


def test_remedies_name_rules_that_exist() -> None:
    known = {rule.code for rule in all_rules()}
    found = [remedy(kind, "f") for kind in get_args(BypassKind)]
    commands = {one.command for one in found if one is not None and one.command is not None}
    assert len(commands) == 9
    assert commands <= {f"ca rule {code}" for code in known}


def test_what_torch_names_is_in_the_text_as_it_is() -> None:
    found = remedy("function", "model.{scaled}")
    assert found is not None
    assert '{"model.{scaled}": "1"}' in found.text
    assert str(found).endswith("(`ca rule CA621`)")
    manager = remedy("function", "torch.nn.attention._sdpa_kernel")
    assert manager is not None
    assert "_sdpa_kernel" not in manager.text.replace("sdpa_kernel`", "")
