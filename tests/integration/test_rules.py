"""Every rule on real programs: the bad one of a pair is named and located, the fixed is not.

A pair is ``sample_scripts/ca101_last_batch_bad.py`` and ``…_fixed.py``; a new one is found
here by its name. The bad one marks the line to change with a comment, ``# <- CA101``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from ca_reports.causes.rules import all_rules
from tests.corpus.truth import ENDS_WITH_ERROR, NEEDS_CUDA, SAMPLES

if TYPE_CHECKING:
    from tests.integration.conftest import Runner

_BAD = re.compile(r"(?P<code>ca\d{3})_(?P<name>\w+)_bad\.py")
# A run of a sample takes some seconds. One pair of each kind of cause is in the quick
# suite; the others are run by `make test-all`.
QUICK = {"CA101", "CA201", "CA301", "CA401", "CA501", "CA602"}


needs_cuda = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="needs CUDA: make gpu runs this pair"
)


@dataclass(frozen=True)
class Pair:
    """A bad program, its fixed twin, and the cause that sets them apart."""

    code: str
    name: str
    bad: Path
    fixed: Path


def pairs() -> list[Pair]:
    """All pairs, by code."""
    found = []
    for bad in sorted(SAMPLES.glob("ca*_bad.py")):
        match = _BAD.fullmatch(bad.name)
        assert match is not None, bad.name
        fixed = bad.with_name(bad.name.replace("_bad.py", "_fixed.py"))
        found.append(Pair(match["code"].upper(), match["name"].replace("_", "-"), bad, fixed))
    return found


def cases() -> list[Any]:
    return [
        pytest.param(
            pair,
            id=f"{pair.code}-{pair.name}",
            marks=[
                *([] if pair.code in QUICK else [pytest.mark.long]),
                *([needs_cuda] if NEEDS_CUDA in pair.bad.read_text() else []),
            ],
        )
        for pair in pairs()
    ]


def marked_line(script: Path, code: str) -> int:
    """The one line that carries ``# <- CODE``."""
    lines = script.read_text().splitlines()
    found = [number for number, line in enumerate(lines, 1) if f"# <- {code}" in line]
    assert len(found) == 1, f"{script.name} must mark one line with '# <- {code}'"
    return found[0]


def explain(script: Path, warm_ca: Runner, ca: Runner, folder: Path) -> dict[str, Any]:
    """Record `script` and return what `ca explain-recompiles --format json` says.

    It is started in its own folder: source is read below that folder only.
    """
    recorded = warm_ca("--no-report", script, cwd=script.parent)
    expected = 1 if ENDS_WITH_ERROR in script.read_text() else 0
    assert recorded.code == expected, recorded.stderr[-3000:]
    explained = ca("explain-recompiles", folder, "--format", "json")
    assert explained.code == 0, explained.stderr
    document: dict[str, Any] = json.loads(explained.stdout)
    return document


def told(findings: list[dict[str, Any]]) -> list[str]:
    """Findings as short lines, for a failure's message."""
    return [f"{found['code']} {found['location']} {found['message']}" for found in findings]


@pytest.mark.parametrize("pair", cases())
def test_the_bad_program_is_named_and_located(
    pair: Pair, warm_ca: Runner, ca: Runner, run_folder: Path
) -> None:
    # GIVEN a program with this cause
    # WHEN it is recorded and explained
    findings = explain(pair.bad, warm_ca, ca, run_folder)["findings"]

    # THEN the first finding is the cause, at the marked line
    assert findings, "no finding at all"
    assert findings[0]["code"] == pair.code, told(findings)
    assert findings[0]["name"] == pair.name
    location = findings[0]["location"]
    assert location is not None, told(findings)
    assert Path(location["file"]).name == pair.bad.name, told(findings)
    assert location["line"] == marked_line(pair.bad, pair.code), told(findings)
    assert findings[0]["fix"]
    assert findings[0]["evidence"]


@pytest.mark.long
@pytest.mark.parametrize("pair", cases())
def test_the_fixed_program_has_no_finding(
    pair: Pair, warm_ca: Runner, ca: Runner, run_folder: Path
) -> None:
    # GIVEN its twin, with what the rule says to change
    # WHEN it is recorded and explained
    findings = explain(pair.fixed, warm_ca, ca, run_folder)["findings"]

    # THEN there is nothing to find
    assert not findings, told(findings)


# CA608 has no pair: none of 23 programs that were to meet torch's fault on a CPU did. A Function
# that returns a gradient of a wrong shape makes torch say the same, with symbols all the same.
WRONG_SHAPE = """
import torch
from torch._dynamo import compiled_autograd

class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return torch.cat([grad, x]) if x.shape[0] > 4 else grad * 2

weight = torch.ones(4, 5, requires_grad=True)
compiler = torch.compile(backend="eager", dynamic=True)
with compiled_autograd._enable(compiler, dynamic=True):
    for rows in (3, 4, 6):
        weight.grad = None
        try:
            Doubled.apply(torch.ones(rows, 4) @ weight).sum().backward()  # <- CA608
        except Exception as error:
            print(type(error).__name__)
"""


@pytest.mark.long
def test_a_gradient_whose_symbolic_shape_is_refused(
    work: Path, warm_ca: Runner, ca: Runner, run_folder: Path
) -> None:
    script = work / "wrong_shape.py"
    script.write_text(WRONG_SHAPE)

    others = explain(script, warm_ca, ca, run_folder)["findings"]
    (first,) = [found for found in others if found["code"] == "CA608"]

    assert first["severity"] == "warning"  # the program catches it, and goes on
    assert first["location"]["line"] == marked_line(script, "CA608")
    assert re.search(r"got \[s\d+ \+ s\d+, s\d+\], expected \[s\d+, s\d+\]", first["message"])
    assert "dynamic=False" in first["fix"]
    assert "autograd.Function" in first["fix"]
    assert "CA103" not in {found["code"] for found in others}


SHORT_BATCH = """
import torch

torch._dynamo.config.compiled_autograd = True
model = torch.nn.Linear(16, 1)

@torch.compile(backend="aot_eager")
def train_step(inputs):
    model(inputs).square().mean().backward()  # <- CA101

for _ in range(2):
    for rows in (8, 8, 3):
        train_step(torch.ones(rows, 16))
        model.zero_grad()
"""


@pytest.mark.long
def test_a_short_batch_through_an_aot_region_is_one_finding(
    work: Path, warm_ca: Runner, ca: Runner, run_folder: Path
) -> None:
    # The full batch that comes back is a capture of its own: no guard fails, sizes change.
    script = work / "train.py"
    script.write_text(SHORT_BATCH)

    document = explain(script, warm_ca, ca, run_folder)

    (found,) = document["findings"]
    assert found["code"] == "CA101"
    assert "from 8 to 3 at step 2, and back" in found["message"]
    again = [capture["id"] for capture in document["captures"] if capture["kind"] != "first"]
    assert len(again) == 2
    assert found["captures"] == again


def test_every_pair_is_of_a_rule_that_exists() -> None:
    known = {(rule.code, rule.name) for rule in all_rules()}
    assert {(pair.code, pair.name) for pair in pairs()} <= known
    assert all(pair.fixed.is_file() for pair in pairs())


ROUTER = """
import torch
from torch import nn

class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.router, self.leave = (nn.Linear(16, 16) for _ in range(3))

    def forward(self, x):
        hidden = torch.relu(self.enter(x))
        with torch.autocast("cpu", enabled=False):
            share = torch.softmax(self.router(hidden.float()), -1)  # <- CA602
        return self.leave(hidden * share)

torch._functorch.config.backward_pass_autocast = OPTION
model = Mixture()
forward = torch.compile(model, backend="aot_eager")
for _ in range(3):
    with torch.autocast("cpu", torch.bfloat16):
        loss = forward(torch.ones(8, 16)).float().square().mean()
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
        torch.autograd.grad(loss, list(model.parameters()))
"""


@pytest.mark.long
@pytest.mark.parametrize(("option", "is_found"), [("same_as_forward", True), ("off", False)])
def test_a_router_in_full_precision_is_cast_in_the_backward(
    work: Path, warm_ca: Runner, ca: Runner, run_folder: Path, option: str, is_found: bool
) -> None:
    script = work / "router.py"
    script.write_text(ROUTER.replace("OPTION", repr(option)))

    findings = explain(script, warm_ca, ca, run_folder)["findings"]

    found = [one for one in findings if one["code"] == "CA602"]
    assert bool(found) is is_found, told(findings)
    if found:
        assert found[0]["location"]["line"] == marked_line(script, "CA602")
