"""A project whose tests train."""

from __future__ import annotations

import pytest

# Three real backwards; the sizes are those of the batches.
TRAIN = """
import torch
import ca_engine

def train(sizes, loop=False):
    x = torch.ones(4, requires_grad=True)
    x.grad = torch.zeros(4)
    with ca_engine.enable(lambda module: module):
        for number, size in enumerate(sizes):
            if loop:
                ca_engine.step(number, epoch=1, phase="train")
            (x.expand(size, 4) * 2).square().mean().backward()
"""


@pytest.fixture
def session(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with ``train`` in a module; pytest's own options of this one don't count."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    pytester.makepyfile(helper=TRAIN)
    return pytester
