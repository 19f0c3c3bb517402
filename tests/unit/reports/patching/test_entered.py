"""CA112 of autocast: a call that goes under the block of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import SharedSetting
from ca_reports.patching import entered
from ca_reports.patching.patches import RefusedError
from tests.unit.reports.patching.programs import finding_of, patched, program_of

if TYPE_CHECKING:
    from pathlib import Path

AUTOCAST = SharedSetting(("autocast",))
SOURCE = """\
import torch


class Trainer:
    def __init__(self, model, amp):
        self.model = torch.compile(model)
        self.amp = amp

    def warm_up(self, batch):
        out = self.model(batch)
        {more}
        return out.shape

    def step(self, batch, kind):
        with torch.autocast("cpu", {kind}, enabled=self.amp):
            loss = self.model(batch).sum()
        loss.backward()
"""


def source(kind: str = "torch.bfloat16", more: str = "print(out.shape)") -> str:
    return SOURCE.replace("{kind}", kind).replace("{more}", more)


def test_a_warm_up_goes_under_the_block_of_the_steps(tmp_path: Path) -> None:
    changed = patched("CA112", tmp_path, source(), "with torch", detail=AUTOCAST)
    under = (
        '        with torch.autocast("cpu", torch.bfloat16, enabled=self.amp):\n'
        "            out = self.model(batch)\n"
    )
    assert changed == source().replace("        out = self.model(batch)\n", under)


def left(tmp_path: Path, text: str) -> str:
    """Why there is no patch of this module for the program."""
    program = program_of(tmp_path, {"train.py": text})
    finding = finding_of("CA112", tmp_path, detail=AUTOCAST)
    with pytest.raises(RefusedError) as refused:
        entered.patches(finding, program)
    return str(refused.value)


@pytest.mark.parametrize(
    ("kind", "more", "words"),
    [
        ("kind", "pass", "kind of train.py:15 is not known at the call"),
        ("torch.bfloat16", "out.sum().backward()", "train.py:9 trains without autocast"),
        ("torch.bfloat16", "again = self.model(batch)", "single call outside of autocast"),
    ],
)
def test_what_is_meant_otherwise_is_left(tmp_path: Path, kind: str, more: str, words: str) -> None:
    assert words in left(tmp_path, source(kind, more))


def test_what_the_block_runs_itself_is_left(tmp_path: Path) -> None:
    called = source().replace(
        "    loss = self.model(batch)",
        "    self.warm_up(batch)\n            loss = self.model(batch)",
    )
    assert "train.py:9 is called under autocast as well" in left(tmp_path, called)
    assert "single block that enters autocast" in left(
        tmp_path, called.replace("autocast", "no_grad")
    )
