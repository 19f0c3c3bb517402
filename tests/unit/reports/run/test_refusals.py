"""Torch's words for a recompile limit, of several versions."""

from __future__ import annotations

import pytest

from ca_reports.run.refusals import Refusal, refusal
from tests.unit.reports.limited import ACCUMULATED


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (ACCUMULATED, Refusal("accumulated_recompile_limit", 256)),
        (
            "Dynamo recompile limit exceeded: config.recompile_limit (8)",
            Refusal("recompile_limit", 8),
        ),
        ("recompile_limit reached", Refusal("recompile_limit", None)),
        ("cache_size_limit reached", Refusal("cache_size_limit", None)),
        ("Call to `torch._dynamo.graph_break()`", None),
    ],
)
def test_the_setting_and_its_value(words: str, expected: Refusal | None) -> None:
    assert refusal(words) == expected
