"""Values that guards compare with, as users write them."""

from __future__ import annotations

import pytest

from ca_reports.words.guard_values import class_name, in_order, literal, shown


@pytest.mark.parametrize(
    ("text", "value"), [("7", 7), ("-0.5", -0.5), ("'sum'", "sum"), ("None", None), ("True", True)]
)
def test_a_literal_is_read_without_its_code_being_run(text: str, value: object) -> None:
    assert literal(text) == value


@pytest.mark.parametrize("text", ["(1, 2)", "x", "f()", "", "'" * 3, "(" * 10_000])
def test_what_is_no_plain_literal_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        literal(text)


def test_values_are_shown_as_python_writes_them() -> None:
    assert [shown(each) for each in (0.1 + 0.2, 2.0, "a", None)] == ["0.3", "2.0", "'a'", "None"]
    assert in_order([str(each) for each in range(7)]) == "0 → 1 → 2 → 3 → 4 → 2 more"
    assert class_name("<class '__main__.main.<locals>.Net'>") == class_name("__main__.Net") == "Net"
