"""CA501 and CA503: what ends the graph of a compiled backward."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import SplitGraph
from ca_reports.patching.propose import propose_for
from tests.unit.reports.patching.programs import (
    finding_of,
    line_of,
    patched,
    program_of,
    refusal,
)

if TYPE_CHECKING:
    from pathlib import Path

HOOK = """\
import torch


def clip(grad):
    {body}
"""
BRANCH = "if {test}:\n        return grad / 2\n    return grad"


@pytest.mark.parametrize("test", ["grad.norm().item() > 1", "grad.norm() > 1"])
def test_a_choice_is_a_where(tmp_path: Path, test: str) -> None:
    source = HOOK.format(body=BRANCH.format(test=test))
    changed = patched("CA501", tmp_path, source, "if ")
    assert changed == HOOK.format(body="return torch.where(grad.norm() > 1, grad / 2, grad)")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("if grad.norm() > 1:\n        total.append(1)\n    return grad", "does more"),
        ("if grad.norm() > 1:\n        return grad\n    x = 1\n    return x", "does more"),
        (
            "if grad.norm() > 1:\n        for one in x:\n            f(one)\n    return grad",
            "does more",
        ),
        (BRANCH.format(test="grad.norm() > 1 and flag"), "not a single comparison"),
        (BRANCH.format(test="flag"), "not a single comparison"),
    ],
)
def test_a_hook_that_does_more_is_left(tmp_path: Path, body: str, words: str) -> None:
    assert words in refusal("CA501", tmp_path, HOOK.format(body=body), "if ")


RETAINING = """\
import torch

for step in range(9):
    hidden = model.encode(x)
    {line}
    model(hidden).sum().backward()
"""


@pytest.mark.parametrize(
    ("line", "tensor"),
    [
        ("hidden.retain_grad()", "hidden"),
        ("if step % 3 == 0:\n        hidden.retain_grad()  # to look at", "hidden"),
        ("if step: model.hidden.retain_grad()", "model.hidden"),
        ("hidden.retain_grad(\n    )", "hidden"),
    ],
)
def test_a_gradient_is_kept_by_a_hook(tmp_path: Path, line: str, tensor: str) -> None:
    source = RETAINING.format(line=line)
    changed = patched("CA501", tmp_path, source, "retain_grad(")
    before, _, after = source.partition(f"{tensor}.retain_grad(")
    after = after.partition(")")[2]
    hook = f'lambda gradient, of={tensor}: setattr(of, "grad", gradient)'
    expected = f"{before}{tensor}.register_hook({hook}){after}"
    assert ast.dump(ast.parse(changed)) == ast.dump(ast.parse(expected))
    assert changed.count("#") == source.count("#")


@pytest.mark.parametrize(
    "line",
    [
        "model.encode(x).retain_grad()",
        "[one.retain_grad() for one in model.parts]",
        "hidden.retain_grad(); other.retain_grad()",
        "kept = hidden.retain_grad",
    ],
)
def test_what_keeps_gradients_in_another_way_is_left(tmp_path: Path, line: str) -> None:
    source = RETAINING.format(line=line)
    assert "does more" in refusal("CA501", tmp_path, source, "retain_grad")


FORWARD = """\
import torch


@decorated
def forward(x):
    with torch.autograd.graph.save_on_cpu({options}):
        return layer(x)
"""


def test_hooks_of_the_programs_own(tmp_path: Path) -> None:
    changed = patched("CA503", tmp_path, FORWARD.format(options=""), "save_on_cpu")
    assert "saved_tensors_hooks(_to_host, _from_host):" in changed
    assert changed.index("def _to_host") < changed.index("@decorated")
    options = FORWARD.format(options="pin_memory=True")
    assert "has options" in refusal("CA503", tmp_path, options, "save_on_cpu")


BY_NAME = """\
import contextlib

from torch.autograd.graph import save_on_cpu{more}


def room_for(sound):
    return save_on_cpu() if sound.shape[-1] > 32 else contextlib.nullcontext()
"""


def test_hooks_of_the_programs_own_for_what_was_imported_by_its_name(tmp_path: Path) -> None:
    changed = patched("CA503", tmp_path, BY_NAME.format(more=""), "save_on_cpu()")
    assert "from torch.autograd.graph import saved_tensors_hooks\n" in changed
    assert "saved_tensors_hooks(_to_host, _from_host)\n" in changed
    assert "save_on_cpu" not in changed
    twice = BY_NAME.format(more="\n\nkept = save_on_cpu")
    assert "used by its name elsewhere" in refusal("CA503", tmp_path, twice, "save_on_cpu()")


CHECKED = """\
import torch


def forward(x):
    size = x.norm().item()
    {branch}
    return x
"""


def test_a_check_is_an_assertion_in_the_graph(tmp_path: Path) -> None:
    source = CHECKED.format(branch='if size > 50:\n        raise RuntimeError("too large")')
    changed = patched("CA802", tmp_path, source, ".item()")
    expected = 'torch._assert_async(~(x.norm() > 50), "too large")'
    assert changed == CHECKED.format(branch="").replace(
        "size = x.norm().item()\n    \n", f"{expected}\n"
    )
    other = CHECKED.format(branch="if size > 50:\n        log(size)")
    assert "decides by size" in refusal("CA802", tmp_path, other, ".item()")


GUARDED = """\
import torch


def forward(x):
    y = layer(x)
    {branch}
    return y.sin()
"""


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        ("torch.isnan(y).any()", "torch.logical_not(torch.isnan(y).any())"),
        ("y.abs().max() > 1e4", "torch.logical_not(y.abs().max() > 1e4)"),
        ("not torch.isfinite(y).all()", "torch.isfinite(y).all()"),
    ],
)
def test_a_check_of_a_tensor_is_an_assertion(tmp_path: Path, test: str, holds: str) -> None:
    source = GUARDED.format(branch=f'if {test}:\n        raise ValueError("bad #1")')
    changed = patched("CA801", tmp_path, source, "if ")
    assert changed == GUARDED.format(branch=f'torch._assert_async({holds}, "bad #1")')


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        ("y.shape[0] == 0", "y.shape[0] != 0"),
        ("y.size(0) < 2", "y.size(0) >= 2"),
    ],
)
def test_a_check_of_a_size_is_one_of_a_number(tmp_path: Path, test: str, holds: str) -> None:
    source = GUARDED.format(branch=f'if {test}:\n        raise ValueError("bad")')
    detail = SplitGraph(tests_number=True)
    changed = patched("CA801", tmp_path, source, "if ", detail=detail)
    assert changed == GUARDED.format(branch=f'torch._check({holds}, lambda: "bad")')
    several = GUARDED.format(branch='if not y.shape[0]:\n        raise ValueError("bad")')
    assert refusal("CA801", tmp_path, several, "if ", detail=detail)


@pytest.mark.parametrize(
    "branch",
    [
        'if y.max() > 1:\n        raise ValueError(f"{y}")',
        'if y.max() > 1:\n        log(y)\n        raise ValueError("bad")',
        'if y.max().item() > 1:\n        raise ValueError("bad")',
        'if -1 > y.max() > -9:\n        raise ValueError("bad")',
        'if y.max() > 1 and flag:\n        raise ValueError("bad")',
        'if y.max() > 1:\n        raise ValueError("bad")\n    else:\n        log(y)',
        'if y.max() > 1:\n        # diverged\n        raise ValueError("bad")',
        'try:\n        if y.max() > 1:\n            raise ValueError("bad")\n'
        "    except ValueError:\n        y = x",
    ],
)
def test_a_check_that_does_more_is_left(tmp_path: Path, branch: str) -> None:
    assert refusal("CA801", tmp_path, GUARDED.format(branch=branch), "if ")


@pytest.mark.parametrize(
    ("test", "taken", "words"),
    [
        ("grad.norm() > 1", "None", "isn't a tensor"),
        ("grad.norm() > 1", "grad.mul_(0.5)", "changes what stays"),
        ("limit < grad.norm().item()", "grad / 2", "no tensor on its left"),
        ("len(seen) > 1", "grad / 2", "no tensor on its left"),
    ],
)
def test_a_choice_that_would_be_another_one_is_left(
    tmp_path: Path, test: str, taken: str, words: str
) -> None:
    source = HOOK.format(body=f"if {test}:\n        return {taken}\n    return grad")
    assert words in refusal("CA501", tmp_path, source, "if ")


def test_a_flag_that_is_read_by_float_is_a_tensor(tmp_path: Path) -> None:
    source = HOOK.format(body=BRANCH.format(test="float(grad.norm()) > 1"))
    changed = patched("CA501", tmp_path, source, "if ")
    assert changed == HOOK.format(body="return torch.where(grad.norm() > 1, grad / 2, grad)")


def test_a_side_that_draws_says_so(tmp_path: Path) -> None:
    body = "if grad.norm() > 1:\n        return grad + torch.randn_like(grad)\n    return grad"
    source = HOOK.format(body=body)
    program = program_of(tmp_path, {"train.py": source})
    at = ("train.py", line_of(source, "if "))
    (patch,) = propose_for(finding_of("CA501", tmp_path, at), program).patches
    assert "random numbers" in patch.intention


CAUGHT = """\
import contextlib


def forward(x):
    {read}
    if n > 1:
        raise ValueError("large")
    return x


def train():
    {catching}
        forward(x)
    {after}
"""


@pytest.mark.parametrize(
    ("read", "catching", "after"),
    [
        ("n = x.sum().item()", "try:", "except ValueError:\n        skipped += 1"),
        ("n = x.sum().item()", "with contextlib.suppress(ValueError):", ""),
        ("n = kept = x.sum().item()", "if x:", ""),
    ],
)
def test_an_error_that_is_caught_and_a_value_that_is_kept_stay(
    tmp_path: Path, read: str, catching: str, after: str
) -> None:
    source = CAUGHT.format(read=read, catching=catching, after=after)
    assert refusal("CA802", tmp_path, source, ".item()", edits=("raise_on_value",))
