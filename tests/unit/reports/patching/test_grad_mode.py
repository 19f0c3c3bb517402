"""CA112 of a reentrant checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.rules.ca112_global_state import AUTOGRAD_FUNCTION, GRAD_MODE
from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "from torch.utils.checkpoint import checkpoint\n\n\n"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("checkpoint(block, h, use_reentrant=True)", "checkpoint(block, h, use_reentrant=False)"),
        ("checkpoint(block, h)", "checkpoint(block, h, use_reentrant=False)"),
        ("checkpoint(block, *h)", "checkpoint(block, *h, use_reentrant=False)"),
        (
            "checkpoint(block, *h, use_reentrant=self.old)",
            "checkpoint(block, *h, use_reentrant=False)",
        ),
    ],
)
def test_a_checkpoint_keeps_gradients(tmp_path: Path, call: str, expected: str) -> None:
    source = f"{HEAD}for block in blocks:\n    h = {call}\n"
    found = patched("CA112", tmp_path, source, "checkpoint(block", edits=("not_reentrant",))
    assert found == source.replace(call, expected)


def test_options_that_are_not_seen_are_left(tmp_path: Path) -> None:
    source = f"{HEAD}checkpoint(block, h, **options)\n"
    found = refusal("CA112", tmp_path, source, "checkpoint(block", edits=("not_reentrant",))
    assert "add use_reentrant=False there" in found


@pytest.mark.parametrize(("key", "confidence"), [(AUTOGRAD_FUNCTION, "high"), (GRAD_MODE, "low")])
def test_what_is_not_known_is_not_patched(tmp_path: Path, key: str, confidence: str) -> None:
    source = "import torch\n\ntorch.set_grad_enabled(training)\n"
    found = refusal("CA112", tmp_path, source, "enabled", key=key, confidence=confidence)
    assert "does not show what flips grad mode" in found
