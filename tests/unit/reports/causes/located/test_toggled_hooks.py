"""Advice on a hook that comes and goes depends on what the hook does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import ToggledHooks
from tests.unit.reports.causes.located.test_located import located, marked, project

if TYPE_CHECKING:
    from pathlib import Path

TRAIN = """
        # file: train.py
        norms, total = [], torch.zeros(())
        def note(grad):
            BODY
        for step, x in enumerate(loader):
            loss = model(x).sum()
            if step % 4 == 0:
                model.head.weight.register_hook(note)  # change
            loss.backward()  # backward
"""
UNKNOWN = "by what it does"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return grad.clamp(-1, 1)", "`note` changes the gradient: register it in every step"),
        ("grad.mul_(0.5)", "`note` changes what it gets in place: register it in every step"),
        ("total.add_(grad.norm())", "`note` adds up what it gets: register it in every step"),
        ("norms.append(grad.norm())", "`note` appends or writes what it gets: register it in"),
        ("total.copy_(grad.norm())", UNKNOWN),
    ],
)
def test_the_advice_is_by_what_the_hook_does(tmp_path: Path, body: str, words: str) -> None:
    files = project(tmp_path, TRAIN.replace("BODY", body))
    known = ToggledHooks(("note",))
    found = located(files, tmp_path, "CA301", fix=UNKNOWN, detail=known)
    change = marked(files, "change")
    assert found.location is not None
    assert change is not None
    assert found.location.line == change.line
    assert found.fix.startswith(words)


def test_of_several_hooks_the_advice_stays(tmp_path: Path) -> None:
    files = project(tmp_path, TRAIN.replace("BODY", "grad.mul_(0.5)"))
    known = ToggledHooks(("note", "other"))
    assert located(files, tmp_path, "CA301", fix=UNKNOWN, detail=known).fix == UNKNOWN
