"""CA704: what objects have of their class is a tensor of each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_reports.causes.rules.guard_advice import detail_of
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded_things import GuardedThing
from ca_reports.patching.patches import Proposal, applied
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Compile
from tests.unit.reports.patching.programs import finding_of, program_of

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
import torch
from torch import nn


class Layer(nn.Linear):
    bits = 8
{constructor}
    # How many levels there are.
    def levels(self):
        return 2.0 ** self.bits


def set_bits(layer, bits):
    layer.bits = bits


model = torch.compile(Layer(4, 4))
set_bits(model, 6)
"""
ADDED = """
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.bits = torch.tensor(self.bits)
"""


def proposed(folder: Path, source: str) -> Proposal:
    guard = Guard("not hasattr(self, 'bits')", "attribute", "0/0", "self", expected="no 'bits'")
    compiles = tuple(Compile(f"0/{number}", 0, None, None, None) for number in range(2))
    thing = GuardedThing((RecompileFacts(compiles[1], (guard,), None, None),))
    program = program_of(folder, {"train.py": source}, compiles, thing)
    known = detail_of(thing)
    finding = finding_of("CA704", folder, key="self.bits", detail=known, events=compiles[1:])
    return propose_for(finding, program)


@pytest.mark.parametrize(
    ("constructor", "expected"),
    [
        ("", ADDED),
        (
            "\n    def __init__(self, *sizes):\n        super().__init__(*sizes)\n"
            "        self.seen = 0\n",
            "\n    def __init__(self, *sizes):\n        super().__init__(*sizes)\n"
            "        self.bits = torch.tensor(self.bits)\n        self.seen = 0\n",
        ),
        (
            "\n    def __init__(this):\n        super().__init__(2, 2)\n        this.seen = 0\n",
            "\n    def __init__(this):\n        super().__init__(2, 2)\n"
            "        this.bits = torch.tensor(this.bits)\n        this.seen = 0\n",
        ),
    ],
)
def test_each_object_gets_a_tensor_when_it_is_made(
    tmp_path: Path, constructor: str, expected: str
) -> None:
    source = SOURCE.format(constructor=constructor)
    (patch,) = proposed(tmp_path, source).patches
    changed = applied({"train.py": source}, [patch])["train.py"]
    wanted = SOURCE.format(constructor=expected)
    assert changed == wanted.replace("layer.bits = bits", "layer.bits = torch.tensor(bits)")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "{constructor}",
            "\n    def __init__(self):\n        self.seen = 0\n",
            "no constructor at",
        ),
        ("    bits = 8\n", "", "can't find the class that sets bits"),
        ("{constructor}", "\n\nclass Other:\n    bits = 4\n", "single class"),
    ],
)
def test_where_there_is_no_such_place_nothing_is_offered(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    source = SOURCE.replace(old, new).replace("{constructor}", "")
    assert words in proposed(tmp_path, source).refusal
