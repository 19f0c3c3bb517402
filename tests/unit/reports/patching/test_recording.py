"""CA704, CA710, CA711: what only records is not compiled."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_reports.causes.findings import Subject
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded_things import GuardedThing
from ca_reports.patching import recording
from ca_reports.patching.patches import RefusedError, applied
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Compile, Frame
from tests.unit.reports.patching.programs import finding_of, line_of, program_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.patching.patches import Proposal

SOURCE = """\
import torch


class Monitor:
    def hook(self, name):
        {decorator}def record(module, inputs, output):
            {body}

        return record


def forward(x):
    return net(x)


step = torch.compile({compiled})
"""
LENGTH = Guard("len(self.seen) == 1", "length", "0/0", expected="1", actual="2")


def recorded(
    folder: Path, body: str, compiled: str = "forward", decorator: str = "", caller: str = "forward"
) -> tuple[Proposal, dict[str, str], str]:
    """The proposal for ``self.seen`` of `record`, which ``caller`` calls; the text patched."""
    source = SOURCE.format(body=body, compiled=compiled, decorator=decorator)
    name = str(folder / "train.py")
    inner = Frame(name, line_of(source, "def record"), "record", "")
    outer = Frame(name, line_of(source, "return net(x)"), caller, "")
    begin = Frame(name, line_of(source, "def forward"), "forward", "")
    first = Compile("0/0", 0, None, None, None, location=begin, code=begin, stack=(outer,))
    own = tuple(
        Compile(f"1/{at}", 0, None, None, None, location=inner, code=inner, stack=(outer, inner))
        for at in range(2)
    )
    thing = GuardedThing((RecompileFacts(own[1], (LENGTH,), None, inner),))
    program = program_of(folder, {"train.py": source}, (first, *own), thing)
    finding = finding_of(
        "CA710",
        folder,
        key="self.seen",
        subject=Subject("self.seen"),
        events=own[1:],
        fix="by hand",
    )
    proposal = propose_for(finding, program)
    return proposal, applied(program.texts, proposal.patches[:1]), source


@pytest.mark.parametrize(
    "body",
    [
        "self.seen.append(output.mean().item())",
        "self.seen.append(float(output))\n            return None",
        "self.peak = max(self.peak, output.max().item())\n            return output",
        "rows = sorted(self.seen, key=lambda row: row.size)\n            self.seen = rows[:9]",
    ],
)
def test_what_only_records_is_not_compiled(tmp_path: Path, body: str) -> None:
    proposal, changed, source = recorded(tmp_path, body)
    line = "        def record"
    assert changed["train.py"] == source.replace(line, f"        @torch.compiler.disable\n{line}")
    assert "not compiled: it only records" in proposal.patches[0].what


@pytest.mark.parametrize(
    "body",
    [
        "return output * len(self.seen)",
        "self.seen.append(output)\n            return self.seen",
        "output.mul_(2)",
        "output[0] = len(self.seen)",
        "output += len(self.seen)",
        "self.loss(output).backward()",
        "yield output",
    ],
)
def test_what_computes_is_left(tmp_path: Path, body: str) -> None:
    assert not recorded(tmp_path, body)[0].patches


def test_what_is_compiled_on_purpose_is_left(tmp_path: Path) -> None:
    body = "self.seen.append(output)"
    assert not recorded(tmp_path, body, compiled="record")[0].patches
    assert not recorded(tmp_path, body, decorator="@torch.compile\n        ")[0].patches
    # Nothing compiled calls it: a loop does.
    assert not recorded(tmp_path, body, caller="main")[0].patches


NET = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x):
        y = x * 2
        {line}
        return y


net = torch.compile(Net())
net(x)
"""


def kept(folder: Path, line: str) -> dict[str, str]:
    source = NET.format(line=line)
    name = str(folder / "train.py")
    inner = Frame(name, line_of(source, "def forward"), "forward", "")
    outer = Frame(name, len(source.splitlines()), "<module>", "")
    own = tuple(
        Compile(f"0/{at}", 0, None, None, None, location=inner, code=inner, stack=(outer, inner))
        for at in range(2)
    )
    guard = replace(LENGTH, source="self.seen")
    thing = GuardedThing((RecompileFacts(own[1], (guard,), None, inner),))
    program = program_of(folder, {"train.py": source}, own, thing)
    finding = finding_of(
        "CA710",
        folder,
        key="self.seen",
        subject=Subject("self.seen"),
        events=own[1:],
        fix="by hand",
    )
    try:
        return applied(program.texts, recording.kept_apart(finding, program))
    except RefusedError:
        return {}


@pytest.mark.parametrize("given", ["y.mean().item()", "float(y.mean())"])
def test_a_list_is_filled_by_a_method_that_is_not_compiled(tmp_path: Path, given: str) -> None:
    changed = kept(tmp_path, f"self.seen.append({given})")
    method = (
        "    @torch.compiler.disable\n    def _add_to_seen(self, value):\n"
        "        self.seen.append(value.item())\n\n    def forward"
    )
    expected = NET.format(line="self._add_to_seen(y.mean())")
    assert changed["train.py"] == expected.replace("    def forward", method)


@pytest.mark.parametrize(
    "line",
    [
        "self.seen.append(y.mean())",  # no break today
        "self.seen.append(2 * y.mean().item())",
        "self.seen.append(y.mean().item()); y = y * len(self.seen)",
        "self.seen.append(y.mean().item()), self.seen.pop()",
        "self.seen.extend([y.mean().item()])",
        "seen.append(y.mean().item())",
    ],
)
def test_what_is_more_than_filled_is_left(tmp_path: Path, line: str) -> None:
    assert not kept(tmp_path, line)
