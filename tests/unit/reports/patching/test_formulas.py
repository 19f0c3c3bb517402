"""Formulas with a tensor in place of a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.torchlib.formulas import FORMULAS, Formula
from tests.unit.reports.patching.programs import HEATED, baked, patched, refusal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("x / max(1.0, self.heat)", "x / torch.clamp(self.heat, min=1.0)"),
        ("x * min(self.heat / 9, 1)", "x * torch.clamp(self.heat / 9, max=1)"),
        ("x / min(self.heat, self.most)", "x / torch.clamp(self.heat, max=self.most)"),
        ("nn.functional.leaky_relu(x, self.heat)", "_leaky_relu(x, self.heat)"),
        ("nn.functional.elu(x, alpha=self.heat)", "_elu(x, alpha=self.heat)"),
        (
            "x.mul(self.heat).add_(x, alpha=1 - self.heat)",
            "x.mul(self.heat).add_(x * (1 - self.heat))",
        ),
        ("torch.sub(x, x + 1, alpha=self.heat)", "torch.sub(x, (x + 1) * self.heat)"),
        ("x.addcdiv_(x + 1, x, value=-self.heat)", "x.addcdiv_((x + 1) * (-self.heat), x)"),
        ("torch.addcmul(x, y, z, value=self.heat)", "torch.addcmul(x, y * self.heat, z)"),
        ("x * (1 - math.pow(0.9, self.heat))", "x * (1 - 0.9 ** self.heat)"),
        ("x * math.pow(self.heat + 1, 2) ** 2", "x * ((self.heat + 1) ** 2) ** 2"),
    ],
)
def test_functions_of_numbers_take_the_tensor(tmp_path: Path, result: str, expected: str) -> None:
    source = HEATED.format(value="heat", result=result)
    source = source.replace("from torch import nn", "import math\n\nfrom torch import nn")
    changed = patched("CA704", tmp_path, source, "self.heat =", key="self.heat")
    assert f"        return {expected}\n" in changed
    assert "self.heat = torch.tensor(heat)" in changed
    own = expected.partition("(")[0]
    assert changed.count(f"def {own}(") == own.startswith("_")


@pytest.mark.parametrize(
    "result",
    ["(x.abs() > self.heat).float().mean()", "torch.where(3 * self.heat < x, x, 0.0)"],
)
def test_what_tensors_are_compared_with_may_be_one(tmp_path: Path, result: str) -> None:
    source = HEATED.format(value="heat", result=result)
    changed = patched("CA704", tmp_path, source, "self.heat =", key="self.heat")
    assert "self.heat = torch.tensor(heat)" in changed
    assert f"return {result}\n" in changed


@pytest.mark.parametrize(
    ("key", "formula", "expected"),
    [
        (
            "HuberLossBackward0 delta",
            "functional.huber_loss(x, y, delta=1 / step)",
            "_huber_loss(x, y, delta=torch.tensor(1 / step))",
        ),
        (
            "SmoothL1LossBackward0 beta",
            "functional.smooth_l1_loss(x, y, beta=b)",
            "_smooth_l1_loss(x, y, beta=torch.tensor(b))",
        ),
        (
            "LeakyReluBackward0 negative_slope",
            "functional.leaky_relu(x, b).sum()",
            "_leaky_relu(x, torch.tensor(b)).sum()",
        ),
        (
            "MulBackward1 other",
            "functional.cross_entropy(x, y, label_smoothing=b)",
            "_cross_entropy(x, y, label_smoothing=torch.tensor(b))",
        ),
    ],
)
def test_a_formula_is_written_out(tmp_path: Path, key: str, formula: str, expected: str) -> None:
    source = f"""\
    import torch
    from torch.nn import functional
    def main():
        loss = {formula}
        loss.backward()
    """
    changed = patched("CA206", tmp_path, source, "loss =", detail=baked(key))
    assert f"loss = {expected}" in changed
    assert changed.index(f"def {expected.partition('(')[0]}(") < changed.index("def main")
    taken = source.replace("def main", f"def {expected.partition('(')[0]}(): ...\n    def main")
    assert "already" in refusal("CA206", tmp_path, taken, "loss =", detail=baked(key))
    other = source.replace("(x, y,", "(x, y, reduction='sum',").replace("(x, b)", "(x, b, True)")
    assert "another formula" in refusal("CA206", tmp_path, other, "loss =", detail=baked(key))


def test_every_call_of_the_function_with_that_number_is_written_out(tmp_path: Path) -> None:
    source = """\
    from torch.nn import functional
    def shrunk(x, limit, other):
        for _ in range(3):
            x = functional.softshrink(x - 1, limit)
        return functional.softshrink(functional.softshrink(x, limit), other)
    """
    key = "SoftshrinkBackward0 lambd"
    changed = patched("CA206", tmp_path, source, "softshrink(x - 1", detail=baked(key))
    assert "x = _softshrink(x - 1, torch.tensor(limit))\n" in changed
    assert "functional.softshrink(_softshrink(x, torch.tensor(limit)), other)\n" in changed
    assert changed.count("def _softshrink(") == 1


def test_the_formula_of_a_partial_is_written_out(tmp_path: Path) -> None:
    source = """\
    from functools import partial
    import torch
    from torch.nn import functional
    def main():
        loss = partial(functional.huber_loss{given}, delta=1 / step)
    """
    key = "HuberLossBackward0 delta"
    changed = patched("CA206", tmp_path, source.format(given=""), "loss =", detail=baked(key))
    assert "loss = partial(_huber_loss, delta=torch.tensor(1 / step))\n" in changed
    words = refusal("CA206", tmp_path, source.format(given=", x"), "loss =", detail=baked(key))
    assert "another formula" in words


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("torch.add(x, y, alpha=scale)", "torch.add(x, y * scale)"),
        ("x.sub(y + 1, alpha=scale / 2)", "x.sub((y + 1) * (scale / 2))"),
        ("partial(torch.add, alpha=scale)", "lambda one, other: torch.add(one, scale * other)"),
    ],
)
def test_alpha_is_a_factor(tmp_path: Path, formula: str, expected: str) -> None:
    source = "import torch\nfrom functools import partial\n\n\ndef forward(x, y, scale):\n    {}\n"
    changed = patched(
        "CA206",
        tmp_path,
        source.format(f"z = {formula}"),
        "z =",
        detail=baked("AddBackward0 alpha"),
    )
    assert changed == source.format(f"z = {expected}")


def test_alpha_beside_other_options_is_left(tmp_path: Path) -> None:
    source = "import torch\n\n\ndef forward(x, y, scale, z):\n"
    source += "    torch.add(x, y, alpha=scale, out=z)\n"
    assert "further options" in refusal(
        "CA206", tmp_path, source, "torch.add", detail=baked("AddBackward0 alpha")
    )


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda one: one.name)
@pytest.mark.parametrize("number", [0.3, 0.9])
def test_a_formula_is_that_of_torch(formula: Formula, number: float) -> None:
    import torch

    torch.manual_seed(0)
    x = (torch.randn(6, 5) * 9).requires_grad_()
    is_loss = formula.parameters[1] == "target"
    classes = torch.tensor([0, 1, 4, 2, 2, 1])
    target = classes if formula.name == "cross_entropy" else torch.randn(6, 5)
    given = [x, target] if is_loss else [x]
    space: dict[str, Any] = {"torch": torch}
    body = formula.body.format(torch="torch")
    exec(f"def own({', '.join(formula.parameters)}):\n    {body}\n", space)
    theirs = getattr(torch.nn.functional, formula.name)(*given, **{formula.number: number})
    ours = space["own"](*given, torch.tensor(number))
    torch.testing.assert_close(ours, theirs)
    (expected,) = torch.autograd.grad(theirs.sum(), x)
    (found,) = torch.autograd.grad(ours.sum(), x)
    torch.testing.assert_close(found, expected)
    functions = torch.nn.functional
    space |= {"x": x, "y": target, "scale": torch.tensor(number)}
    space |= {"cross_entropy": functions.cross_entropy, "log_softmax": functions.log_softmax}
    space["error"] = (x - target).abs() if target.is_floating_point() else None
    torch.testing.assert_close(eval(formula.short.format(name="scale"), space), theirs)
