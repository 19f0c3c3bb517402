"""What `ca sizes` reckons of six programs, beside what `--measure` finds when it runs them."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

PROGRAMS = Path(__file__).parent / "sized"
# How far from what was measured the seconds of a plan may be reckoned.
SHARE = 0.15
# Totals that are nearer to each other are in no order.
_ALIKE = 0.05
_STEPS = "60"
_CA = [sys.executable, "-m", "ca_cli"]


class Reckoned(NamedTuple):
    """A plan that was tried: its seconds as reckoned, their range, and as measured."""

    name: str
    reckoned: float
    low: float
    high: float
    measured: float

    @property
    def off(self) -> float:
        """Return by which share of what was measured it is off."""
        return self.reckoned / self.measured - 1


def programs() -> list[str]:
    """Return the names of the programs."""
    return sorted(path.stem for path in PROGRAMS.glob("[a-z]*.py"))


def measure(name: str) -> list[Reckoned]:
    """Record a program, and try its best plans. Raises `CalledProcessError` if that fails."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_bytes((PROGRAMS / f"{name}.py").read_bytes())
        _done(folder, "run", "--quiet", "-o", "run", "train.py")
        text = _done(
            folder, "sizes", "run", "--measure", "--yes", "--steps", _STEPS, "--format", "json"
        )
    first = json.loads(text)["functions"][0]
    return [
        Reckoned(plan["name"], plan["reckoned_seconds"], low, high, plan["total_seconds"])
        for plan in first["tried"]
        if plan["error"] is None
        for low, high in [plan["reckoned_seconds_range"]]
    ]


def in_order(found: list[Reckoned]) -> bool:
    """Return whether no two plans whose times differ were reckoned in the other order."""
    return all(
        (one.measured < other.measured) == (one.reckoned < other.reckoned)
        for one, other in itertools.combinations(found, 2)
        if abs(one.measured / other.measured - 1) > _ALIKE
    )


def _done(folder: str, *args: str) -> str:
    done = subprocess.run([*_CA, *args], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout
