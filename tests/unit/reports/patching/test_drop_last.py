"""CA101: which DataLoader gets `drop_last=True`, and how it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import Subject
from ca_reports.patching.patches import applied
from ca_reports.patching.propose import propose_for
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile, Frame
from tests.unit.reports.patching.programs import (
    every,
    finding_of,
    patched,
    program_of,
    refusal,
    with_loader,
)

if TYPE_CHECKING:
    from pathlib import Path


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
    assert ", drop_last=True)" in patched("CA101", tmp_path, with_loader(f"{name}(x)", imports))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (with_loader("DataLoader(data, **settings)"), "what sets settings at train.py:2"),
        (with_loader("DataLoader(data, *rest)"), "takes *"),
        (with_loader("DataLoader(data, drop_last=last)"), "what sets last at train.py:2"),
        (with_loader("DataLoader(data, drop_last=True)"), "has drop_last=True"),
        (with_loader("DataLoader(data, batch_sampler=own)"), "what sets own at train.py:2"),
        (with_loader("DataLoader(data, 1, False, None, own)"), "batch sampler"),
        (with_loader("DataLoader(data, batch_size=None)"), "makes no batches"),
        (with_loader("DataLoader(data)", "from mine import DataLoader"), "no DataLoader call"),
        (with_loader("DataLoader(data)", "class DataLoader: ..."), "no DataLoader call"),
        (
            with_loader(
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


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            "y = answer(x)",
            'with torch.compiler.set_stance("force_eager" if x.shape[0] < 2 else "default"):\n'
            "    y = answer(x)",
        ),
        (
            "y = answer(torch.from_numpy(x)).numpy()",
            "rows_given = torch.from_numpy(x)\n"
            'with torch.compiler.set_stance("force_eager" if rows_given.shape[0] < 2 else '
            '"default"):\n'
            "    y = answer(rows_given).numpy()",
        ),
        ("yield answer(x)", ""),
        ("y = answer(*x)", ""),
    ],
)
def test_a_batch_of_one_runs_uncompiled_where_no_loader_makes_it(
    tmp_path: Path, call: str, expected: str
) -> None:
    source = (
        "import torch\n\n\ndef score(rows):\n    return rows * 2\n\n\n"
        f"answer = torch.compile(score)\n{call}\n"
    )
    inner = Frame(str(tmp_path / "train.py"), 4, "score", "")
    outer = Frame(str(tmp_path / "train.py"), 9, "<module>", "")
    compiles = tuple(
        Compile(f"0/{number}", 0, None, None, None, location=inner, stack=(outer, inner))
        for number in range(2)
    )
    program = program_of(tmp_path, {"train.py": source}, compiles)
    subject = Subject("rows", dimensions=(0,), values=(4, 1))
    at = ("train.py", 9)
    finding = finding_of("CA101", tmp_path, at, events=compiles[1:], subject=subject)
    proposal = propose_for(finding, program)
    assert bool(proposal.patches) is bool(expected)
    if expected:
        changed = applied(program.texts, proposal.patches[:1])
        assert changed == {"train.py": source.replace(call, expected)}


@pytest.mark.parametrize("given", ["", ", drop_last=cut"])
def test_a_loader_that_a_library_makes_of_options_gets_one_more(tmp_path: Path, given: str) -> None:
    source = (
        "from mmengine.runner import Runner\n\n"
        f"train = dict(batch_size=8, dataset=rows{given})\n"
        "held_out = dict(batch_size=8, dataset=others)\nRunner(train, held_out).train()\n"
    )
    if given:
        assert refusal("CA101", tmp_path, source, "train = dict")
        return
    changed = patched("CA101", tmp_path, source, "train = dict")
    assert changed == source.replace("dataset=rows)", "dataset=rows, drop_last=True)")
