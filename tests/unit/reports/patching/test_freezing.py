"""CA207, CA208: what asks for gradients, in every step."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import Subject
from ca_reports.run.model import Frame
from tests.unit.reports.patching.programs import every, line_of, patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

TRAIN = """\
import torch
{head}
x=1
for epoch in range(9):
    {unfreeze}
    model(x).backward()
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad({zero})
"""
DROPPED = """\
    model(x).backward()
    for parameter in (one for group in optimizer.param_groups for one in group["params"]):
        if getattr(parameter, "is_frozen", False):
            parameter.grad = None
"""


@pytest.mark.parametrize(
    ("unfreeze", "marked"),
    [
        (
            "layer.requires_grad_(epoch > 1)",
            "for parameter in layer.parameters():\n        parameter.is_frozen = not (epoch > 1)",
        ),
        (
            "model.body.requires_grad_(not frozen)",
            "for parameter in model.body.parameters():\n        parameter.is_frozen = frozen",
        ),
        ("head.weight.requires_grad_()", "head.weight.is_frozen = False"),
        ("head.bias.requires_grad = flag", "head.bias.is_frozen = not flag"),
    ],
)
def test_gradients_of_frozen_parameters_are_dropped(
    tmp_path: Path, unfreeze: str, marked: str
) -> None:
    source = TRAIN.format(head="", unfreeze=unfreeze, zero="")
    changed = patched("CA207", tmp_path, source, unfreeze, subject=Subject(modules=("model.0",)))
    expected = source.replace(unfreeze, marked)
    assert changed == expected.replace("    model(x).backward()\n", DROPPED)


def test_what_a_group_of_an_optimizer_holds_are_parameters(tmp_path: Path) -> None:
    freeze = (
        'for group in optimizer.param_groups:\n        for one in group["params"]:\n'
        '            one.requires_grad_(group["name"] in names)'
    )
    source = TRAIN.format(head="", unfreeze=freeze, zero="")
    changed = patched(
        "CA207", tmp_path, source, "one.requires", subject=Subject(modules=("model.0",))
    )
    assert '            one.is_frozen = not (group["name"] in names)\n' in changed


@pytest.mark.parametrize(
    ("returned", "marked"),
    [
        ("[p for n, p in m.named_parameters() if n in names]", "one.is_frozen = not on"),
        (
            "[c for c in m.children() if any(p.numel() for p in c.parameters())]",
            "for parameter in one.parameters():\n            parameter.is_frozen = not on",
        ),
    ],
)
def test_a_function_that_gives_parameters_or_modules(
    tmp_path: Path, returned: str, marked: str
) -> None:
    head = f"def halves(m):\n    return {returned}\n"
    freeze = "for one in halves(model):\n        one.requires_grad_(on)"
    source = TRAIN.format(head=head, unfreeze=freeze, zero="")
    changed = patched(
        "CA207", tmp_path, source, "one.requires", subject=Subject(modules=("model.0",))
    )
    assert changed == source.replace("one.requires_grad_(on)", marked).replace(
        "    model(x).backward()\n", DROPPED
    )


def test_gradients_that_are_kept_are_zeroed(tmp_path: Path) -> None:
    source = TRAIN.format(head="", unfreeze="net.bias.requires_grad = a", zero="False")
    changed = patched("CA207", tmp_path, source, "net.bias", subject=Subject(modules=("net",)))
    assert ' "is_frozen", False) and parameter.grad is not None:\n' in changed
    assert "            parameter.grad.zero_()\n" in changed


def test_what_is_frozen_at_first_is_marked_and_nothing_else(tmp_path: Path) -> None:
    files = {
        "train.py": TRAIN.format(
            head="import model\nteacher.requires_grad_(False)\nx.requires_grad_()\nx.grad",
            unfreeze="model.freeze(net, epoch == 0)",
            zero="",
        ),
        "model.py": "def make(net):\n"
        "    for parameter in net.backbone.parameters():\n"
        "        parameter.requires_grad = False\n"
        "def freeze(net, frozen):\n"
        "    for _, parameter in net.backbone.named_parameters():\n"
        "        parameter.requires_grad_(not frozen)\n",
    }
    subject = Subject(modules=("backbone",))
    (changed,) = every("CA207", tmp_path, files, "model.freeze", subject=subject)
    assert "    parameter.is_frozen = True\n" in changed["model.py"]
    assert "    parameter.is_frozen = frozen\n" in changed["model.py"]
    assert "teacher.requires_grad_(False)\nx.requires_grad_()" in changed["train.py"]


def test_what_thaws_the_whole_takes_the_mark_off_its_parts(tmp_path: Path) -> None:
    files = {
        "train.py": TRAIN.format(head="import plan", unfreeze="plan.PLAN[epoch](net)", zero=""),
        "plan.py": "def part(net):\n    net.encoder.requires_grad_(False)\n"
        "def everything(net):\n    net.requires_grad_(True)\n"
        "def other(judge):\n    judge.requires_grad_(False)\n",
    }
    subject = Subject(modules=("encoder.0",))
    (changed,) = every("CA207", tmp_path, files, "plan.PLAN", subject=subject)
    assert "in net.parameters():\n        parameter.is_frozen = False\n" in changed["plan.py"]
    assert "judge.requires_grad_(False)" in changed["plan.py"]


@pytest.mark.parametrize(
    ("head", "unfreeze", "words"),
    [
        ("a = [p for p in q if p.requires_grad]", "net.requires_grad_(c)", "reads requires_grad"),
        ("other(x).backward()", "net.requires_grad_(c)", "single backward"),
        ("", "unfreeze(net)", "is not known"),
    ],
)
def test_a_freeze_that_is_not_seen_whole_is_left(
    tmp_path: Path, head: str, unfreeze: str, words: str
) -> None:
    source = TRAIN.format(head=head, unfreeze=unfreeze, zero="")
    assert words in refusal("CA207", tmp_path, source, unfreeze, subject=Subject(modules=("net",)))


def test_a_step_on_the_line_of_the_backward_is_left(tmp_path: Path) -> None:
    # GIVEN the step before anything could drop a gradient
    source = TRAIN.format(head="", unfreeze="net.requires_grad_(c)", zero="").replace(
        "model(x).backward()\n    optimizer.step()", "model(x).backward(); optimizer.step()"
    )
    found = refusal("CA207", tmp_path, source, "net.requires", subject=Subject(modules=("net",)))
    assert "does more than the backward" in found


def test_a_mode_that_changes_with_what_is_frozen_is_left(tmp_path: Path) -> None:
    head = (
        "def freeze(module, flag):\n    for p in module.parameters():\n"
        "        p.requires_grad = flag\n"
        "def quiet(module):\n    module.norm.eval()\n"
        "def begin(epoch):\n    if epoch < 1:\n        freeze(body, False)\n"
        "        quiet(body)\n    else:\n        freeze(body, True)\n"
    )
    source = TRAIN.format(head=head, unfreeze="begin(epoch)", zero="")
    subject = Subject(modules=("body.0",))
    at = "p.requires_grad = flag"
    assert "train.py:10 changes a mode" in refusal("CA207", tmp_path, source, at, subject=subject)
    alone = source.replace("        quiet(body)\n", "")
    assert "is_frozen" in patched("CA207", tmp_path, alone, at, subject=subject)


def at_line(folder: Path, source: str, words: str) -> Frame:
    return Frame(str(folder / "train.py"), line_of(source, words), "", "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x = torch.randn(8, requires_grad=c)", "x = torch.randn(8, requires_grad=True)"),
        ("x.requires_grad_(step % 2 == 0)", "x.requires_grad_(True)"),
        ("x.requires_grad = c", "x.requires_grad = True"),
        ("x = x.requires_grad_() if c else x", "x = x.requires_grad_()"),
        ("if c:\n        x.requires_grad_()", "x.requires_grad_()"),
        ("if c:\n        x = x.clone().requires_grad_()", "x = x.clone().requires_grad_()"),
    ],
)
def test_an_input_asks_in_every_step(tmp_path: Path, line: str, expected: str) -> None:
    source = f"import torch\nfor step in range(9):\n    x = f()\n    {line}\n    g(x).backward()\n"
    at = line.rpartition("\n")[2].strip()
    changed = patched("CA208", tmp_path, source, location=at_line(tmp_path, source, at))
    assert changed == source.replace(line, expected)


def test_the_condition_at_the_call_of_a_helper(tmp_path: Path) -> None:
    source = """\
    import torch
    def watch(x):
        return x.clone().requires_grad_()
    for step in range(9):
        x = f()
        if step % 3:
            x = watch(x)
        g(x).backward()
    """
    at = at_line(tmp_path, source, ".clone()")
    changed = patched("CA208", tmp_path, source, "g(x).backward", location=at)
    assert "    x = f()\n    x = watch(x)\n" in dedent(changed)


@pytest.mark.parametrize(
    ("reads", "left"),
    [
        ("if x.grad is not None:\n        total += x.grad", True),
        ("total += 0 if x.grad is None else x.grad", True),
        ("for p in model.parameters():\n        if p.grad is not None:\n            f(p)", False),
        ("for p in group['params']:\n        if p.grad is None:\n            f(p)", False),
        ("if step % 2:\n        total += x.grad", False),
    ],
)
def test_a_gradient_that_is_asked_for_is_none_where_it_was_none(
    tmp_path: Path, reads: str, left: bool
) -> None:
    source = (
        "import torch\nfor step in range(9):\n    x = f()\n    x.requires_grad_(step % 2 == 0)\n"
        f"    g(x).backward()\n    {reads}\n"
    )
    location = at_line(tmp_path, source, "x.requires_grad_")
    if left:
        told = refusal("CA208", tmp_path, source, location=location)
        assert "asks whether x has a gradient" in told
    else:
        changed = patched("CA208", tmp_path, source, location=location)
        assert "x.requires_grad_(True)" in changed


def test_what_may_be_none_keeps_its_condition(tmp_path: Path) -> None:
    source = """\
    import torch
    for step in range(9):
        x = torch.randn(8)
        if watch is not None:
            x = watch.asked(x)
        model(x).backward()
    """
    location = at_line(tmp_path, source, "x = watch.asked")
    assert "watch may be None" in refusal("CA208", tmp_path, source, "x = watch", location=location)


def test_the_gradient_of_one_tensor_would_add_up(tmp_path: Path) -> None:
    source = """\
    import torch
    x = f()
    for step in range(9):
        if step % 3:
            x.requires_grad_()
        g(x).backward()
    """
    at = at_line(tmp_path, source, "x.requires_grad_()")
    assert "would add up" in refusal("CA208", tmp_path, source, location=at)


@pytest.mark.parametrize("line", ["code.requires_grad_(step > 3)", "code.requires_grad = step > 3"])
def test_a_tensor_that_an_optimizer_trains_is_not_trained_in_more_steps(
    tmp_path: Path, line: str
) -> None:
    source = f"""\
import torch
code = torch.zeros(8)
optimizer = torch.optim.SGD([*model.parameters(), code], lr=0.1)
for step in range(9):
    {line}
    model(x + code).backward()
    optimizer.step()
"""
    at = at_line(tmp_path, source, line)
    changed = patched("CA208", tmp_path, source, location=at)
    expected = source.replace(
        line, "code.requires_grad_()\n    code.is_frozen = not (step > 3)"
    ).replace("model(x + code)", "model(x + code)")
    assert changed == expected.replace(
        "    model(x + code).backward()\n", DROPPED.replace("model(x)", "model(x + code)")
    )


@pytest.mark.parametrize(
    "line",
    [
        "code.requires_grad_(step > 3)",
        "code.requires_grad = step > 3",
        "code = code.requires_grad_() if step > 3 else code",
        "self.code.requires_grad_(step > 3)",
    ],
)
def test_a_tensor_of_all_steps_keeps_its_flag(tmp_path: Path, line: str) -> None:
    source = f"""\
import torch
code = torch.zeros(8)
for step in range(9):
    {line}
    model(x + code).backward()
    if code.grad is not None:
        code = code.detach() - 0.1 * code.grad
"""
    at = at_line(tmp_path, source, line)
    assert "one tensor for all steps" in refusal("CA208", tmp_path, source, location=at)


def test_a_helper_is_given_a_tensor_of_all_steps(tmp_path: Path) -> None:
    source = """\
    import torch
    def ask(x, flag):
        x.requires_grad_(flag)
    code = torch.zeros(8)
    for step in range(9):
        ask(code, step > 3)
        model(code).backward()
    """
    at = at_line(tmp_path, source, "x.requires_grad_(flag)")
    assert "one tensor for all steps" in refusal("CA208", tmp_path, source, location=at)
    of_step = source.replace("        ask(", "        code = torch.randn(8)\n        ask(")
    of_step = of_step.replace("    code = torch.zeros(8)\n    for", "    for")
    at = at_line(tmp_path, of_step, "x.requires_grad_(flag)")
    assert "x.requires_grad_(True)" in patched("CA208", tmp_path, of_step, location=at)
