"""CA302 and CA210: what runs in each step and is moved before the loop, or the function."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path
from tests.unit.reports.patching.programs import HOOK


def test_a_hook_is_registered_before_the_outermost_loop(tmp_path: Path) -> None:
    source = HOOK.format(before="x = batch()", hook="model.weight.register_hook(scale)  # once")
    expected = source.replace(
        "            model.weight.register_hook(scale)  # once\n", ""
    ).replace("    # Train.\n", "    model.weight.register_hook(scale)  # once\n    # Train.\n")
    assert patched("CA302", tmp_path, source, "register_hook") == expected


def test_a_registration_over_several_lines_keeps_its_shape(tmp_path: Path) -> None:
    hook = "model.weight.register_hook(\n                scale,  # by half\n            )"
    changed = patched("CA302", tmp_path, HOOK.format(before="pass", hook=hook), "register_hook")
    assert (
        "\n    model.weight.register_hook(\n        scale,  # by half\n    )\n    # Train."
        in changed
    )


@pytest.mark.parametrize(
    ("before", "hook", "words"),
    [
        ("x = f()", "x.register_hook(scale)", "uses x, which the loop assigns"),
        ("pass", "model.weight.register_hook(lambda grad: grad * step)", "uses step"),
        ("pass", "handle = model.weight.register_hook(scale)", "is kept"),
        ("pass", "model.weight.register_hook(scale); f()", "is kept"),
        ("loss.backward()", "model.weight.register_hook(scale)", "a backward runs before"),
        (
            "pass",
            "if step:\n                model.weight.register_hook(scale)",
            "on a condition",
        ),
    ],
)
def test_a_hook_that_depends_on_the_step_is_left(
    tmp_path: Path, before: str, hook: str, words: str
) -> None:
    source = HOOK.format(before=before, hook=hook)
    assert words in refusal("CA302", tmp_path, source, "register_hook")
