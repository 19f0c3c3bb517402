"""Patches that pick where a function is called what it picks by a number of its object."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_reports.causes.findings import Subject
from ca_reports.causes.rules.guard_advice import detail_of
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded_things import GuardedThing
from ca_reports.patching.patches import applied
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Compile, Frame
from tests.unit.reports.patching.programs import finding_of, line_of, program_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.patching.patches import Proposal

LAYERS = """\
from torch import nn


class Layer(nn.Module):
    def __init__(self, number):
        super().__init__()
        self.number = number
        self.lin = nn.Linear(4, 4)

    def forward(self, x, caches, place):
        keys, values = caches[self.number]
        keys[place] = self.lin(x)
        return keys.sum(0) + values


class Stack(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList(Layer(one) for one in range(depth))

    def forward(self, x, caches, place):
        for layer in self.layers:
            x = layer(x, caches, place)
        return x
"""
INDEX = Guard("self.number == 0", "value", "0/0", expected="0", actual="1", source="self.number")


def tried(folder: Path, source: str) -> tuple[Proposal, str]:
    """Return what is proposed for `self.number` of `Layer.forward`, and the new text."""
    own = Frame(str(folder / "train.py"), line_of(source, "def forward"), "forward", "")
    compiles = tuple(
        Compile(f"0/{one}", 0, None, None, None, location=own, code=own, stack=(own,))
        for one in range(2)
    )
    thing = GuardedThing((RecompileFacts(compiles[1], (INDEX,), None, own),))
    program = program_of(folder, {"train.py": source}, compiles, thing)
    finding = finding_of(
        "CA704",
        folder,
        ("train.py", line_of(source, "def forward")),
        subject=Subject("self.number"),
        detail=detail_of(thing),
        edits=("picked_outside",),
    )
    proposal = propose_for(replace(finding, key="self.number", events=compiles[1:]), program)
    changed = applied(program.texts, proposal.patches[:1]).get("train.py", source)
    compile(changed, "train.py", "exec")
    return proposal, changed


@pytest.mark.parametrize(
    ("given", "called", "passed"),
    [
        ("layer(x, caches, place)", "caches", "layer(x, caches[layer.number], place)"),
        (
            "layer(x, place=place, caches=self.state.rows)",
            "caches",
            "layer(x, place=place, caches=self.state.rows[layer.number])",
        ),
        (
            "self.layers[at](x, caches, place)",
            "caches.rows",
            "self.layers[at](x, caches.rows[self.layers[at].number], place)",
        ),
    ],
)
def test_the_caller_picks(tmp_path: Path, given: str, called: str, passed: str) -> None:
    source = LAYERS.replace("layer(x, caches, place)", given)
    source = source.replace("caches[self.number]", f"{called}[self.number]")
    proposal, changed = tried(tmp_path, source)
    assert not proposal.refusal
    wanted = source.replace(given, passed).replace(f"= {called}[self.number]", "= caches")
    assert changed == wanted
    assert proposal.patches[0].note == "caches is what was picked, in forward"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("return keys.sum(0)", "return len(caches) + keys.sum(0)", "does more with caches"),
        ("keys, values = caches[self.number]", "caches[self.number] = x", "more with self.number"),
        ("return keys.sum(0)", "return self.number + keys.sum(0)", "more with self.number"),
        ("return keys.sum(0)", "return self.rows[self.number]", "more than one thing"),
        ("layer(x, caches, place)", "layer(x, *caches)", "in another way"),
        ("layer(x, caches, place)", "made()(x, caches, place)", "find what calls"),
        (
            "        return x\n",
            "        return x\n\n    def index(self):\n        return self.number\n",
            "more with self.number",
        ),
    ],
)
def test_what_is_used_otherwise_is_picked_inside(
    tmp_path: Path, old: str, new: str, why: str
) -> None:
    source = LAYERS.replace(old, new)
    assert source != LAYERS
    proposal, changed = tried(tmp_path, source)
    assert why in proposal.refusal
    assert changed == source


def test_a_list_with_other_layers_is_passed_whole(tmp_path: Path) -> None:
    other = LAYERS.replace(
        "class Stack",
        "class Other(nn.Module):\n    def forward(self, x, caches, place):\n"
        "        return x + caches[0][0]\n\n\nclass Stack",
    ).replace("nn.ModuleList(Layer(one)", "nn.ModuleList(Layer(one) if one else Other()")
    proposal, _ = tried(tmp_path, other)
    assert "may call another function" in proposal.refusal
