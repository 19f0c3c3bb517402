"""The first of tlparse's pages: each finding and capture with the files that tlparse made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_engine.version import __version__
from ca_reports.output import advice
from ca_reports.output.runs import headline
from ca_reports.output.templating import environment
from ca_reports.run.model import Capture, Compile
from ca_reports.sentences.captures import in_short
from ca_reports.sentences.places import run_cwd, shown_place
from ca_reports.sentences.processes import process_labels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.causes.findings import Finding
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.output.tlparse import Pages

# Beyond so many captures, and files of one, the list of tlparse itself is the better one.
_CAPTURES = 500
_FILES = 40
_OF_A_FINDING = 20


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A finding, or a capture or compile: its words, and its files by compile id."""

    anchor: str
    title: str
    text: str
    more: tuple[str, ...]
    files: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    parts: tuple[tuple[str, str], ...] = ()


def render(analysis: Analysis, pages: Pages, back: str | None = None) -> str:
    """Return the index as the text of an HTML file in ``pages.folder``, to be written as UTF-8.

    ``back`` is the address of our own page, from there.
    """
    run = analysis.run
    labels = process_labels(run)
    several = len(run.processes) > 1
    events = _Events(analysis, pages, labels if several else None)
    captures = [events.capture(one) for one in run.captures[:_CAPTURES]]
    compiles = [events.compile(one) for one in run.forward_recompiles[:_CAPTURES]]
    return (
        environment()
        .get_template("tlparse_index.html.j2")
        .render(
            version=__version__,
            back=back,
            headline=headline(
                run, analysis.summary, analysis.diagnosis.findings, analysis.ranks
            ).text,
            findings=[events.finding(found) for found in analysis.diagnosis.findings[:_CAPTURES]],
            sections=[("Captures", captures), ("Forward recompiles", compiles)],
            processes=[
                (labels[index], _from_folder(url)) for index, url in sorted(pages.processes.items())
            ],
            failed=pages.failed,
        )
    )


class _Events:
    """Makes rows of what happened in a run."""

    def __init__(self, analysis: Analysis, pages: Pages, labels: list[str] | None) -> None:
        """``labels`` name the processes; None where there is only one."""
        self._analysis = analysis
        self._pages = pages
        self._labels = labels
        self._cwd = run_cwd(analysis.run)
        self._listed = {one.key for one in analysis.run.captures[:_CAPTURES]}
        self._listed |= {one.key for one in analysis.run.forward_recompiles[:_CAPTURES]}
        self._of_capture: dict[tuple[int, int], list[str]] = {}
        for compiled in analysis.run.compiles:
            if compiled.capture is not None:
                key = (compiled.process, compiled.capture)
                self._of_capture.setdefault(key, []).append(compiled.compile_id)

    def finding(self, found: Finding) -> IndexRow:
        """Return a finding, with links to its events on this page."""
        events = [one for one in found.events if isinstance(one, Capture | Compile)]
        parts = [(self._name(one), f"#{_anchor(one)}") for one in events if one.key in self._listed]
        where = "" if found.location is None else shown_place(found.location, self._cwd)
        cost = advice.cost(found, self._analysis.run)
        more = tuple(text for text in (where, cost, f"Fix: {found.fix}") if text)
        return IndexRow("", found.code, found.message, more, parts=tuple(parts[:_OF_A_FINDING]))

    def capture(self, capture: Capture) -> IndexRow:
        """Return a capture, with the files of all compiles of its graph."""
        ids = self._of_capture.get((capture.process, capture.id), ())
        return IndexRow(
            _anchor(capture),
            self._name(capture),
            in_short(capture),
            (),
            self._files(capture.process, dict.fromkeys((capture.label, *ids))),
        )

    def compile(self, compiled: Compile) -> IndexRow:
        """Return a recompile of user code, with its files."""
        return IndexRow(
            _anchor(compiled),
            self._name(compiled),
            self._analysis.guard_that_failed(compiled),
            (),
            self._files(compiled.process, (compiled.compile_id,)),
        )

    def _files(
        self, process: int, ids: Iterable[str]
    ) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
        known = self._pages.files
        return tuple(
            (id, tuple((name, _from_folder(url)) for name, url in known[process, id][:_FILES]))
            for id in ids
            if (process, id) in known
        )

    def _name(self, event: Capture | Compile) -> str:
        own = event.label if isinstance(event, Capture) else event.compile_id
        return own if self._labels is None else f"{own} of {self._labels[event.process]}"


def _anchor(event: Capture | Compile) -> str:
    own = event.id if isinstance(event, Capture) else event.compile_id.replace("/", "-")
    return f"{event.process}-{own}"


def _from_folder(url: str) -> str:
    """Return an address as it is from within the folder of all of tlparse's pages."""
    return url.partition("/")[2]
