"""CA112 of a reentrant checkpoint, and of gradients that no backward takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import SharedSetting
from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import ChangedBy

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


@pytest.mark.parametrize(
    ("mode", "call", "refused"),
    [
        ("inference_mode", "model(x)", ""),
        ("no_grad", "y = model(x)", ""),
        # What inference mode makes cannot be changed in place outside of it.
        ("inference_mode", "y = model(x)", "returns is used further on"),
        ("no_grad", "return model(x)", "returns is used further on"),
    ],
)
def test_gradients_that_nobody_takes_are_not_kept(
    tmp_path: Path, mode: str, call: str, refused: str
) -> None:
    source = f"import torch\n\n\ndef warm_up(x):\n    for _ in range(3):\n        {call}\n"
    setting = SharedSetting((mode,), "evaluation")
    if refused:
        assert refused in refusal("CA112", tmp_path, source, "model(x)", detail=setting)
        return
    under = f"        with torch.{mode}():\n            {call}\n"
    found = patched("CA112", tmp_path, source, "model(x)", detail=setting)
    assert found == source.replace(f"        {call}\n", under)


def test_a_mode_that_was_not_recorded_is_not_written(tmp_path: Path) -> None:
    setting = SharedSetting(by="evaluation")
    found = refusal("CA112", tmp_path, "import torch\n\nmodel(x)\n", "model(x)", detail=setting)
    assert "not in this recording" in found


@pytest.mark.parametrize("by", ["function", "unknown"])
def test_what_is_not_known_is_not_patched(tmp_path: Path, by: ChangedBy) -> None:
    source = "import torch\n\ntorch.set_grad_enabled(training)\n"
    setting = SharedSetting(("grad_mode",), by)
    found = refusal("CA112", tmp_path, source, "enabled", detail=setting)
    assert "does not show what flips grad mode" in found
