"""CA111: a tensor is laid out alike in every call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_reports.causes.findings import OtherLayout, Subject
from ca_reports.run.model import Frame
from tests.unit.reports.patching.passed import proposed
from tests.unit.reports.patching.programs import line_of, patched

if TYPE_CHECKING:
    from pathlib import Path

STRIDE = Guard("stride mismatch", "stride", "0/0", expected="8", actual="1")
SOURCE = """\
import torch
from model import rate

rate = torch.compile(rate)


def batches():
    for image, label in data():
        {made}
        yield batch


for batch in batches():
    rate(batch, context=1)
"""


@pytest.mark.parametrize(
    ("made", "changed"),
    [
        (
            'batch = {"image": image.mT, "label": label}',
            'batch = {"image": image.mT.contiguous(), "label": label}',
        ),
        ("batch = dict(image=image)", "batch = dict(image=image.contiguous())"),
        (
            "batch = {}; batch['image'] = -image",
            "batch = {}; batch['image'] = (-image).contiguous()",
        ),
    ],
)
def test_an_entry_is_laid_out_where_it_is_made(tmp_path: Path, made: str, changed: str) -> None:
    source = SOURCE.format(made=made)
    name = "board['image']"
    _, files = proposed(tmp_path, {"train.py": source}, "CA111", name, ["rate(batch"] * 2, STRIDE)
    assert files["train.py"] == SOURCE.format(made=changed)


@pytest.mark.parametrize(
    "made",
    [
        'batch = {"image": image}; other = {"image": label}',
        'batch = {"image": [image]}',
        'batch = {"picture": image}',
        "batch = {key: image}",
        "batch = Batch(image=image)",
    ],
)
def test_an_entry_that_may_be_of_several_places_is_left(tmp_path: Path, made: str) -> None:
    files = {"train.py": SOURCE.format(made=made)}
    found, _ = proposed(tmp_path, files, "CA111", "board['image']", ["rate(batch"] * 2, STRIDE)
    assert not found.patches


@pytest.mark.parametrize("line", ["score(cut, 9)", "score(*pair())"])
def test_the_call_that_brought_it_is_changed_beside_one_that_shows_nothing(
    tmp_path: Path, line: str
) -> None:
    source = (
        "import torch\nfrom model import score\n\nscore = torch.compile(score)\n\n\n"
        "score(*pair())\ncut = x[:3]\nscore(cut, 9)\n"
    )
    at = Frame(str(tmp_path / "train.py"), line_of(source, line), "", "")
    found, files = proposed(
        tmp_path,
        {"train.py": source},
        "CA111",
        "rows",
        ["score(*pair", "score(cut"],
        STRIDE,
        to_edit=at,
    )
    if line.startswith("score(*"):
        assert not found.patches
    else:
        assert files["train.py"] == source.replace("score(cut,", "score(cut.contiguous(),")


def test_both_views_of_a_line_are_laid_out(tmp_path: Path) -> None:
    source = "import torch\n\n\ndef turned(x, y):\n    return x.rot90(), y.rot90()\n"
    changed = patched("CA111", tmp_path, source, "rot90", subject=Subject("y"))
    assert changed == source.replace(".rot90()", ".rot90().contiguous()")


def test_an_entry_that_a_line_before_turns_is_laid_out_there(tmp_path: Path) -> None:
    made = "image, label = image.rot90(), label.rot90()\n        batch = {'image': image}"
    source = SOURCE.format(made=made)
    name = "board['image']"
    _, files = proposed(tmp_path, {"train.py": source}, "CA111", name, ["rate(batch"] * 2, STRIDE)
    assert files["train.py"] == source.replace(".rot90()", ".rot90().contiguous()")


def test_the_stride_of_a_size_of_one_is_changed_by_a_copy_that_is_contiguous(
    tmp_path: Path,
) -> None:
    source = (
        "import torch\nfrom model import score\n\nscore = torch.compile(score)\n\n\n"
        "for ids in texts:\n    score(ids[:, -1:], 9)\n"
    )
    _, files = proposed(
        tmp_path,
        {"train.py": source},
        "CA111",
        "rows",
        ["score(ids"] * 2,
        STRIDE,
        detail=OtherLayout(is_of_one=True),
    )
    copied = "score(ids[:, -1:].clone(memory_format=torch.contiguous_format), 9)"
    assert files["train.py"] == source.replace("score(ids[:, -1:], 9)", copied)
