"""What the first call fills is filled before it, and no flag of it is passed as a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.causes.located.test_located import located, project

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
# file: train.py
import torch

class Cache:
    def __init__(self):
        self.filled = [False]
        self.keys = torch.zeros(3)

@torch.compile
def attend(x, cache):  # compiled
{body}
    return x * cache.keys

def fit(batches):
    for x in batches:
        cache = Cache()
        for _ in range(3):
            attend(x, cache)  # step
"""
ADVICE = "choose by it outside"
FILLS = """\
    if not cache.filled[0]:
        cache.keys.copy_(x)
        cache.filled[0] = True  # change
"""
ELSEWHERE = """\
    if not cache.filled[0]:
        cache.keys.copy_(x)
    cache.filled[0] = x.dim() > 1  # change
"""


@pytest.mark.parametrize(("body", "is_filled"), [(FILLS, True), (ELSEWHERE, False)])
def test_a_flag_that_its_own_branch_sets(tmp_path: Path, body: str, is_filled: bool) -> None:
    files = project(tmp_path, SOURCE.format(body=body))
    found = located(files, tmp_path, "CA703", reason="0/0: not cache.filled[0]", fix=ADVICE)
    assert ("do what the branch on `cache.filled[0]` does (train.py:" in found.fix) == is_filled
