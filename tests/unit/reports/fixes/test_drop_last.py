"""CA101: which DataLoader gets `drop_last=True`, and how it is written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ca_reports.findings import Subject
from ca_reports.fixes.program import EditableProgram
from ca_reports.fixes.propose import propose_for
from ca_reports.held import RecordedGuards
from ca_reports.model import Compile, Recorded, RecordedSource, Run
from ca_reports.source.files import SourceFiles
from tests.unit.reports.fixes.programs import (
    STARTED,
    every,
    finding_of,
    patched,
    program_of,
    refusal,
)

if TYPE_CHECKING:
    from pathlib import Path

LOOP = """
for inputs in loader:
    model(inputs).sum().backward()
"""


def made(call: str, imports: str = "from torch.utils.data import DataLoader") -> str:
    return f"{imports}\nloader = {call}\n{LOOP}"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("DataLoader(data, 8)", "DataLoader(data, 8, drop_last=True)"),
        ("DataLoader(data, batch_size=8,)", "DataLoader(data, batch_size=8, drop_last=True,)"),
        (
            "DataLoader(data, drop_last=False, shuffle=True)",
            "DataLoader(data, drop_last=True, shuffle=True)",
        ),
        (
            "DataLoader(\n    data,  # all\n    batch_size=8,  # fits\n)",
            "DataLoader(\n    data,  # all\n    batch_size=8,  # fits\n    drop_last=True,\n)",
        ),
        (
            "DataLoader(\n    data,\n    batch_size=8  # fits\n)",
            "DataLoader(\n    data,\n    batch_size=8,  # fits\n    drop_last=True\n)",
        ),
        (
            "DataLoader(data,\n                    batch_size=8)",
            "DataLoader(data,\n                    batch_size=8, drop_last=True)",
        ),
        (
            'DataLoader("größe, (a)", collate_fn=lambda x: (x, 1))',
            'DataLoader("größe, (a)", collate_fn=lambda x: (x, 1), drop_last=True)',
        ),
    ],
)
def test_the_call_keeps_its_layout(tmp_path: Path, call: str, expected: str) -> None:
    assert patched("CA101", tmp_path, made(call)) == made(expected)


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("from torch.utils.data import DataLoader as Batches", "Batches"),
        ("import torch", "torch.utils.data.DataLoader"),
        ("import torch.utils.data as data_", "data_.DataLoader"),
        ("from torch.utils import data as d", "d.DataLoader"),
        ("from torch.utils.data.dataloader import DataLoader", "DataLoader"),
    ],
)
def test_it_is_found_by_any_name(tmp_path: Path, imports: str, name: str) -> None:
    assert ", drop_last=True)" in patched("CA101", tmp_path, made(f"{name}(x)", imports))


def test_lines_end_as_they_did(tmp_path: Path) -> None:
    source = made("DataLoader(\n    data,\n    batch_size=8,\n)").replace("\n", "\r\n")
    changed = patched("CA101", tmp_path, source)
    assert changed.count("\n") == changed.count("\r\n") == source.count("\n") + 1
    assert "    drop_last=True,\r\n)" in changed


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (made("DataLoader(data, **settings)"), "takes **"),
        (made("DataLoader(data, *rest)"), "takes *"),
        (made("DataLoader(data, drop_last=last)"), "last at train.py:2 is set where"),
        (made("DataLoader(data, drop_last=True)"), "has drop_last=True"),
        (made("DataLoader(data, batch_sampler=own)"), "own at train.py:2 is set where"),
        (made("DataLoader(data, 1, False, None, own)"), "batch sampler"),
        (made("DataLoader(data, batch_size=None)"), "makes no batches"),
        (made("DataLoader(data)", "from mine import DataLoader"), "no DataLoader call"),
        (made("DataLoader(data)", "class DataLoader: ..."), "no DataLoader call"),
        (
            made(
                "DataLoader(data)",
                "try:\n    from mine import DataLoader\n"
                "except ImportError:\n    from torch.utils.data import DataLoader",
            ),
            "no DataLoader call",
        ),
    ],
)
def test_what_it_cannot_know_it_leaves(tmp_path: Path, source: str, words: str) -> None:
    assert words in refusal("CA101", tmp_path, source)


TWO = """
from torch.utils.data import DataLoader
training = DataLoader(data, 8)
validation = DataLoader(held_out, 8)
{more}
for step, inputs in enumerate(training):
    model(inputs).sum().backward()
"""


def test_of_two_the_one_of_the_training_loop(tmp_path: Path) -> None:
    changed = patched("CA101", tmp_path, TWO.format(more=""))
    assert "training = DataLoader(data, 8, drop_last=True)" in changed
    assert "validation = DataLoader(held_out, 8)\n" in changed


def test_two_candidates_are_named_where_the_name_is_rebound(tmp_path: Path) -> None:
    source = TWO.format(more="training = prefetch(training)").replace("training", "first")
    assert "train.py:3, train.py:4" in refusal("CA101", tmp_path, source)


TORCH = "from torch.utils.data import BatchSampler, DataLoader, RandomSampler\n"
LONG = "for epoch in range(3):\n    for inputs in loader:\n        model(inputs).backward()\n"


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        # Options in a dict, which may have it or not, of the module or of a configuration.
        (
            "options = {'batch_size': 8, 'drop_last': False}\nloader = DataLoader(d, **options)\n",
            "'drop_last': False",
            "'drop_last': True",
        ),
        (
            "options = dict(batch_size=8)\nloader = DataLoader(d, **options)\n",
            "**options)",
            "**options, drop_last=True)",
        ),
        (
            "CONFIG = {'loader': {'batch_size': 8, 'drop_last': False}}\n"
            "loader = DataLoader(d, **CONFIG['loader'])\n",
            "'drop_last': False",
            "'drop_last': True",
        ),
        # A value that comes from far: a dataclass, a namespace, argparse, a parameter.
        (
            "class Config:\n    drop_last: bool = False\n\n\nconfig = Config()\n"
            "loader = DataLoader(d, 8, drop_last=config.drop_last)\n",
            "bool = False",
            "bool = True",
        ),
        (
            "from types import SimpleNamespace\n\nargs = SimpleNamespace(drop_last=False)\n"
            "loader = DataLoader(d, 8, drop_last=args.drop_last)\n",
            "(drop_last=False)",
            "(drop_last=True)",
        ),
        (
            "parser.add_argument('--drop-last', default=False)\nargs = parser.parse_args()\n"
            "loader = DataLoader(d, 8, drop_last=args.drop_last)\n",
            "default=False",
            "default=True",
        ),
        (
            "def make(d, last=False):\n    return DataLoader(d, 8, drop_last=last)\n\n\n"
            "loader = make(d)\n",
            "last=False",
            "last=True",
        ),
        # Other makers: partial, a sampler of batches, one function for training and tests.
        (
            "from functools import partial\n\nmake = partial(DataLoader, batch_size=8)\n"
            "loader = make(d)\nheld_out = make(e)\n",
            "loader = make(d)",
            "loader = make(d, drop_last=True)",
        ),
        (
            "batches = BatchSampler(RandomSampler(d), 8, False)\n"
            "loader = DataLoader(d, batch_sampler=batches)\n",
            "8, False)",
            "8, True)",
        ),
        (
            "def make(d, shuffle):\n    return DataLoader(d, 8, shuffle=shuffle)\n\n\n"
            "loader, held_out = make(d, True), make(e, False)\n",
            "shuffle=shuffle)",
            "shuffle=shuffle, drop_last=shuffle)",
        ),
        (
            "loader = DataLoader(d, 8, shuffle=True)\nheld_out = DataLoader(e, 8)\n"
            "loader = wrap(loader)\n",
            "shuffle=True)",
            "shuffle=True, drop_last=True)",
        ),
    ],
)
def test_the_option_is_followed_to_where_it_is_written(
    tmp_path: Path, source: str, old: str, new: str
) -> None:
    changed = patched("CA101", tmp_path, TORCH + source + LONG)
    assert changed == (TORCH + source + LONG).replace(old, new)


def test_a_function_that_makes_several_loaders_is_left(tmp_path: Path) -> None:
    source = """
    from torch.utils.data import DataLoader
    def make(data):
        return DataLoader(data, 8)
    training, validation = make(a), make(b)
    for inputs in training:
        model(inputs).sum().backward()
    """
    assert "make makes several loaders" in refusal("CA101", tmp_path, source)


def test_the_call_in_an_imported_file(tmp_path: Path) -> None:
    files = {
        "train.py": "from parts.data import loader\nfor x in loader:\n    x.backward()\n",
        "parts/__init__.py": "",
        "parts/data.py": "from torch.utils.data import DataLoader\nloader = DataLoader(data)\n",
    }
    (changed,) = every("CA101", tmp_path, files)
    assert list(changed) == ["parts/data.py"]


def test_a_file_that_changed_since_is_left(tmp_path: Path) -> None:
    files = {
        "train.py": "import torch\nfrom data import loader\ntorch.compile(f)(x).backward()\n",
        "data.py": made("DataLoader(data)"),
    }
    program = program_of(tmp_path, files)
    os.utime(tmp_path / "data.py")
    proposal = propose_for(finding_of("CA101", tmp_path, ("train.py", 3)), program)
    # Nor is the other remedy offered, whose file is as it was: the cause may be gone.
    assert not proposal.patches
    assert proposal.refusal == "data.py changed since the run: run it again"


@pytest.mark.parametrize("changed", [False, True])
def test_a_hash_tells_better_than_times_whether_a_file_changed(
    tmp_path: Path, changed: bool
) -> None:
    """A checkout touches files that it does not change, and an editor may keep a time."""
    files = {
        "train.py": "from data import loader\nloss.backward()\n",
        "data.py": made("DataLoader(d)"),
    }
    program_of(tmp_path, files)  # written
    data = str(tmp_path / "data.py")
    ran = SourceFiles([tmp_path]).current(data)
    assert ran is not None
    if changed:
        (tmp_path / "data.py").write_text(made("DataLoader(other)"))
        os.utime(data, (STARTED - 100, STARTED - 100))
    else:
        os.utime(data)
    recorded = Recorded("r", script="train.py", cwd=str(tmp_path), start=STARTED)
    kept = {data: RecordedSource(ran.digest, None)}
    run = Run((), (), (), recorded=(recorded,), source_roots=(str(tmp_path),), source=kept)
    program = EditableProgram(run, SourceFiles.of(run))
    proposal = propose_for(finding_of("CA101", tmp_path, ("train.py", 2)), program)
    assert bool(proposal.patches) != changed
    assert not changed or proposal.refusal == "data.py changed since the run: run it again"


def test_a_size_of_a_broken_graph_is_not_that_of_the_loader(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom torch.utils.data import DataLoader\n\nf = torch.compile(g)\n"
        "for x in DataLoader(data, batch_size=4):\n    f(x)\n"
    )
    subject = Subject("___stack1", (0,), (3, 2))
    found = every("CA101", tmp_path, {"train.py": source}, "f(x)", subject=subject)
    assert [one["train.py"] for one in found] == [source.replace("(g)", "(g, dynamic=True)")]


@pytest.mark.parametrize("gradients", [True, False, None])
def test_no_sample_of_an_evaluation_is_left_out_first(
    tmp_path: Path, gradients: bool | None
) -> None:
    source = (
        "import torch\nfrom torch.utils.data import DataLoader\n\nf = torch.compile(g)\n"
        "for x in DataLoader(data, batch_size=4):\n    f(x)\n"
    )
    held = None if gradients is None else RecordedGuards(gradients=gradients)
    event = Compile("0/1", 0, None, None, None, held=held)
    program = program_of(tmp_path, {"train.py": source})
    at = ("train.py", 5)
    found = propose_for(finding_of("CA101", tmp_path, at, events=(event,)), program).patches
    is_dropped = ["drop_last" in one.what for one in found]
    assert is_dropped == ([False, True] if gradients is False else [True, False])
    assert ("evaluation" in found[is_dropped.index(True)].intention) is (gradients is False)
