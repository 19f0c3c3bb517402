"""Where weights begin to be computed from others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import OtherNodes
from tests.unit.reports.causes.located.test_located import located, marked, project

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Frame

MODEL = """
        # file: net.py
        import torch
        from torch import nn
        from torch.nn import functional as F
        from torch.nn.utils import parametrize, prune, spectral_norm
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = spectral_norm(nn.Linear(8, 8))
                self.last = nn.Linear(8, 2)
            def forward(self, x):
                x = F.relu(self.first(x))
                return self.last(x)  # forward
        class Threshold(prune.BasePruningMethod):
            PRUNING_TYPE = "unstructured"
        # file: train.py
        from torch.nn.utils import parametrize, prune, remove_spectral_norm, spectral_norm
        from net import Net, Threshold
        def epochs(model, loader):
            for epoch in range(6):
                if epoch == BEGINS:
                    BEGUN  # change
                for x in loader:
                    model(x).sum().backward()  # backward
        model = Net()
        BEFORE
        epochs(model, loader)
"""
FIRST = "prune.identity(module, name)"
LEFT_ON = "leave it on until the last"


def _place(line: Frame | None) -> tuple[str, int] | None:
    return None if line is None else (line.file, line.line)


def found_in(tmp_path: Path, begun: str, before: str = "") -> tuple[bool, str]:
    """Return whether the line marked `change` is the one, and the advice."""
    text = MODEL.replace("BEGUN", begun).replace("BEFORE", before)
    files = project(tmp_path, text)
    found = located(files, tmp_path, "CA202", detail=OtherNodes("weights"), fix="both ways")
    change = marked(files, "change")
    return _place(found.location) == _place(change), found.fix


@pytest.mark.parametrize(
    ("begun", "before", "fix"),
    [
        ("prune.l1_unstructured(model.last, 'weight', 0.3)", "", FIRST),
        (
            "prune.global_unstructured(weights_of(model), prune.L1Unstructured, amount=0.3)",
            "",
            FIRST,
        ),
        ("prune.L1Unstructured.apply(model.last, 'weight', 0.3)", "", FIRST),
        ("Threshold.apply(model.last, 'weight', 0.1)", "", FIRST),
        ("prune.identity(model.last, 'weight')", "", FIRST),
        ("parametrize.register_parametrization(model.last, 'weight', Symmetric())", "", LEFT_ON),
        ("spectral_norm(model.last)", "", LEFT_ON),
        # What begins before the steps, and ends in them.
        ("prune.remove(model.last, 'weight')", FIRST, "`prune.remove` after the last step"),
        ("remove_spectral_norm(model.last)", "spectral_norm(model.last)", LEFT_ON),
    ],
)
def test_the_call_that_begins_or_ends_it_is_the_line(
    tmp_path: Path, begun: str, before: str, fix: str
) -> None:
    is_the_line, told = found_in(tmp_path, begun, before)
    assert is_the_line
    assert fix in told


def test_a_branch_that_computes_with_a_weight_stays_one(tmp_path: Path) -> None:
    # GIVEN a layer that is made with a norm, and a mask of the program's own
    text = MODEL.replace("BEGUN", "model.sparse = True").replace("BEFORE", "names.remove('weight')")
    text = text.replace("  # change", "").replace(
        "return self.last(x)  # forward",
        "w = self.last.weight\n"
        "                if self.sparse:  # change\n"
        "                    w = w * self.mask  # forward\n"
        "                return F.linear(x, w)",
    )
    files = project(tmp_path, text)

    # WHEN the line of the nodes that its weight goes through is looked for
    found = located(files, tmp_path, "CA202", detail=OtherNodes("weights"), fix="both ways")

    # THEN it is that of the `if`
    assert _place(found.location) == _place(marked(files, "change"))
    assert found.fix == "both ways"
