"""Where the groups of an optimizer get a number, and what to do there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import GuardedValue
from tests.unit.reports.causes.located.test_located import all_marked, located, marked, project

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
        # file: train.py
        import torch
        start = torch.tensor(0.1)
        optimizer = torch.optim.AdamW({given})
        schedule = torch.optim.lr_scheduler.{scheduled}
        @torch.compile
        def update():  # compiled
            optimizer.step()
        for x in loader:
            model(x).sum().backward()
            update()  # step
            {later}
"""
RULES = "the fix of the rule"
GROUPS = """[
            {"params": model.a.parameters(), "lr": 0.1},  # change
            {"params": model.b.parameters(), "lr": rate},  # change
        ]"""
MADE = "model.parameters(), lr=0.1)  # change\n        print("
RATE, MOMENTUM = "self.param_groups[0]['lr']", "self.param_groups[0]['betas'][0]"


@pytest.mark.parametrize(
    ("source", "given", "scheduled", "later", "words"),
    [
        (RATE, MADE, "StepLR(optimizer, 1)", "schedule.step()", RULES),
        (
            RATE,
            GROUPS,
            "LambdaLR(optimizer, [slow, fade])",
            "schedule.step()",
            'a tensor, `"lr": torch.tensor(…)`, where the optimizer gets it (train.py:4, '
            "train.py:5)",
        ),
        (
            RATE,
            MADE,
            "StepLR(other, 1)",
            """for group in optimizer.param_groups:
                group["lr"] = rate(step)""",
            "a tensor, `torch.tensor(…)`, where the optimizer gets it (train.py:3) and where it is "
            "set later (train.py:13)",
        ),
        (
            RATE,
            GROUPS,
            "StepLR(other, 1)",
            'optimizer.param_groups[0]["lr"] *= 0.9',
            "the optimizer gets it (train.py:4, train.py:5) and where it is set later "
            "(train.py:14)",
        ),
        (RATE, MADE, "StepLR(optimizer, 1)", 'logs["lr"] = rate(step)', RULES),
        (
            MOMENTUM,
            "model.parameters(), lr=start",
            "OneCycleLR(optimizer, 1.0, total_steps=9)  # change",
            "schedule.step()",
            "`OneCycleLR` (train.py:4) writes `betas` in every step, a Python number also where "
            "the rate is a tensor: `cycle_momentum=False` leaves it as it is, which changes the",
        ),
        (
            MOMENTUM,
            "model.parameters()",
            "OneCycleLR(optimizer, 1.0, total_steps=9, cycle_momentum=False)",
            'optimizer.param_groups[0]["betas"] = (beta, 0.9)  # change',
            RULES,
        ),
        (
            "self.param_groups[0]['weight_decay']",
            "model.parameters()",
            "OneCycleLR(optimizer, 1.0, total_steps=9)",
            'optimizer.param_groups[0]["weight_decay"] = decay  # change',
            RULES,
        ),
    ],
)
def test_the_line_is_where_the_number_is_made(
    tmp_path: Path, source: str, given: str, scheduled: str, later: str, words: str
) -> None:
    text = PROGRAM.replace("{given}", given).replace("{scheduled}", scheduled)
    files = project(tmp_path, text.replace("{later}", later))
    value = GuardedValue(source, "group", "group", ("0.1", "0.2"))

    found = located(
        files,
        tmp_path,
        "CA702",
        detail=value,
        key=source,
        fix=RULES,
        reason=f"0/0: {source} == 0.1",
    )

    first = all_marked(files, "change")[0]
    assert found.location is not None
    assert (found.location.file, found.location.line) == (first.file, first.line)
    assert words in found.fix


@pytest.mark.parametrize("given", ["lr=start", "start"])
def test_a_rate_that_is_a_tensor_is_filled_and_not_replaced(tmp_path: Path, given: str) -> None:
    text = PROGRAM.replace("{given}", f"model.parameters(), {given}")
    text = text.replace("{scheduled}", "StepLR(optimizer, 1)")
    text = text.replace("{later}", 'optimizer.param_groups[0]["lr"] = rate(step)  # change')
    files = project(tmp_path, text)

    found = located(
        files,
        tmp_path,
        "CA702",
        detail=GuardedValue(RATE, "group", "group"),
        key=RATE,
        fix=RULES,
        reason=f"0/0: {RATE} == 0.1",
    )

    assert 'fill it in place, `group["lr"].fill_(…)`' in found.fix
    change = marked(files, "change")
    assert change is not None
    assert found.location is not None
    assert (found.location.file, found.location.line) == (change.file, change.line)
