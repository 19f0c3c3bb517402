"""The parameters among what guards are on."""

from __future__ import annotations

import pytest

from ca_reports.facts.parameters import given_module, is_of_module


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


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("head._parameters['bias']", "head"),
        ("job.head._parameters['bias']", "job.head"),
        ("net.body._modules['0']._parameters['bias']", "net.body"),
        ("self.head._parameters['bias']", ""),
        ("jobs[0]._parameters['bias']", ""),
        ("x", ""),
    ],
)
def test_a_module_that_is_given_or_held_by_what_is_given(source: str, expected: str) -> None:
    assert given_module(source) == expected
