"""CA713, CA802, CA803, CA807: a line that sets an option, after the script's imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.fixes.programs import every, patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

SCALARS = "torch._dynamo.config.capture_scalar_outputs = True"
SOURCE = '''\
"""Trains."""

import logging

import torch
from torch import nn


def main():
    {line}
'''


@pytest.mark.parametrize(
    ("code", "key", "line", "option"),
    [
        ("CA803", "print", "print(x)", "reorderable_logging_functions.add(print)"),
        (
            "CA803",
            "logging.Logger.info",
            "logger.info(x)",
            "ignore_logging_functions.add(logging.Logger.info)",
        ),
        ("CA802", "`.item()`", "norm = x.item()", "capture_scalar_outputs = True"),
        ("CA807", "", "y = x[x > 0]", "capture_dynamic_output_shape_ops = True"),
    ],
)
def test_the_line_stands_after_the_imports(
    tmp_path: Path, code: str, key: str, line: str, option: str
) -> None:
    source = SOURCE.format(line=line)
    changed = patched(code, tmp_path, source, line, key=key)
    set_ = f"from torch import nn\n\ntorch._dynamo.config.{option}\n"
    assert changed == source.replace("from torch import nn\n", set_)


def test_it_is_set_in_the_script_for_a_line_elsewhere(tmp_path: Path) -> None:
    files = {
        "train.py": "import torch as t\nimport model\n\nmodel.f()\n",
        "model.py": "def f(x):\n    print(x)\n",
    }
    (changed,) = every("CA803", tmp_path, files, "model.f", key="print")
    assert changed == {
        "train.py": "import torch as t\nimport model\n\n"
        "t._dynamo.config.reorderable_logging_functions.add(print)\n\nmodel.f()\n"
    }


@pytest.mark.parametrize(
    ("code", "source", "words"),
    [
        ("CA802", "import torch\nn = x.item()  # at\nif n > 1:\n    f()\n", "decides by n"),
        ("CA802", "import torch\nn = x.item()  # at\nwhile y < n:\n    f()\n", "decides by n"),
        ("CA802", "from mine import x\nn = x.item()  # at\n", "does not import torch"),
        (
            "CA802",
            f"import torch\n{SCALARS}\nn = x.item()  # at\n",
            "already",
        ),
        ("CA803", "import torch\nwarnings.warn(x)  # at\n", "does not import warnings"),
    ],
)
def test_what_is_left(tmp_path: Path, code: str, source: str, words: str) -> None:
    assert words in refusal(code, tmp_path, source, "# at", key="warnings.warn")
