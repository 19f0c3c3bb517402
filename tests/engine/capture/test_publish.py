"""Torch's own records and log lines: the same from both engines, so other readers go on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import warm
from tests.engine.recorder.test_recorder import bare_environment
from tests.once import made_once, of_session

SCRIPT = """
import sys
import torch, torch._dynamo
import ca_engine
ca_engine.install(engine=sys.argv[1], lowering=False)
torch._dynamo.config.compiled_autograd = True
layer = torch.nn.Linear(4, 4)
forward = torch.compile(lambda x: layer(x).relu().sum(), backend="aot_eager")
for size in (2, 2, 3):
    layer.weight.grad = torch.zeros(4, 4)
    layer.bias.grad = torch.zeros(4)
    loss = forward(torch.ones(size, 4))
    torch.compile(lambda: loss.backward(), backend="eager")()
import json
print(json.dumps(torch._dynamo.utils.counters))
"""


def run(folder: Path, engine: str, logs: str = "") -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(SCRIPT)
    environment = bare_environment(folder / engine)
    if logs:
        environment["TORCH_LOGS"] = logs
    done = warm.python().run([sys.executable, script, engine], cwd=folder, env=environment)
    done.check_returncode()
    return done


Record = tuple[str, Any, Any]


def records(folder: Path) -> list[Record]:
    """The engine's records in their order: kind, the capture it belongs to, and what it says."""
    (log,) = folder.glob("*.log")
    found: list[Record] = []
    for envelope, payload in _records(log.read_text()):
        capture = envelope.get("compiled_autograd_id")
        name = envelope.get("artifact", {}).get("name")
        if name == "compiled_autograd_compile_reasons":
            found.append((name, capture, json.loads(payload)))
        elif name == "compiled_autograd_graph_pre_reordering":
            found.append((name, capture, plain_code(payload)))
        elif "compiled_autograd_graph" in envelope:
            found.append(("compiled_autograd_graph", capture, plain_code(payload)))
        elif "chromium_event" in envelope and '"name": "compiled_autograd"' in payload:
            event = json.loads(payload)
            found.append((f"chromium {event['ph']}", capture, event["args"]))
    return found


def _records(log: str) -> Iterator[tuple[dict[str, Any], str]]:
    for text in re.split(r"^(?=[VIWEC]\d{4} )", log, flags=re.MULTILINE):
        first, _, rest = text.partition("\n")
        if "] {" in first:
            payload = "\n".join(line.removeprefix("\t") for line in rest.splitlines())
            yield json.loads(first.partition("] ")[2]), payload


def plain_code(code: str) -> list[tuple[str, str]]:
    """Lines of printed code, each under the autograd node it comes from.

    Without the names of values (numbered instead), what they are freed by, elements that
    nothing uses, and the module and line of the engine. And without the node of a size: torch's
    engine prints that of the last tensor, ours the size's own.
    """
    rows: list[tuple[str, str]] = []
    origin = ""
    for raw in code.splitlines():
        line = re.sub(r";  \w+ = .*None$", "", raw.strip())
        # Until torch 2.12 its engine passes the gradients one by one, not as a list.
        line = re.sub(r"\w+_call_aot_bwd_prologue(_\d+)?\(.*", _plain_call, line)
        if line.startswith("# File: "):
            origin = line.partition("code: ")[2]
        elif line:
            rows.append((origin, line))
    number: dict[str, str] = {}
    plain = []
    for origin, line in _alive(rows):
        if name := _assigned(line):
            number[name] = f"v{len(number)}"
            if re.search(r" = (sizes\[|\w*unwrap_maybe_dynamic_int\()", line):
                origin = ""
        plain.append((origin, re.sub(r"\w+", lambda word: number.get(word[0], word[0]), line)))
    return plain


def _plain_call(call: re.Match[str]) -> str:
    return " ".join(["prologue of", *re.findall(r"\w+", call[0])[1:]])


def _assigned(line: str) -> str | None:
    found = re.match(r"(\w+)(: [^=]+)? = ", line)
    return found[1] if found else None


# An element, a size, or what is computed with sizes
_WITHOUT_EFFECT = re.compile(r" = (\w+\[\d+\]|torch\.ops\.aten\.sym_\w+\..*|\w+ (==|\*) \w+)$")


def _alive(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Without what has no effect and is used by nothing: torch's engine traces some."""
    used: set[str] = set()
    alive = []
    for origin, line in reversed(rows):
        if _assigned(line) in used or not _WITHOUT_EFFECT.search(line):
            used.update(re.findall(r"\w+", line.partition(" = ")[2] or line))
            alive.append((origin, line))
    return alive[::-1]


Runs = dict[str, "Run"]


class Run(NamedTuple):
    """What the script left behind under one engine."""

    records: list[Record]
    stderr: str
    counters: dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    engines = ("ca", "torch")

    def record(folder: Path) -> None:
        for engine in engines:
            done = run(folder, engine, "compiled_autograd_verbose")
            (folder / f"{engine}.stderr").write_text(done.stderr)
            (folder / f"{engine}.json").write_text(done.stdout)

    folder = made_once(of_session(tmp_path_factory, "logs"), record)
    return {
        engine: Run(
            records(folder / engine),
            (folder / f"{engine}.stderr").read_text(),
            json.loads((folder / f"{engine}.json").read_text()),
        )
        for engine in engines
    }


def of_kind(kind: str, found: list[Record]) -> list[Record]:
    return [record for record in found if record[0] == kind]


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "captures"),
    [
        ("compiled_autograd_compile_reasons", [0, 1]),
        ("compiled_autograd_graph_pre_reordering", [0, 1]),
        ("compiled_autograd_graph", [0, 1]),
    ],
)
def test_trace_records_are_those_of_torchs_engine(
    kind: str, captures: list[int], runs: Runs
) -> None:
    ours, theirs = (of_kind(kind, runs[engine].records) for engine in ("ca", "torch"))
    assert [capture for _, capture, _ in ours] == captures
    assert all(len(payload) > 0 for _, _, payload in ours)
    assert ours == theirs


@pytest.mark.long
def test_spans_are_those_of_torchs_engine(runs: Runs) -> None:
    ours, theirs = (
        [record for record in runs[engine].records if record[0].startswith("chromium")]
        for engine in ("ca", "torch")
    )
    assert [kind for kind, _, _ in ours] == ["chromium B", "chromium E"] * 2
    assert [args["graph_id"] for _, _, args in ours] == [0, 0, 1, 1]
    assert [(kind, args) for kind, _, args in ours] == [(kind, args) for kind, _, args in theirs]


def test_counters_are_those_of_torchs_engine(runs: Runs) -> None:
    ours, theirs = (runs[engine].counters for engine in ("ca", "torch"))
    assert ours["compiled_autograd"] == {"captures": 2}
    # The others count frames of the engine that Dynamo looks at and skips.
    for name in ("compiled_autograd", "stats", "aot_autograd"):
        assert ours[name] == theirs[name]


def test_verbose_log_lines_are_those_of_torchs_engine(runs: Runs) -> None:
    ours, theirs = (significant(runs[engine].stderr) for engine in ("ca", "torch"))
    assert sum("Cache miss" in line for _, line in ours) == 2
    assert sum("call_accumulate_grad(" in line for _, line in ours) == 2 * 2
    assert ours == theirs


@pytest.mark.long
def test_log_lines_are_those_of_torchs_engine(tmp_path: Path) -> None:
    ours, theirs = (
        significant(run(tmp_path, engine, "compiled_autograd").stderr) for engine in ("ca", "torch")
    )
    assert not any("Cache miss" in line for _, line in ours)
    assert sum("call_accumulate_grad(" in line for _, line in ours) == 2 * 2
    assert ours == theirs


def significant(stderr: str) -> list[tuple[str, str]]:
    """Log messages without their prefixes, graphs as `plain_code`."""
    messages = [
        line.partition("] [__compiled_autograd")[2].partition("] ")[2]
        for line in stderr.splitlines()
    ]
    # Each graph's class is preceded by the name of its code, which counts compilations.
    # Torch's engine traces some elements that nothing uses and says how many it removed.
    return plain_code(
        "\n".join(
            re.sub(r"<eval_with_key>\.\d+ ", "", message)
            for message in messages
            if not message.startswith("DCE removed")
        )
    )


@pytest.mark.long
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
