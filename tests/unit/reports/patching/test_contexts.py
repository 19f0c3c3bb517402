"""CA303: numbers that autograd Functions keep are saved as tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.patching import contexts
from ca_reports.patching.patches import RefusedError
from tests.unit.reports.patching.programs import finding_of, line_of, patched, program_of

if TYPE_CHECKING:
    from pathlib import Path

SCALED = """\
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.scale / 3, None


def gradient(scale):
    x = torch.linspace(0, 1, 7, requires_grad=True)
    Scale.apply(x * x, scale).sum().backward()
    return x.grad
"""


def gradient(source: str) -> Any:
    space: dict[str, Any] = {}
    exec(source, space)
    return space["gradient"](1 / 30)


def test_a_number_of_the_context_is_saved_with_the_same_gradient(tmp_path: Path) -> None:
    changed = patched("CA303", tmp_path, SCALED, "ctx.scale = scale")

    assert "ctx.save_for_backward(torch.as_tensor(scale, dtype=torch.float64))" in changed
    assert "return grad * ctx.saved_tensors[0] / 3, None" in changed
    assert gradient(changed).equal(gradient(SCALED))
    assert gradient(changed).dtype == gradient(SCALED).dtype


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("twice = 2 * ctx.scale\n        return grad * twice", "twice = 2 * {}"),
        (
            "part = 1 + math.exp(-ctx.scale)\n        share = 2 / part - 1\n"
            "        return -share * grad",
            "part = 1 + torch.exp(-{})",
        ),
        ("return grad * (1 - math.pow(0.9, ctx.scale))", "(1 - 0.9 ** {})"),
    ],
)
def test_variables_and_functions_of_math_are_computed_by_torch(
    tmp_path: Path, lines: str, expected: str
) -> None:
    source = "import math\n" + SCALED.replace("return grad * ctx.scale / 3, None", f"{lines}, None")
    changed = patched("CA303", tmp_path, source, "ctx.scale = scale")

    assert expected.format("ctx.saved_tensors[0]") in changed
    assert gradient(changed).allclose(gradient(source))
    assert gradient(changed).dtype == gradient(source).dtype


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("grad * ctx.scale / 3", "grad.clamp(max=ctx.scale)", "as a Python number"),
        (
            "return grad * ctx.scale / 3",
            "twice = 2 * ctx.scale\n        return grad * 3 if twice > 1 else grad",
            "as a",
        ),
        (
            "return grad * ctx.scale / 3",
            "twice = 2 * ctx.scale\n        return grad.clamp(max=twice)",
            "as a",
        ),
        (
            "return grad * ctx.scale / 3",
            "rest = grad * 2\n        return rest, 2 * ctx.scale",
            "as a Python number",
        ),
        ("grad * ctx.scale / 3", "grad * math.gamma(ctx.scale)", "as a Python number"),
        ("grad * ctx.scale / 3", "grad if ctx.scale > 1 else -grad", "as a Python number"),
        ("ctx.scale = scale\n", "ctx.scale = scale\n        ctx.save_for_backward(x)\n", "already"),
        ("(torch.autograd.Function)", "", "in no autograd Function"),
        ("return x.clone()", "ctx.scale += 1\n        return x.clone()", "assigned again"),
    ],
)
def test_what_is_no_number_of_a_formula_stays(tmp_path: Path, old: str, new: str, why: str) -> None:
    source = SCALED.replace(old, new)
    assert source != SCALED
    program = program_of(tmp_path, {"train.py": source})
    finding = finding_of("CA303", tmp_path, ("train.py", line_of(source, "ctx.scale = scale")))
    with pytest.raises(RefusedError, match=why):
        contexts.saved(finding, program)
