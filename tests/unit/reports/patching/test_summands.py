"""CA202, CA209: a loss that is in a list or a dict of losses in some steps only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.patching.propose import propose_for
from tests.unit.reports.patching.programs import (
    finding_of,
    line_of,
    patched,
    program_of,
    refusal,
)

if TYPE_CHECKING:
    from pathlib import Path

ENTRIES = """\
import torch
from torch.nn import functional as F


def total(model, batch, step):
    losses = {"cost": F.mse_loss(model(batch), batch)}
    if step % 2 == 0:
        losses["kind"] = 0.3 * model.kind(batch).mean()
    return sum(losses.values())


class Model:
    def kind(self, batch):
        return batch * 2


model = Model()
"""
LISTED = ENTRIES.replace('{"cost": F.mse_loss(model(batch), batch)}', "[model(batch).mean()]")
LISTED = LISTED.replace(
    'losses["kind"] = 0.3 * model.kind(batch).mean()', "losses.append(aux(batch))"
)
LISTED = LISTED.replace("sum(losses.values())", "torch.stack(losses).sum()")


def test_an_entry_of_a_dict_that_is_summed_is_in_every_step(tmp_path: Path) -> None:
    changed = patched("CA202", tmp_path, ENTRIES, "if step")
    assert changed == ENTRIES.replace("    if step % 2 == 0:\n", "").replace(
        '        losses["kind"] = 0.3', '    losses["kind"] = float(step % 2 == 0) * 0.3'
    )


def test_an_item_of_a_list_that_is_summed_is_in_every_step(tmp_path: Path) -> None:
    changed = patched("CA202", tmp_path, LISTED, "if step")
    assert changed == LISTED.replace("    if step % 2 == 0:\n", "").replace(
        "        losses.append(aux", "    losses.append(float(step % 2 == 0) * aux"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sum(losses.values())", "losses"),
        ("sum(losses.values())", "sum(losses.values()) / len(losses)"),
        ("sum(losses.values())", "torch.stack(list(losses.values())).mean()"),
        ('{"cost": ', '{"kind": '),
        ("if step % 2 == 0", 'if "kind" in batch'),
        ("if step % 2 == 0", "if batch.sum() > 0"),
        ("if step % 2 == 0", "if batch > 0"),
        ("model.kind(batch)", "model.kind(batch) / step"),
        ("model.kind(batch)", "batch[step:]"),
        ("batch * 2", "self.seen.append(batch) or batch"),
        ("return batch * 2", "print(batch)\n        return batch"),
        ("return batch * 2", "self.calls += 1\n        return batch"),
        ("return batch * 2", "return self.unknown(batch)"),
        ('losses["kind"] =', 'losses["cost"] ='),
        ("    return", "    print(losses)\n    return"),
    ],
)
def test_a_loss_that_is_more_than_summed_is_left(tmp_path: Path, one: str, other: str) -> None:
    assert refusal("CA202", tmp_path, ENTRIES.replace(one, other), "if ")


@pytest.mark.parametrize(
    ("one", "other"), [("batch * 2", "torch.rand(3)"), ("batch * 2", "self.drop(batch)")]
)
def test_a_head_that_draws_random_numbers_is_said(tmp_path: Path, one: str, other: str) -> None:
    source = ENTRIES.replace(one, other) + "model.drop = torch.nn.Dropout(0.1)\n"
    program = program_of(tmp_path, {"train.py": source})
    finding = finding_of("CA202", tmp_path, ("train.py", line_of(source, "if step")))
    (patch,) = propose_for(finding, program).patches
    assert patch.intention.endswith("draws its random numbers in every step")


def test_a_number_that_decides_is_no_factor(tmp_path: Path) -> None:
    """``if step % 3`` is taken at 2 as well, and the loss is not twice as much then."""
    source = ENTRIES.replace("step % 2 == 0", "step % 3")
    assert "float(bool(step % 3)) * 0.3" in patched("CA202", tmp_path, source, "if step")
