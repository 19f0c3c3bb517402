"""Hooks that fill a table by what they close over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.reports.causes.located.test_located import located, project

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """
    # file: probe.py
    import torch

    kept = {}

    def watch(index):
        def hook(module, given, output):  # change
            kept[index] = output  # compiled

        return hook

    for number, layer in enumerate(layers):
        layer.mixer.register_forward_hook(watch(number))
        layer.compile()
    for step in range(4):
        for layer in layers:
            x = layer(x)  # main
"""


def test_a_hook_with_a_number_of_its_own_becomes_one_for_all(tmp_path: Path) -> None:
    files = project(tmp_path, SOURCE)
    reason = "0/1: len(G['kept']) == 1"
    found = located(files, tmp_path, "CA710", key="G['kept']", reason=reason)
    assert found.location is not None
    assert "def hook" in found.location.code
    assert "with its own `index`, by which it fills `kept`" in found.fix
    assert "`module.kept = …`" in found.fix


def test_a_hook_that_is_no_hook_is_none(tmp_path: Path) -> None:
    files = project(tmp_path, SOURCE.replace("register_forward_hook", "attach"))
    found = located(files, tmp_path, "CA710", key="G['kept']", reason="0/1: len(G['kept']) == 1")
    assert "with its own" not in found.fix
