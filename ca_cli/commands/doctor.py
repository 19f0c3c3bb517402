"""``ca doctor``: what is installed here, and whether the engine works with it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import typer

from ca_cli.errors import GATE_FAILED, UsageError
from ca_cli.options import command
from ca_engine.version import RECORDED_WITH
from ca_reports.words.numbers import memory


@command
def doctor() -> None:
    """Show what was found: versions, torch, and the outcome of a real capture.

    Ends with 1 if nothing can be recorded here.
    """
    found = _examine()
    problems = _problems(found)
    for name, value in _facts(found):
        typer.echo(f"{name:<13}{value}")
    for problem in problems:
        typer.echo(f"{'problem':<13}{problem}")
    if problems:
        raise typer.Exit(GATE_FAILED)
    typer.echo("The engine works here." if found["supported"] else "Recording works here.")


def _examine() -> dict[str, Any]:
    """In a process of its own: this one does without torch."""
    done = subprocess.run(
        [sys.executable, "-m", "ca_engine.doctor"], capture_output=True, text=True, check=False
    )
    try:
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = (done.stderr.strip() or "no output").splitlines()[-1]
        raise UsageError(f"the engine can't be examined: {last}") from None
    return found


def _facts(found: dict[str, Any]) -> list[tuple[str, str]]:
    engine = "ours"
    if not found["supported"]:
        engine = "off (untested with this torch): torch's own runs, and is recorded"
    of_torch = [
        ("tested with", "torch {} to {}".format(*found.get("tested", ("?", "?")))),
        ("engine", engine),
        ("lowering", "possible" if found["lowering"] else "off (untested with this torch)"),
        ("background", _background(found)),
        ("capture", found["capture"] or "not tried"),
        *_gpus(found),
    ]
    return [
        ("ca", found["ca"]),
        ("python", f"{found['python']}  {found['executable']}"),
        ("platform", found["platform"]),
        ("torch", found["torch"] or "not importable: logs are read, and nothing is recorded"),
        *([] if found["torch"] is None else of_torch),
        *((name, _version(name)) for name in ("tlparse", "pandas", "rich", "typer")),
    ]


def _background(found: dict[str, Any]) -> str:
    """Say what inductor can compile in another process."""
    if found["background"]:
        return "possible"
    if found["lowering"]:
        return "captured backwards only (all graphs from torch 2.13 on)"
    return "off (untested with this torch)"


def _problems(found: dict[str, Any]) -> list[str]:
    if found["torch"] is None:
        return [f"torch can't be imported: {found.get('torch_error')}"]
    if not found["recorded"]:
        return [
            f"with torch {found['torch']} a run holds only what torch itself writes: ca's "
            f"recorder needs {RECORDED_WITH}"
        ]
    tried = {"the CPU": found["capture"]}
    tried |= {f"gpu {index}": gpu["capture"] for index, gpu in enumerate(found["gpus"])}
    return [
        f"a small backward on {device} could not be captured: {outcome}"
        for device, outcome in tried.items()
        if outcome != "ok"
    ]


def _gpus(found: dict[str, Any]) -> list[tuple[str, str]]:
    if not found["gpus"]:
        built = f"torch is built for CUDA {found['cuda']}" if found["cuda"] else "torch has no CUDA"
        return [("gpus", f"none ({built})")]
    rows = []
    for index, gpu in enumerate(found["gpus"]):
        room = f"{memory(gpu['memory'])}, " if gpu["memory"] else ""
        rows.append((f"gpu {index}", f"{gpu['name']}, {room}capture {gpu['capture']}"))
    return [*rows, ("driver", f"{found['driver'] or 'unknown'}, CUDA {found['cuda'] or 'unknown'}")]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
