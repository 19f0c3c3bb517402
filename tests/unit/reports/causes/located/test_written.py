"""No sentence has a tensor copied or converted that the compiled function writes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import MadeAlike, OtherLayout, Subject
from tests.unit.reports.causes.located.test_located import located, project

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import Detail

SOURCE = """\
# file: train.py
import torch

@torch.compile
def used(x, y):  # compiled
    {body}
    return x * y

def fit(batches):
    for x, y in batches:
        used(x, y)  # step
"""
ADVICE = "copy it, or convert it"


@pytest.mark.parametrize(
    ("code", "detail", "words"),
    [
        ("CA708", MadeAlike(("x",), "dtype", "float32"), "give `x` one dtype where it is made"),
        ("CA707", MadeAlike(("x",), "class"), "give `x` one class where it is made"),
        ("CA111", OtherLayout(), "give `x` one memory layout where it is made"),
        ("CA714", MadeAlike(("y", "x")), "whichever the program means"),
    ],
)
def test_what_is_written_to_is_to_be_made_alike(
    tmp_path: Path, code: str, detail: Detail, words: str
) -> None:
    subject = Subject("x")
    for number, body in enumerate(("x.add_(1)", "x[0] = 0", "z = x.view(-1)\n    z += 1")):
        folder = tmp_path / str(number)
        folder.mkdir()
        files = project(folder, SOURCE.format(body=body))
        fix = located(files, folder, code, detail=detail, subject=subject, fix=ADVICE).fix
        assert words in fix
        assert "train.py:" in fix
        assert "writes to" in fix
    files = project(tmp_path, SOURCE.format(body="x = x + 1\n    x += 1"))
    assert located(files, tmp_path, code, detail=detail, subject=subject, fix=ADVICE).fix == ADVICE
