"""Patches that are proven, or refused, by really running them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_cli import verifying
from ca_cli.proving import Verification
from ca_cli.trial_progress import TrialProgress
from ca_reports.diagnosis.analysis import analyze
from ca_reports.patching.patches import Patch, Replacement
from ca_reports.patching.program import EditableProgram
from ca_reports.patching.result import Fix, Fixes
from ca_reports.run.loading import load

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

# An averaged copy asks for no gradients, so `distance` is compiled twice.
DRIFT = """\
import copy
import time

import torch

torch.manual_seed(0)
net = torch.nn.Linear(4, 4, bias=False)
average = copy.deepcopy(net).requires_grad_(False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


@torch.compile(backend="eager")
def distance(now):
    return now.pow(2).sum().sqrt()


for step in range(4):
    net(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    with torch.no_grad():
        average.weight.lerp_(net.weight, 0.1)
        live = distance(net.weight)
        slow = distance(average.weight)
    print(f"step {step} at {time.perf_counter():.3f}: {live.item():.4f} {slow.item():.4f}")
"""


def replaced(what: str, *changes: tuple[str, str]) -> Patch:
    """A patch that writes the second text of each change in the place of the first."""
    found = []
    for old, new in changes:
        at = DRIFT.index(old)
        found.append(Replacement("drift.py", at, at + len(old), new))
    return Patch(what, tuple(found))


@pytest.mark.long
def test_of_several_patches_only_the_harmless_one_is_offered(ca: Runner, work: Path) -> None:
    (work / "drift.py").write_text(DRIFT)
    assert ca("run", "--quiet", "--no-report", "-o", "run", "drift.py").code == 0
    analysis = analyze(load([work / "run"]))
    (finding,) = [one for one in analysis.diagnosis.findings if one.severity != "info"]
    program = EditableProgram(analysis.run, analysis.files, analysis.facts)
    average = "distance(average.weight)"
    patches = [
        replaced("asks", (average, "distance(average.weight.requires_grad_())")),
        replaced(
            "eager",
            (average, "torch.compiler.set_stance('force_eager')(distance)(average.weight)"),
        ),
        replaced(
            "detached",
            ("distance(net.weight)", "distance(net.weight.detach())"),
            (average, "distance(average.weight.detach())"),
        ),
    ]
    patches.append(replaced("stops", (average, "distance(average.weight.missing)")))
    first, *others = (Fix(finding, patch) for patch in patches)
    whole = Fix(finding, first.patch, alternatives=tuple(others))
    fixes = Fixes(program.texts, (whole,))
    command = verifying.command_of(analysis.run)
    limits = verifying.RunLimits(None, 120.0)
    quiet = TrialProgress(quiet=True)

    found = Verification(command, fixes, program, limits, work / "runs", quiet).run()

    (fix,) = found.offered
    assert fix.patch.what == "detached"
    assert fix.proof is not None
    assert "recompiles 1 → 0" in fix.proof.counts
    # Each line has a time, which differs from run to run; the other numbers were compared.
    assert fix.proof.agreement == (
        "losses, gradients and weights of 4 backwards equal bit for bit; 4 printed lines equal"
    )
    assert fix.proof.left == found.left == ()
    failed = {one.patch.what: one.proof.failure for one in found.failed if one.proof is not None}
    assert failed["asks"].startswith(
        "it changes what is trained: 1 more tensor has requires_grad (Linear.weight) at backward 1"
    )
    assert failed["eager"].startswith("it runs 4 of 8 calls uncompiled")
    assert failed["stops"].startswith("the patched program ended with: AttributeError: ")
    # The unchanged program, twice, since what it prints differs, and each patch.
    assert len(list((work / "runs").iterdir())) == 6
    assert {path.name for path in work.iterdir()} == {"drift.py", "run", "runs"}
