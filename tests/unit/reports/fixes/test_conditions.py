"""CA111, CA112, CA202, CA301, CA502: what is done in some steps only, done in all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.fixes.patches import applied
from ca_reports.fixes.propose import propose_for
from ca_reports.model import Frame
from tests.unit.reports.fixes.programs import (
    every,
    finding_of,
    line_of,
    patched,
    program_of,
    refusal,
)

if TYPE_CHECKING:
    from pathlib import Path

STEP = """\
import torch
from torch.utils.checkpoint import checkpoint

for step in range(9):
    loss = model(x)
{lines}
    loss.backward()
"""


def step(*lines: str) -> str:
    return STEP.format(lines="\n".join(f"    {line}" for line in lines))


def test_autocast_is_on_in_every_step_or_in_none(tmp_path: Path) -> None:
    source = step('with torch.autocast("cpu", enabled=step > 3):', "    loss = model(x)")
    found = every(
        "CA112", tmp_path, {"train.py": source}, "autocast", key="autocast in the forward"
    )
    assert [one["train.py"] for one in found] == [
        source.replace("step > 3", value) for value in ("True", "False")
    ]


def test_other_global_state_is_left(tmp_path: Path) -> None:
    assert "num_threads is not alike" in refusal("CA112", tmp_path, step("f()"), key="num_threads")


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("CA205", "model.train({})"),
        ("CA112", "torch.use_deterministic_algorithms({})  # both"),
    ],
)
def test_a_mode_is_the_same_in_every_step(tmp_path: Path, code: str, call: str) -> None:
    source = step(call.format("step < 2"))
    found = every(code, tmp_path, {"train.py": source}, "step < 2", key="deterministic_algorithms")
    assert [one["train.py"] for one in found] == [
        step(call.format(value)) for value in ("True", "False")
    ]


def test_a_hook_is_registered_and_removed_in_every_step(tmp_path: Path) -> None:
    watched = ("if watched:", "    handle = x.register_hook(f)", "g(x).backward()")
    source = step(*watched, "if watched:", "    handle.remove()")
    at = Frame(str(tmp_path / "train.py"), line_of(source, "register_hook"), "", "")
    changed = patched("CA301", tmp_path, source, location=at)
    assert changed == step("handle = x.register_hook(f)", "g(x).backward()", "handle.remove()")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("if step:", "    loss = loss + extra(x)"), ("loss = loss + float(step) * extra(x)",)),
        (("if a and b:", "    loss += c + d  # e"), ("loss += float(a and b) * (c + d)  # e",)),
        (
            ("if step:", "    loss = f(x)", "else:", "    loss = 1 + g(x)"),
            (
                "share = float(step)",
                "loss = share * f(x)",
                "loss = loss + (1 - share) * (1 + g(x))",
            ),
        ),
    ],
)  # fmt: skip
def test_a_branch_is_multiplied(
    tmp_path: Path, lines: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    changed = patched("CA202", tmp_path, step(*lines), lines[0])
    assert changed == step(*expected)


@pytest.mark.parametrize(
    "lines",
    [
        ("if step:", "    new = extra(x)"),
        ("if step:", "    loss = loss + 1", "    print(2)"),
        ("if step:", "    loss.backward()", "else:", "    other = g(x)"),
        ("if step:", "    loss = f(x)", "elif y:", "    loss = g(x)"),
        ("if step:", "    x.f = x.f + 1"),
        ("if step:", "    for one in x:", "        loss = loss + one"),
    ],
)
def test_a_branch_that_does_more_is_left(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert "does more" in refusal("CA202", tmp_path, step(*lines), lines[0])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ("if step % 2:", "    loss = extra(loss)  # why"),
            (
                "# why",
                "loss = torch.where(torch.tensor(bool(step % 2), device=loss.device), "
                "extra(loss), loss)",
            ),
        ),
        (
            ("if random() < 0.5:", "    more = f(x)", "    loss = loss * more"),
            (
                "is_taken = torch.tensor(bool(random() < 0.5), device=loss.device)",
                "more = f(x)",
                "loss = torch.where(is_taken, loss * more, loss)",
            ),
        ),
        (
            ("for one in layers:", "    if skip():", "        continue", "    loss = one(loss)"),
            (
                "for one in layers:",
                "    loss = torch.where(torch.tensor(not (skip()), device=loss.device), "
                "one(loss), loss)",
            ),
        ),
    ],
)
def test_a_branch_is_chosen_in_every_step(
    tmp_path: Path, lines: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    source = step("x=1", *lines)
    changed = patched("CA202", tmp_path, source, "if ")
    assert changed == step("x=1", *expected)


HOOKED = """\
def attach(model):
    for module in model:
        if isinstance(module, Linear):
            module.weight.register_hook(scale)

for step in range(9):
    if step % 2:
        attach(model)  # here
    model(x).backward()
"""


def test_the_call_that_registers_a_hook_loses_its_condition(tmp_path: Path) -> None:
    program = program_of(tmp_path, {"train.py": HOOKED})
    registered = Frame(str(tmp_path / "train.py"), line_of(HOOKED, "register"), "", "")
    backward = ("train.py", line_of(HOOKED, ".backward("))
    finding = finding_of("CA301", tmp_path, backward, location=registered)
    proposal = propose_for(finding, program)
    (patch,) = proposal.patches
    assert "every step" in patch.intention
    changed = applied({"train.py": HOOKED}, [patch])["train.py"]
    # Which modules get a hook is no matter of the step.
    assert changed == HOOKED.replace("    if step % 2:\n        attach", "    attach")


def test_a_hook_or_none(tmp_path: Path) -> None:
    source = step("handle = x.register_hook(f) if step else None")
    program = program_of(tmp_path, {"train.py": source})
    frames = [("train.py", line_of(source, word)) for word in (".backward(", "register")]
    (patch,) = propose_for(finding_of("CA301", tmp_path, *frames), program).patches
    assert [one.text for one in patch.replacements] == ["x.register_hook(f)"]


def test_the_layout_is_the_same_in_every_step(tmp_path: Path) -> None:
    source = step("if step:", "    x = x.to(memory_format=torch.channels_last)  # nhwc")
    never, always = every("CA111", tmp_path, {"train.py": source}, "memory_format")
    assert always["train.py"] == step("x = x.to(memory_format=torch.channels_last)  # nhwc")
    assert never["train.py"] == step("pass").replace("    pass\n", "")
    switched = step("if step > 3:", "    model.norm.eval()")
    never, always = every("CA205", tmp_path, {"train.py": switched}, ".eval()")
    assert always["train.py"] == step("model.norm.eval()")
    left = step("if step:", "    x = load()")
    assert "what changes the layout" in refusal("CA111", tmp_path, left, "load()")


@pytest.mark.parametrize(
    ("code", "line", "expected"),
    [
        (
            "CA301",
            "x = checkpoint(f, x, use_reentrant=False) if big else f(x)",
            ["x = f(x)", "x = checkpoint(f, x, use_reentrant=False)"],
        ),
        ("CA502", "x = checkpoint(f, x, *rest, use_reentrant=False)", ["x = f(x, *rest)"]),
    ],
)
def test_a_checkpoint_in_every_step_or_in_none(
    tmp_path: Path, code: str, line: str, expected: list[str]
) -> None:
    found = every(code, tmp_path, {"train.py": step(line)}, "checkpoint(", key="checkpoint")
    assert [one["train.py"] for one in found] == [step(one) for one in expected]


def test_a_checkpoint_by_a_flag_elsewhere_is_left(tmp_path: Path) -> None:
    source = step("x = checkpoint(f, x, use_reentrant=False)")
    assert "no condition here" in refusal(
        "CA301", tmp_path, source, "checkpoint(", key="checkpoint"
    )
    named = step("x = checkpoint(f, x=x, use_reentrant=False)")
    assert "by name" in refusal("CA502", tmp_path, named, "checkpoint(", key="checkpoint")
