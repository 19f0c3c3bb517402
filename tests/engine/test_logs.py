"""Torch's own records and log lines: the same from both engines, so other readers go on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SCRIPT = """
import sys
import torch, torch._dynamo
import ca_engine
ca_engine.install(engine=sys.argv[1])
torch._dynamo.config.compiled_autograd = True
layer = torch.nn.Linear(4, 4)
forward = torch.compile(lambda x: layer(x).relu().sum(), backend="aot_eager")
for size in (2, 2, 3):
    layer.weight.grad = torch.zeros(4, 4)
    layer.bias.grad = torch.zeros(4)
    loss = forward(torch.ones(size, 4))
    torch.compile(lambda: loss.backward(), backend="eager")()
"""

# What the engine itself writes; the rest comes from Dynamo and AOTAutograd.
ARTIFACTS = ("compiled_autograd_compile_reasons", "compiled_autograd_graph_pre_reordering")


def run(folder: Path, engine: str, logs: str = "") -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(SCRIPT)
    return subprocess.run(
        [sys.executable, str(script), engine],
        capture_output=True,
        text=True,
        check=True,
        env={
            **os.environ,
            "TORCH_TRACE": str(folder / engine),
            **({"TORCH_LOGS": logs} if logs else {}),
            "OMP_NUM_THREADS": "1",
        },
    )


def records(folder: Path) -> Counter[tuple[str, object]]:
    """How many records of each kind of the engine's, each with the capture it belongs to."""
    (log,) = folder.glob("*.log")
    counts: Counter[tuple[str, object]] = Counter()
    for line in log.read_text().splitlines():
        if line.startswith(("\t", "}")) or "] {" not in line:
            if '"compiled_autograd"' in line and '"name"' in line:
                counts["chromium event", None] += 1
            continue
        envelope = json.loads(line.partition("] ")[2])
        capture = envelope.get("compiled_autograd_id")
        name = envelope.get("artifact", {}).get("name")
        if name in ARTIFACTS:
            counts[name, capture] += 1
        if "compiled_autograd_graph" in envelope:
            counts["compiled_autograd_graph", capture] += 1
    return counts


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Counter[tuple[str, object]]]:
    folder = tmp_path_factory.mktemp("logs")
    for engine in ("ca", "torch"):
        run(folder, engine)
    return {engine: records(folder / engine) for engine in ("ca", "torch")}


def test_trace_records_are_those_of_torchs_engine(
    runs: dict[str, Counter[tuple[str, object]]],
) -> None:
    assert runs["ca"] == runs["torch"]
    assert runs["ca"]["compiled_autograd_graph", 0] == 1
    assert runs["ca"]["compiled_autograd_compile_reasons", 1] == 1
    assert runs["ca"]["chromium event", None] % 2 == 0


@pytest.mark.parametrize("artifact", ["compiled_autograd", "compiled_autograd_verbose"])
def test_log_lines_are_those_of_torchs_engine(tmp_path: Path, artifact: str) -> None:
    ours, theirs = (
        significant(run(tmp_path, engine, artifact).stderr) for engine in ("ca", "torch")
    )
    assert ours
    assert len(ours) == len(theirs)
    assert [line for line in ours if "Cache miss" in line or "class " in line] == [
        line for line in theirs if "Cache miss" in line or "class " in line
    ]


def significant(stderr: str) -> list[str]:
    """Log messages without their prefixes and the numbers that differ between runs."""
    lines = []
    for line in stderr.splitlines():
        message = line.partition("] [__compiled_autograd")[2].partition("] ")[2]
        if message and "# File" not in message and "<eval_with_key>" not in message:
            lines.append(message)
    # Torch's engine traces some elements that nothing uses and says how many it removed.
    return [line for line in lines if not line.startswith("DCE removed")]


def test_without_listeners_no_payload_is_built(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import torch, torch._dynamo, ca_engine\n"
        "from torch import fx\n"
        "def refuse(*_, **__): raise AssertionError('printed for nobody')\n"
        "fx.GraphModule.print_readable = refuse\n"
        "with ca_engine.enable(lambda module: module):\n"
        "    torch.ones(3, requires_grad=True).sum().backward()\n"
    )
    environment = {k: v for k, v in os.environ.items() if k not in ("TORCH_TRACE", "TORCH_LOGS")}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
