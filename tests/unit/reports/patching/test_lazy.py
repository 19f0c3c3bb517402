"""CA703, CA704: what an object makes in its first call is made in `__init__`, or in every call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from tests.unit.reports.patching.programs import for_argument

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.patching.patches import Proposal

CALL = "from net import Rotary\n\nmodel = Rotary(8, 16)\nmodel(x)\n"
NET = """\
import torch


class Rotary:
    def __init__(self, width, length):
        self.width = width
        self.length = length
        self.table = None

    def build(self, length):
        return torch.arange(length) / self.width

    def forward(self, x):
        if self.table is None:
            self.table = self.build(self.length)
        return x * self.table
"""
GUARD = Guard("self.table is None", "value", "0/0", expected="None", source="self.table")
EDITS = ("made_before", "made_in_call")


def proposed(folder: Path, text: str) -> tuple[Proposal, dict[str, str]]:
    files = {"train.py": CALL, "net.py": text}
    return for_argument("CA703", folder, files, "forward", GUARD, edits=EDITS)


def test_it_is_made_in_init_where_nothing_of_the_call_is_needed(tmp_path: Path) -> None:
    _, changed = proposed(tmp_path, NET)
    made = "        self.table = None\n        self.table = self.build(self.length)\n"
    assert changed["net.py"] == NET.replace("        self.table = None\n", made, 1)


def test_it_is_made_in_every_call_where_a_size_is_needed(tmp_path: Path) -> None:
    text = NET.replace("self.build(self.length)", "self.build(x.shape[1])")
    _, changed = proposed(tmp_path, text)
    assert changed["net.py"].endswith(
        "    def forward(self, x):\n"
        "        self.table = self.build(x.shape[1])\n"
        "        return x * self.table\n"
    )


def test_an_attribute_that_is_not_there_yet_is_set_as_well(tmp_path: Path) -> None:
    text = NET.replace("        self.table = None\n", "").replace(
        "if self.table is None:", 'if not hasattr(self, "table"):'
    )
    _, changed = proposed(tmp_path, text)
    made = "        self.length = length\n        self.table = self.build(self.length)\n"
    assert made in changed["net.py"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("self.build(self.length)", "torch.rand(self.length)", "does more than make"),
        ("self.build(self.length)", "torch.nn.Linear(8, 8)", "may make what is trained"),
        ("self.build(self.length)", "Rotary(4, 4)", "may make what is trained"),
        ("self.build(self.length)", "x.mean()", "of the first x"),
        ("        return x *", "        self.table = self.table + 1\n        return x *", "too"),
        (
            "        if self.table is None:\n            self.table",
            "        self.table",
            "single line",
        ),
    ],
)
def test_what_may_be_another_thing_later_stays(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    assert words in proposed(tmp_path, NET.replace(old, new))[0].refusal


def test_what_is_made_of_a_buffer_is_made_where_that_is(tmp_path: Path) -> None:
    # GIVEN a buffer that `.to(device)` moves after `__init__`, read in a method that is called
    text = NET.replace("class Rotary:", "class Rotary(torch.nn.Module):").replace(
        "        self.width = width\n",
        '        self.register_buffer("width", torch.tensor(float(width)))\n',
    )
    _, changed = proposed(tmp_path, text)
    assert changed["net.py"].endswith(
        "        self.table = self.build(self.length)\n        return x * self.table\n"
    )
    assert changed["net.py"].count("self.table = self.build") == 1


FOR_EACH = NET.replace(
    "        self.table = None\n", "        self.table = None\n        self.size = None\n"
)
FOR_EACH = FOR_EACH.replace(
    "        if self.table is None:\n            self.table = self.build(self.length)\n",
    "        n = x.shape[1]\n        if self.table is None or self.size != n:\n"
    "            self.table = self.build(n)\n            self.size = n\n",
)


@pytest.mark.parametrize(
    ("old", "new", "made"),
    [
        ("x * self.table", "x * self.table + self.table", "x * table + table"),
        ("self.table is None or self.size != n", "n != self.size", "x * table"),
        (
            "            self.table = self.build(n)\n            self.size = n\n",
            "            self.size = n\n            self.table = self.build(n)\n",
            "x * table",
        ),
    ],
)
def test_what_is_made_for_each_size_is_made_in_a_variable(
    tmp_path: Path, old: str, new: str, made: str
) -> None:
    text = FOR_EACH.replace(old, new)
    assert text != FOR_EACH
    _, changed = proposed(tmp_path, text)
    assert changed["net.py"].endswith(
        "    def forward(self, x):\n        n = x.shape[1]\n        table = self.build(n)\n"
        f"        return {made}\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "        return x * self",
            "        self.size = 3\n        return x * self",
            "sets size, too",
        ),
        ("        return x * self.table", "        return x * self.size", ""),
        ("self.size != n", "self.size < n", "single line"),
        ("self.build(n)", "self.build(n) * x", "keeps what it makes of the first x"),
        (
            "    def forward",
            "    def last(self):\n        return self.table\n\n    def forward",
            "makes it for each of several values",
        ),
    ],
)
def test_what_is_kept_for_more_than_a_size_stays(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    text = FOR_EACH.replace(old, new)
    assert text != FOR_EACH
    proposal, _ = proposed(tmp_path, text)
    assert proposal.refusal
    assert words in proposal.refusal
