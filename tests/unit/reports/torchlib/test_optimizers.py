"""What optimizers keep in their groups, and which schedulers write there."""

from __future__ import annotations

import inspect
import re

import pytest

from ca_reports.torchlib.optimizers import MOMENTUM, OPTIMIZERS, RATE, SCHEDULERS, cycling


def test_momentum_is_cycled_by_two() -> None:
    assert cycling("betas") == cycling("momentum") == ("OneCycleLR", "CyclicLR")
    assert cycling(RATE) == cycling("eps") == ()


def test_the_tables_are_torchs_own() -> None:
    """Every scheduler and optimizer of torch is known, and what each writes is in its source."""
    torch = pytest.importorskip("torch")
    schedulers = {
        name: one
        for name, one in vars(torch.optim.lr_scheduler).items()
        if inspect.isclass(one)
        and issubclass(one, torch.optim.lr_scheduler.LRScheduler)
        and name not in ("LRScheduler", "_LRScheduler")
    }
    assert schedulers.keys() == SCHEDULERS.keys()
    for name, one in schedulers.items():
        written = set(re.findall(r"""group\["(\w+)"\] = """, inspect.getsource(one)))
        assert bool(written & MOMENTUM) is bool(SCHEDULERS[name].writes & MOMENTUM), name
        assert ("cycle_momentum" in inspect.signature(one).parameters) is bool(
            SCHEDULERS[name].only_rate
        ), name
    own = [
        name
        for name, one in vars(torch.optim).items()
        if inspect.isclass(one) and issubclass(one, torch.optim.Optimizer) and name != "Optimizer"
    ]
    assert [name for name in own if not OPTIMIZERS.match(name)] == []
