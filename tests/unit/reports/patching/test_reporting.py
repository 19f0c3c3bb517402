"""CA801: what a branch on a tensor writes is written after the graph."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Compile, Frame, GraphBreak
from tests.unit.reports.patching.programs import finding_of, line_of, patched, program_of, refusal

if TYPE_CHECKING:
    from pathlib import Path

MODULE = """\
import logging
import math
import warnings

import torch

log = logging.getLogger(__name__)


class Scaler:
    # The largest that is plain.
    limit = 2.0
    seen = 0

    def scaled(self, x, step=3):
        top = x.abs().max()
        {branch}
        return x * 2


if __name__ == "__main__":
    scaler = Scaler()
    run = torch.compile(scaler.scaled, backend="eager")
    print(run(torch.full((3,), 4.0)), run(torch.ones(3)))
    print(torch._dynamo.utils.counters["graph_break"])
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("branch", "function", "call", "written"),
    [
        (
            'if top > 2:\n            print("large", step, top.item())',
            "def _report(is_met, step, top):\n    if is_met:\n"
            '        print("large", step, top.item())\n',
            "_report(top > 2, step, top)",
            "large 3 4.0",
        ),
        (
            "if top.item() > self.limit:  # rare\n            # said once\n"
            '            warnings.warn(f"{top:.1f} over {self.limit}", stacklevel=2)',
            "def _report(is_met, top, limit):\n    if is_met:\n"
            '        warnings.warn(f"{top:.1f} over {limit}", stacklevel=2)\n',
            "# rare\n        # said once\n        _report(top > self.limit, top, self.limit)",
            "4.0 over 2.0",
        ),
        (  # several in one, and a number that only the branch reads
            "size = top.item()\n        if not math.isfinite(size) or size > self.limit:\n"
            '            print(f"{size:.1f} of {step}")',
            "def _report(size, limit, step):\n    if not math.isfinite(size) or size > limit:\n"
            '        print(f"{size:.1f} of {step}")\n',
            "size = top\n        _report(size, self.limit, step)",
            "4.0 of 3",
        ),
        (
            'if not (x < 3).all():\n            log.warning("at %s", top)\n            print(step)',
            "def _report(is_met, top, step):\n    if is_met:\n"
            '        log.warning("at %s", top)\n        print(step)\n',
            "_report(~((x < 3).all()), top, step)",
            "at tensor(4.)",
        ),
    ],
)
def test_it_is_written_after_the_graph(
    tmp_path: Path, branch: str, function: str, call: str, written: str
) -> None:
    code, at = ("CA802", "size =") if branch.startswith("size") else ("CA801", "        if ")
    changed = patched(code, tmp_path, MODULE.format(branch=branch), at)
    head = f"@torch.compiler.disable\n{function}\n\n"
    added = f"{head}torch._dynamo.config.reorderable_logging_functions.add(_report)\n\n\n"
    expected = MODULE.format(branch=call).replace("class Scaler", f"{added}class Scaler")
    assert changed == expected
    (tmp_path / "changed.py").write_text(changed)
    ran = subprocess.run(
        [sys.executable, "changed.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert (ran.stdout + ran.stderr).count(written) == 1
    assert "Counter()" in ran.stdout


@pytest.mark.parametrize(
    ("branch", "words"),
    [
        ("if top > 2:\n            self.seen += 1", "more than"),
        (
            "if top > 2:\n            print(top)\n        else:\n            step = 1",
            "several sides",
        ),
        ("if top > 2:\n            self.tell(top)", "more than"),
        ("if top > 2:\n            print([y for y in x])", "more than"),
        ("if top > 2 and step:\n            self.tell(top)", "more than"),
    ],
)
def test_a_branch_that_does_more_is_left(tmp_path: Path, branch: str, words: str) -> None:
    told = refusal("CA801", tmp_path, MODULE.format(branch=branch), "        if ")
    assert words in told or "several in one" in told or "does more" in told


@pytest.mark.parametrize(("function", "is_left"), [("scaled", False), ("forward", True)])
def test_what_an_inlined_function_writes_would_be_lost(
    tmp_path: Path, function: str, *, is_left: bool
) -> None:
    source = MODULE.format(branch="if top > 2:\n            print(top)")
    at = Frame(str(tmp_path / "train.py"), line_of(source, "        if "), "scaled", "")
    root = Frame(str(tmp_path / "train.py"), at.line - 2, function, "")
    compiled = Compile("0/0", 0, None, None, None, location=root, code=root, stack=(at,))
    program = program_of(tmp_path, {"train.py": source}, (compiled,))
    event = GraphBreak("0/0", 0, "if", None, at, (at,), 1)
    found = propose_for(finding_of("CA801", tmp_path, location=at, events=(event,)), program)
    assert bool(found.patches) is not is_left
