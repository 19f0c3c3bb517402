"""Patches that compile what a compiled function calls in its place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_reports.causes.findings import Subject
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded_things import GuardedThing
from ca_reports.patching.patches import applied
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Compile, Frame
from tests.unit.reports.patching.programs import finding_of, line_of, program_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.remedies import Edit
    from ca_reports.patching.patches import Proposal

ROUNDS = """\
import torch


def entropy(rows):
    return -(rows.exp() * rows).sum(-1)


@torch.compile(backend="eager")
def in_chunks(flat, size):
    parts = []
    for at in range(0, flat.shape[0], size):
        parts.append(entropy(flat[at : at + size]))
    return torch.cat(parts)


def main(batches):
    for flat in batches:
        in_chunks(flat, 32)
"""
CELL = """\
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.out = nn.Linear(4, 1)

    def advance(self, part, state):
        return state + torch.tanh(self.lin(part + state))

    def forward(self, x):
        state = torch.zeros(x.shape[1], 4)
        for t in range(x.shape[0]):
            state = self.advance(x[t], state)
        return self.out(state)


def main(batches):
    cell = Cell()
    run = torch.compile(cell, backend="eager", dynamic=True)
    for x in batches:
        run(x)
"""
TEXT = """\
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 4)

    def tokens(self, text):
        return torch.tensor([len(word) for word in text.split()])

    def forward(self, ids):
        return self.embed(ids).mean(0)


class Service:
    def __init__(self, reader):
        self.reader = reader
        self.score = torch.compile(self._score, backend="eager")

    def _score(self, text):
        ids = self.reader.tokens(text)
        return self.reader(ids)
"""
WRAPPER = """\
import functools

import torch


def timed(name):
    def decorate(fn):
        def wrapper(*args):
            with torch.profiler.record_function(name):
                return fn(*args)

        return functools.wraps(fn)(torch.compile(wrapper, backend="eager"))

    return decorate
"""
VALUE = Guard("text == 'a'", "value", "0/0", expected="'a'", actual="'b'", source="text")


def tried(
    folder: Path, source: str, edit: Edit, function: str, at: str, code: str = "CA102"
) -> tuple[Proposal, str]:
    """Return what is proposed for line ``at``, ``function`` being compiled, and the new text."""
    line = line_of(source, f"def {function}(")
    own = Frame(str(folder / "train.py"), line, function, "")
    compiles = tuple(
        Compile(f"0/{one}", 0, None, None, None, location=own, code=own, stack=(own,))
        for one in range(2)
    )
    thing = GuardedThing((RecompileFacts(compiles[1], (VALUE,), None, own),))
    program = program_of(folder, {"train.py": source}, compiles, thing)
    finding = finding_of(
        code,
        folder,
        ("train.py", line_of(source, at)),
        key="text",
        subject=Subject("text"),
        edits=(edit,),
    )
    proposal = propose_for(replace(finding, events=compiles[1:]), program)
    changed = applied(program.texts, proposal.patches[:1]).get("train.py", source)
    compile(changed, "train.py", "exec")
    return proposal, changed


def test_the_decorator_goes_to_what_each_round_calls(tmp_path: Path) -> None:
    proposal, changed = tried(tmp_path, ROUNDS, "compile_round", "in_chunks", "for at in")
    decorator = '@torch.compile(backend="eager")\n'
    wanted = ROUNDS.replace(decorator, "").replace("def entropy", f"{decorator}def entropy")
    assert changed == wanted
    assert proposal.patches[0].note == "the rest of in_chunks runs uncompiled"


def test_the_method_that_each_round_calls_is_compiled_on_its_object(tmp_path: Path) -> None:
    _, changed = tried(tmp_path, CELL, "compile_round", "forward", "for t in")
    call = 'torch.compile(cell, backend="eager", dynamic=True)'
    moved = 'cell.advance = torch.compile(cell.advance, backend="eager", dynamic=True)'
    assert changed == CELL.replace(f"run = {call}", f"{moved}\n    run = cell")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("entropy(flat[at : at + size])", "entropy(flat * at)", "is given at, a number"),
        ("entropy(flat[at : at + size])", "flat[at : at + size].exp()", "don't call one function"),
        ("parts.append", "torch.save(parts, 'a')\n        parts.append", "computes beside"),
        ("    in_chunks(flat", "    print(entropy(flat))\n        in_chunks(flat", "as well"),
        ("parts = []", "parts = [entropy(flat).mean()]", "computes beside the loop"),
        ('(backend="eager")', "(backend=chosen)", "is an option of its own"),
        ("parts = []", "for _ in flat:\n        pass\n    parts = []", "another loop"),
    ],
)
def test_a_function_that_does_more_than_its_loop_stays_compiled(
    tmp_path: Path, old: str, new: str, why: str
) -> None:
    source = ROUNDS.replace(old, new)
    assert source != ROUNDS
    proposal, changed = tried(tmp_path, source, "compile_round", "in_chunks", "for at in")
    assert why in proposal.refusal
    assert changed == source


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("self.out = nn.Linear(4, 1)", "self.out = Head()", "computes beside the loop"),
        ("self.out(state)", "self.out(self.lin(state))", "computes beside the loop"),
        ("run = torch.compile(cell, ", "run = torch.compile(made(), ", "single torch.compile"),
        ("run = torch", "other = torch.compile(cell)\n    run = torch", "single torch.compile"),
    ],
)
def test_a_module_that_does_more_than_its_loop_stays_compiled(
    tmp_path: Path, old: str, new: str, why: str
) -> None:
    source = CELL.replace(old, new)
    assert source != CELL
    proposal, _ = tried(tmp_path, source, "compile_round", "forward", "for t in")
    assert why in proposal.refusal


def test_what_takes_the_tensors_of_a_text_is_compiled(tmp_path: Path) -> None:
    _, changed = tried(tmp_path, TEXT, "compile_callee", "_score", "ids = self.r", "CA703")
    line = 'self.score = torch.compile(self._score, backend="eager")'
    moved = 'self.reader.compile(backend="eager")\n        self.score = self._score'
    assert changed == TEXT.replace(line, moved)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("self.reader(ids)", "self.reader(ids, text)", "hands text on"),
        ("self.reader(ids)", "self.reader(ids.exp())", ""),
        ("self.reader(ids)", "self.reader(ids) * 2", "more than call one function"),
        (
            "return torch.tensor(",
            "return self.embed(torch.tensor(1)) + torch.tensor(",
            "computes more than what it makes of the text",
        ),
        (
            "        ids = self.r",
            "        torch.manual_seed(1)\n        ids = self.r",
            "more than make a tensor of text",
        ),
    ],
)
def test_a_function_that_computes_with_a_text_stays_compiled(
    tmp_path: Path, old: str, new: str, why: str
) -> None:
    source = TEXT.replace(old, new)
    assert source != TEXT
    proposal, _ = tried(tmp_path, source, "compile_callee", "_score", "ids = self.r", "CA703")
    assert why in proposal.refusal
    assert bool(proposal.patches) is not bool(why)


def test_a_function_is_compiled_before_it_is_wrapped(tmp_path: Path) -> None:
    _, changed = tried(tmp_path, WRAPPER, "compile_wrapped", "wrapper", "return fn", "CA706")
    assert changed == WRAPPER.replace(
        "        def wrapper",
        '        compiled = torch.compile(fn, backend="eager")\n\n        def wrapper',
    ).replace("fn(*args)", "compiled(*args)").replace(
        'torch.compile(wrapper, backend="eager")', "wrapper"
    )


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("return fn(*args)", "return fn(*args) + torch.rand(1)", "computes beside"),
        ("return fn(*args)", "return fn(fn(*args))", "more than call one function"),
        ("backend=", "backend=name, mode=", "is an option of its own"),
    ],
)
def test_a_wrapper_that_does_more_stays_compiled(
    tmp_path: Path, old: str, new: str, why: str
) -> None:
    source = WRAPPER.replace(old, new)
    assert source != WRAPPER
    proposal, _ = tried(tmp_path, source, "compile_wrapped", "wrapper", "return fn", "CA706")
    assert why in proposal.refusal
