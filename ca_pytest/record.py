"""Records of a test, for the fixture `ca_record` and for the plugin itself."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

import ca_reports
from ca_pytest import words
from ca_reports.diagnosis.analysis import Analysis, analyze
from ca_reports.errors import NothingReadable
from ca_reports.run.model import Run

if TYPE_CHECKING:
    from pathlib import Path

    from ca_pytest.recording import RecordedTest
    from ca_reports.causes.findings import Diagnosis, Finding
    from ca_reports.gates.config import GateSettings
    from ca_reports.run.model import Capture, Compile

_OF_BACKWARDS = frozenset(("max-captures", "max-recaptures"))
# Findings of one test that are handed on to the summary.
MAX_FINDINGS = 10


class MarkerResult(NamedTuple):
    """What the marker makes of a test: texts to fail with, and to warn with; None for neither."""

    failure: str | None
    warning: str | None


class CaRecord:
    """One test's captures and recompiles, so far or, after the test, in all.

    Everything is read anew when it is asked for, so ask once what a loop needs often. Not
    from within a backward (a hook): the capture in progress would be given up.
    """

    def __init__(
        self, recording: RecordedTest, rootpath: Path, settings: GateSettings | None, *, keep: bool
    ) -> None:
        """Take the marker's ``settings``; with ``keep`` a report is left beside the record."""
        self._recording = recording
        self._rootpath = rootpath
        self._settings = settings
        self._keep = keep
        self._seen: tuple[int, Analysis] | None = None

    @property
    def run(self) -> Run:
        """Return all that was read, as ``ca_reports.load`` gives it."""
        return self._read().run

    @property
    def diagnosis(self) -> Diagnosis:
        """Return all that was found in it."""
        return self._read().diagnosis

    @property
    def captures(self) -> tuple[Capture, ...]:
        """Return the backwards that were captured: misses of compiled autograd's cache."""
        return self.run.captures

    @property
    def recaptures(self) -> tuple[Capture, ...]:
        """Return the captures after the first."""
        return tuple(capture for capture in self.captures if capture.is_recapture)

    @property
    def recompiles(self) -> tuple[Compile, ...]:
        """Return the compiles of Dynamo because guards of an earlier one failed."""
        return self.run.recompiles

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return the causes, those that lost most first."""
        return self.diagnosis.findings

    @property
    def hits(self) -> int:
        """Return the backwards that ran a graph that was there already."""
        return self._read().summary.hits or 0

    def explain(self) -> str:
        """Return the findings in words, as the summary prints them."""
        return "\n".join(words.finding(found, self.run, self._rootpath) for found in self.findings)

    # ---- what the plugin calls

    def start(self) -> None:
        """Begin: the test is about to be called."""
        self._recording.start()

    def stop(self) -> None:
        """End: the test was called."""
        self._recording.stop()
        run = self.run
        if self._keep and not (run.captures or run.compiles or run.graph_breaks):
            shutil.rmtree(self._recording.folder, ignore_errors=True)
        elif self._keep and self.findings:
            from ca_reports.output import html

            page = self._recording.folder / "report.html"
            page.write_text(html.render(self._read()), "utf-8")

    def outcome(self) -> dict[str, Any]:
        """Return what the summary needs, as JSON: it may have to travel from a worker of xdist."""
        analysis = self._read()
        run, diagnosis, summary = analysis.run, analysis.diagnosis, analysis.summary
        return {
            "backwards": summary.backwards or 0,
            "captures": summary.captures,
            "compiles": summary.forward_compiles or 0,
            "recaptures": summary.recaptures,
            "recompiles": summary.dynamo_recompiles,
            "graph_breaks": summary.graph_breaks,
            "seconds_lost": summary.seconds_lost or 0.0,
            "findings": [
                words.finding(found, run, self._rootpath)
                for found in diagnosis.findings[:MAX_FINDINGS]
            ],
            "findings_left_out": max(0, len(diagnosis.findings) - MAX_FINDINGS),
            "folder": str(self._recording.folder) if self._keep and run.processes else None,
        }

    def verdict(self) -> MarkerResult:
        """Return whether the test keeps to what its marker allows."""
        if self._settings is None:
            return MarkerResult(None, None)
        from ca_reports.gates.gate import judge

        analysis = self._read()
        run = analysis.run
        judged = judge(analysis, self._settings)
        limits = set(self._settings.budgets)
        of_backwards = bool(limits) and limits <= _OF_BACKWARDS
        is_empty = not (run.captures or run.compiles or run.graph_breaks)
        if is_empty or (of_backwards and not (run.captures or run.recompiles)):
            return MarkerResult(None, words.NOTHING_COMPILED)
        if judged.ok:
            return MarkerResult(None, None)
        lines = [check.sentence() for check in judged.exceeded]
        behind = [one.finding for check in judged.exceeded for one in check.behind]
        behind += [one.found.finding for one in judged.failing]
        told = {id(found): words.finding(found, run, self._rootpath) for found in behind}
        return MarkerResult("\n".join([*lines, *told.values()]), None)

    def _read(self) -> Analysis:
        self._recording.settle()
        size = sum(file.stat().st_size for file in self._recording.folder.glob("*.log"))
        if self._seen is None or self._seen[0] != size:
            run = _load(self._recording.folder, self._rootpath)
            self._seen = size, analyze(run, root=self._rootpath)
        return self._seen[1]


def _load(folder: Path, rootpath: Path) -> Run:
    try:
        return ca_reports.load([folder], source_roots=[rootpath])
    except NothingReadable:
        return Run((str(folder),), (), ())
