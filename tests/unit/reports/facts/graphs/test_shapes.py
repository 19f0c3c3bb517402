"""The shapes that a graph checks."""

from __future__ import annotations

import pytest

from ca_reports.facts.graphs.shapes import checked_shapes
from tests.unit.reports.facts.graphs.texts import CHECK


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ("2, 8, 32", "float32[2, 8, 32]"),
        ("", "float32[]"),
        ("unwrap_maybe_dynamic_int, 8", "float32[s, 8]"),
        ("-1", "float32[-1]"),
    ],
)
def test_a_size_that_was_lifted_is_a_letter(sizes: str, expected: str) -> None:
    assert checked_shapes(CHECK.format("x", sizes)) == (expected,)


def test_dtypes_have_torchs_names_and_one_that_nobody_knows_its_number() -> None:
    text = CHECK.format("x", "3")
    assert checked_shapes(text.replace(", 6, 0", ", 15, 0")) == ("bfloat16[3]",)
    assert checked_shapes(text.replace(", 6, 0", ", 99, 0")) == ("dtype 99[3]",)


def test_each_output_has_one_up_to_a_bound() -> None:
    one = CHECK.format("x", "3")
    assert checked_shapes(one * 2) == ("float32[3]", "float32[3]")
    assert len(checked_shapes(one * 100)) == 64
    assert checked_shapes("relu(x)") == ()
