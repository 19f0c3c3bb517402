"""What a part found, and its way from the part's process to the report."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

Status = Literal["passed", "failed", "left out"]


# Processes that share the programs of a backend that compiles kernels.
TURNS = 3


@dataclass(frozen=True)
class Settings:
    """``device`` is "cuda" or "cpu"; ``quick`` asks for the shortest that still shows something.

    ``share`` is the backend of which this process runs the programs, behind a slash the turn of
    `TURNS` at which it takes them; all without one.
    """

    device: str
    quick: bool
    share: str = ""

    def share_of(self, backend: str, programs: Iterable[str]) -> list[str]:
        """Return the programs that this process runs with ``backend``."""
        asked, _, turn = self.share.partition("/")
        if asked not in ("", backend):
            return []
        chosen = list(programs)
        return chosen[int(turn) :: TURNS] if turn else chosen

    @property
    def is_cuda(self) -> bool:
        return self.device == "cuda"

    @property
    def is_small(self) -> bool:
        """Whether to take the smallest sizes: the CPU is there to try the harness."""
        return self.quick or not self.is_cuda


class LeftOutError(Exception):
    """Why a part, or one check of it, cannot run here."""


@dataclass(frozen=True)
class Check:
    """One thing that holds or does not; ``detail`` is the evidence, or why it was left out."""

    name: str
    status: Status
    detail: str = ""


@dataclass(frozen=True)
class Figure:
    """A measured value; ``of_torch`` is the same with torch's engine, None where it has none."""

    name: str
    value: float
    unit: str
    of_torch: float | None = None


@dataclass
class Result:
    """Of one part."""

    part: str
    checks: list[Check] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    left_out: str = ""
    error: str = ""
    seconds: float = 0.0
    # Where it is written after each thing found: a part that is stopped has shown that much.
    path: Path | None = field(default=None, repr=False)

    @property
    def status(self) -> Status:
        if self.error or any(check.status == "failed" for check in self.checks):
            return "failed"
        return "left out" if self.left_out else "passed"

    def check(self, name: str, ok: bool, detail: str = "") -> None:
        self.checks.append(Check(name, "passed" if ok else "failed", detail))
        self.write()

    def leave_out(self, name: str, reason: str) -> None:
        self.checks.append(Check(name, "left out", reason))
        self.write()

    def has_triton(self, name: str) -> bool:
        """Return whether Triton is installed; without it ``name`` is left out."""
        found = importlib.util.find_spec("triton") is not None
        if not found:
            self.leave_out(name, "triton is not installed")
        return found

    def measured(self, name: str, value: float, unit: str, of_torch: float | None = None) -> None:
        self.figures.append(Figure(name, value, unit, of_torch))
        self.write()

    def as_json(self) -> dict[str, Any]:
        found = asdict(self)
        del found["path"]
        return {"status": self.status, **found}

    def write(self) -> None:
        """Write what there is so far to ``path``, if it has one, whole or not at all."""
        if self.path is not None:
            written = self.path.with_suffix(".new")
            written.write_text(json.dumps(self.as_json()), "utf-8")
            written.replace(self.path)


def read(path: Path) -> Result:
    """What `Result.write` wrote."""
    found = json.loads(path.read_text("utf-8"))
    del found["status"]
    checks = [Check(**check) for check in found.pop("checks")]
    figures = [Figure(**figure) for figure in found.pop("figures")]
    return Result(checks=checks, figures=figures, **found)
