"""Runs and counts, kept by what they were made of: a long measurement that was cut off goes on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import torch

from ca_engine.version import __version__
from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.loading import load
from tests.corpus import score

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ca_reports.diagnosis.analysis import Analysis
    from tests.corpus.truth import Program

# Sources as people lay them out, for patches that keep the layout.
_SETTINGS = {"ruff.toml": "line-length = 100\n"}


@dataclass(frozen=True)
class Kept:
    """What programs came to, below ``folder``; of failures nothing is kept.

    Counts are made anew where the sources, the options, torch or the counter changed; runs where
    the version of `ca` did: after a change of the engine, begin with an empty folder.
    """

    folder: Path

    def counted(
        self, program: Program, sources: Mapping[str, str], *, once_more: bool = False
    ) -> dict[str, Any]:
        """What `score.measured` returns, of a second run if ``once_more``.

        Raises RuntimeError if the program fails.
        """
        name = _digest(program, sources, counter()) + ("-2" if once_more else "")
        file = self.folder / "counts" / f"{name}.json"
        if not file.is_file():
            found = score.measured(program, dict(sources))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(found))
        counts: dict[str, Any] = json.loads(file.read_text())
        return counts

    def run(self, program: Program, sources: Mapping[str, str]) -> Path:
        """The folder in which it ran, with its `run`. Raises RuntimeError if that fails."""
        place = self.folder / "runs" / _digest(program, sources, __version__)
        return score.recorded(program, place, {**sources, **_SETTINGS})

    def analysis(self, program: Program, sources: Mapping[str, str]) -> Analysis:
        """The analysis of its run. Raises RuntimeError if `ca run` or the program fails."""
        return analyze(load([self.run(program, sources) / "run"]))


@cache
def counter() -> str:
    """Return what counts: a count of another one says nothing here."""
    return f"{torch.__version__}\n{score.COUNT.read_text()}"


def _digest(program: Program, sources: Mapping[str, str], made_by: str) -> str:
    about = [made_by, program.script, program.options, program.fails, dict(sources)]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:32]
