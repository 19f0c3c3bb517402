"""CA707: tensors of the program's own subclasses are passed as plain tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from tests.unit.reports.patching.programs import for_argument

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.patching.patches import Proposal

CALL = "import torch\n\nfrom net import crop\n\ncrop(image)\n"
NET = '''\
import torch


class Image(torch.Tensor):
    """Colours."""

    @staticmethod
    def wrap(data, name):
        image = data.as_subclass(Image)
        image.name = name
        return image


def crop(x):
    return x[..., 1:]
'''
GUARD = Guard("x type", "type", "0/0", expected="Image", actual="Tensor", source="x")


def proposed(folder: Path, text: str, call: str = CALL) -> tuple[Proposal, dict[str, str]]:
    files = {"train.py": call, "net.py": text}
    return for_argument("CA707", folder, files, "crop", GUARD, edits=("plain_tensor",))


def test_a_class_that_only_carries_a_name_is_left_out(tmp_path: Path) -> None:
    _, changed = proposed(tmp_path, NET)
    assert changed["train.py"].endswith("crop(image.as_subclass(torch.Tensor))\n")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(torch.Tensor)", "(Base)", "may compute otherwise"),
        ("    @staticmethod\n    def wrap(", "    def __torch_function__(", "may compute"),
        ("class Image", "class Picture", "isn't one of the program's classes"),
        ("    return x[", "    print(x.name)\n    return x[", "reads name"),
        (
            "    return x[",
            "    if isinstance(x, Image):\n        x = -x\n    return x[",
            "asks for",
        ),
    ],
)
def test_a_class_that_is_looked_at_stays(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert words in proposed(tmp_path, NET.replace(old, new))[0].refusal
