"""Dynamic shapes: what `ca` says of a program whose lengths vary, and that its advice works."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

PROGRAM = """
import torch
from torch._dynamo.utils import counters

@torch.compile(backend="eager")
def score(ids, mask):
    return (ids * mask).sum()

for length in (8, 10, 12, 20, 9):
    ids, mask = torch.ones(4, length), torch.ones(4, length)
    score(ids, mask)
print("graphs:", counters["stats"]["unique_graphs"])
"""


@pytest.fixture
def told(warm_ca: Runner, ca: Runner, run_folder: Path, work: Path) -> dict[str, Any]:
    """What `ca explain-recompiles` says of the program, as JSON."""
    script = work / "lengths.py"
    script.write_text(PROGRAM)
    recorded = warm_ca("--no-report", script)
    assert recorded.code == 0, recorded.stderr
    document: dict[str, Any] = json.loads(
        ca("explain-recompiles", run_folder, "--format", "json").stdout
    )
    return document


def graphs(run: Runner, folder: Path, program: str, **environment: str) -> int:
    script = folder / "advised.py"
    script.write_text(program)
    done = run(script, env=environment)
    assert done.code == 0, done.stderr
    return int(done.stdout.rpartition("graphs: ")[2])


@pytest.mark.long
def test_dimensions_are_told_and_every_advice_leaves_one_graph(
    told: dict[str, Any], warm_python: Runner, run_python: Runner, work: Path
) -> None:
    # GIVEN a program whose two arguments have one length, which varies
    ids, mask = told["dynamic_shapes"]
    assert (ids["argument"], ids["dimension"], ids["became_dynamic"]) == ("ids", 1, "0/1")
    assert ids["sizes"] == [8, 10]
    assert ids["together_with"] == [{"argument": "mask", "dimension": 1}]
    assert (mask["argument"], mask["respecialised"]) == ("mask", [])
    assert graphs(warm_python, work, PROGRAM) == 2

    # WHEN the calls that the finding names are made before the first forward
    (finding,) = told["findings"]
    calls = re.findall(r"`(torch\._dynamo\.mark_dynamic\([^`]*\))`", finding["fix"])
    marked = PROGRAM.replace(
        "    score(ids", "".join(f"    {c}\n" for c in calls) + "    score(ids"
    )
    # THEN there is one graph; one of the calls alone would be an error of torch's
    assert len(calls) == 2
    assert graphs(warm_python, work, marked) == 1

    # AND so there is with the variable, and with dynamic=True
    sources = ids["dynamic_sources"]
    assert sources == "L['ids'],L['mask']"
    # Torch reads it when it is imported.
    assert graphs(run_python, work, PROGRAM, TORCH_COMPILE_DYNAMIC_SOURCES=sources) == 1
    dynamic = PROGRAM.replace('backend="eager"', 'backend="eager", dynamic=True')
    assert graphs(warm_python, work, dynamic) == 1
