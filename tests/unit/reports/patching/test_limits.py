"""Limits of recompiles: raised for what does not grow, or started again for each model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.facts.recompile_limits import RecompileLimit
from ca_reports.patching.patches import applied
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Compile
from tests.unit.reports.patching.programs import finding_of, patched, program_of, refusal

if TYPE_CHECKING:
    from pathlib import Path

RAISED = {"edits": ("raised_limit",)}
OF_COMPILE = {"edits": ("limit_of_compile",)}
RESET = {"edits": ("reset_between",)}
HELPERS = "import torch\n\n\n@torch.compile\ndef follow(slow, fast):\n    slow.lerp_(fast, 0.1)\n"
SWEEP = """\
import torch


def trial(hidden):
    net = Net(hidden)
    model = torch.compile(net)
    return model(x)
"""


def test_the_limit_is_set_after_the_imports(tmp_path: Path) -> None:
    changed = patched("CA719", tmp_path, HELPERS, "slow.lerp_", **RAISED)
    line = "import torch\n\ntorch._dynamo.config.recompile_limit = 64\n"
    assert changed == HELPERS.replace("import torch\n", line, 1)


def test_a_limit_that_the_program_sets_is_its_own(tmp_path: Path) -> None:
    own = HELPERS.replace("\n\n\n", "\n\ntorch._dynamo.config.recompile_limit = 4\n\n\n", 1)
    assert "raise it there" in refusal("CA719", tmp_path, own, "slow.lerp_", **RAISED)


def test_in_another_thread_the_limit_goes_with_what_is_compiled(tmp_path: Path) -> None:
    text = (
        "import torch\n\n"
        "torch._dynamo.config.recompile_limit = 32\n\n\n"
        "@torch.compile\ndef scale(x):\n    return 2 * x\n\n\n"
        "model = torch.compile(Trunk(), dynamic=False)\n"
        "block.compile()\n"
    )
    refused = Compile("0/8", 0, None, None, None)
    limit = RecompileLimit(
        refused, "recompile_limit", None, None, None, None, value=8, thread="runner_0",
        set_elsewhere=32,
    )  # fmt: skip
    program = program_of(tmp_path, {"train.py": text}, (refused,), limits=(limit,))
    finding = finding_of("CA703", tmp_path, ("train.py", 11), events=(refused,), **OF_COMPILE)
    (patch,) = propose_for(finding, program).patches
    changed = applied(program.texts, [patch])["train.py"]
    assert "@torch.compile(recompile_limit=32)\n" in changed
    assert "torch.compile(Trunk(), dynamic=False, recompile_limit=32)" in changed
    elsewhere = (Compile("1/8", 0, None, None, None),)
    other = finding_of("CA703", tmp_path, ("train.py", 11), events=elsewhere, **OF_COMPILE)
    assert "no limit is known" in propose_for(other, program).refusal


@pytest.mark.parametrize("compiled", ["model = torch.compile(net)", "net.compile()"])
def test_what_was_compiled_before_is_forgotten_for_a_new_model(
    tmp_path: Path, compiled: str
) -> None:
    text = SWEEP.replace("model = torch.compile(net)", compiled)
    changed = patched("CA720", tmp_path, text, compiled, **RESET)
    assert changed == text.replace(compiled, f"torch.compiler.reset()\n    {compiled}")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("    net = Net(hidden)\n", "", "made elsewhere"),
        (
            "    return model(x)",
            "    other = torch.compile(f)\n    return model(x)",
            "single torch",
        ),
    ],
)
def test_what_is_still_in_use_is_not_forgotten(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    text = SWEEP.replace(old, new)
    assert words in refusal("CA720", tmp_path, text, "torch.compile(net)", **RESET)
