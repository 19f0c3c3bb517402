"""The parameters among what guards are on."""

from __future__ import annotations

import pytest

from ca_reports.facts.parameters import is_of_module


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("self._modules['0']._parameters['weight']", True),
        ("fn._buffers['mean']", True),
        ("self.weight", True),  # computed before each call
        ("self.weights", False),
        ("x", False),
    ],
)
def test_what_a_module_holds(source: str, expected: bool) -> None:
    assert is_of_module(source) is expected
