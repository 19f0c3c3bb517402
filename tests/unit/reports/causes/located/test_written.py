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


SHARED = """\
# file: train.py
import torch

def fit(net, batches, augment):
    for step, x in enumerate(batches):
        view = augment(x) if step % 3 else x  # forward
        {}
        (net(x) * net(view)).sum().backward()  # backward
"""
TIE = """\
# file: train.py
def score(net, a, b):
    return net(a), net(b)  # forward

def fit(net, batches):
    for step, x in enumerate(batches):
        left, right = score(net, x, x)
        (left * right).sum().backward()  # backward
"""


def test_what_backwards_share_is_not_copied_where_it_is_written_to(tmp_path: Path) -> None:
    def fix(name: str, line: str) -> str:
        folder = tmp_path / name
        folder.mkdir()
        files = project(folder, SHARED.format(line))
        return located(files, folder, "CA212", key="alias", detail=MadeAlike(), fix=ADVICE).fix

    assert fix("read", "print(view.sum())") == ADVICE
    for number, line in enumerate(("view.mul_(2)", "x += 1", "torch.relu_(view)")):
        told = fix(str(number), line)
        assert told.startswith("use two different tensors in every call, or the same one always")
        assert "train.py:6 writes to `x` or `view`" in told


def test_tensors_that_are_only_passed_on_are_copied(tmp_path: Path) -> None:
    files = project(tmp_path, TIE)
    fix = located(files, tmp_path, "CA212", key="alias", detail=MadeAlike(), fix=ADVICE).fix
    assert fix == ADVICE
