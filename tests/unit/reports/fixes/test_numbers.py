"""CA206, CA303, CA702, CA704, CA705: Python numbers become tensors where they are set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.fixes.programs import every, patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

LOSS = """\
import torch

for step in range(9):
    loss = {formula}
    loss.backward()
"""


@pytest.mark.parametrize(
    ("key", "formula", "expected"),
    [
        ("PowBackward0 exponent", "x.pow(e).sum()", "x.pow(torch.tensor(e)).sum()"),
        ("PowBackward0 exponent", "torch.pow(x, e).sum()", "torch.pow(x, torch.tensor(e)).sum()"),
        (
            "ClampBackward1 max",
            "x.clamp(0, 1 + e).sum()",
            "x.clamp(torch.tensor(0), torch.tensor(1 + e)).sum()",
        ),
        (
            "ClampBackward1 max",
            "torch.clamp(x, max=e, min=-e).sum()",
            "torch.clamp(x, max=torch.tensor(e), min=torch.tensor(-e)).sum()",
        ),
    ],
)  # fmt: skip
def test_the_number_of_an_operation(tmp_path: Path, key: str, formula: str, expected: str) -> None:
    changed = patched("CA206", tmp_path, LOSS.format(formula=formula), "loss =", key=key)
    assert changed == LOSS.format(formula=expected)


@pytest.mark.parametrize(
    ("key", "formula", "words"),
    [
        ("EluBackward0 alpha", "elu(x, e).sum()", "needs another formula"),
        ("PowBackward0 exponent", "x.pow(e).sum() + x.pow(2 * e).sum()", "one call of pow"),
        ("PowBackward0 exponent", "(x**e).sum()", "one call of pow"),
        ("PowBackward0 exponent", "x.pow(2.5).sum()", "no number that changes"),
    ],
)
def test_another_operation_is_left(tmp_path: Path, key: str, formula: str, words: str) -> None:
    assert words in refusal("CA206", tmp_path, LOSS.format(formula=formula), "loss =", key=key)


LR = "self.param_groups[0]['lr']"
OPTIMIZER = """\
import torch

optimizer = torch.optim.{made}
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
update()
"""


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("SGD(p, lr=0.1)", "SGD(p, lr=torch.tensor(0.1))"),
        ("AdamW(p, rate, foreach=False)", "AdamW(p, torch.tensor(rate), foreach=False)"),
    ],
)
def test_the_learning_rate(tmp_path: Path, made: str, expected: str) -> None:
    changed = patched("CA702", tmp_path, OPTIMIZER.format(made=made), "update", key=LR)
    assert changed == OPTIMIZER.format(made=expected)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("AdamW(p)", "takes its default lr"),
        ("SGD(p, lr=torch.tensor(0.1))", "a tensor at train.py:3 already"),
        ("SGD(p, lr=1)\nother = torch.optim.SGD(q, lr=1)", "which optimizer is compiled"),
    ],
)
def test_a_learning_rate_that_is_left(tmp_path: Path, made: str, words: str) -> None:
    assert words in refusal("CA702", tmp_path, OPTIMIZER.format(made=made), "update", key=LR)


MODEL = '''\
"""A model."""

from torch import nn


class Model(nn.Module):
    def __init__(self, heat):
        super().__init__()
        self.heat = {value}

    def forward(self, x):
        return {result}
'''
TRAIN = """\
import torch
from model import Model

model = Model(1.0)
for step in range(9):
    model.heat = 0.9**step
    model(x).backward()
    print(f"{model.heat:.2f}")
"""


def test_an_attribute_is_a_tensor_in_every_assignment(tmp_path: Path) -> None:
    files = {"train.py": TRAIN, "model.py": MODEL.format(value="heat", result="x / self.heat")}
    (changed,) = every("CA704", tmp_path, files, key="self._modules['body'].heat")
    assert changed["train.py"] == TRAIN.replace("= 0.9**step", "= torch.tensor(0.9**step)")
    expected = MODEL.format(value="torch.tensor(heat)", result="x / self.heat")
    # Sorted imports stay sorted.
    assert changed["model.py"] == expected.replace("from torch", "import torch\nfrom torch")


@pytest.mark.parametrize(
    ("value", "result", "words"),
    [
        ("None", "x / self.heat", "is no number"),
        ("'hot'", "x / self.heat", "is no number"),
        ("[heat]", "x / self.heat[0]", "is no number"),
        ("torch.ones(3)", "x / self.heat", "is no number"),
        ("1.0", "x / max(1.0, self.heat)", "needs heat as a Python number"),
        ("1", "x[self.heat]", "needs heat as a Python number"),
        ("1", "x if self.heat else 0", "does not show"),
    ],
)
def test_an_attribute_that_python_needs_is_left(
    tmp_path: Path, value: str, result: str, words: str
) -> None:
    source = MODEL.format(value=value, result=result)
    if words == "does not show":
        source += "\n\nclass Other:\n    def __init__(self):\n        self.heat = 1\n"
    assert words in refusal("CA704", tmp_path, source, "self.heat =", key="self.heat")


def test_a_global_is_a_tensor_in_every_assignment(tmp_path: Path) -> None:
    files = {
        "train.py": "import losses\nimport torch\n\nlosses.WEIGHT = step / 10\n",
        "losses.py": '"""Losses."""\n\nWEIGHT = 0.0\n\n\ndef f(x):\n    return x * WEIGHT\n',
    }
    key = "G['__import_losses'].WEIGHT"
    (changed,) = every("CA702", tmp_path, files, "losses.WEIGHT", key=key)
    assert "losses.WEIGHT = torch.tensor(step / 10)\n" in changed["train.py"]
    assert changed["losses.py"].startswith(
        '"""Losses."""\n\nimport torch\n\nWEIGHT = torch.tensor(0.0)\n\n\n'
    )
