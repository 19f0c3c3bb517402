"""A recording as a notebook shows it: ``python -m ca_reports.output.notebook FOLDER`` prints JSON.

The recording itself (`ca_engine.notebook`) starts this in an interpreter of its own: the user's
process imports nothing of the reports.
"""

from __future__ import annotations

import io
import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from ca_reports import load
from ca_reports.diagnosis.analysis import analyze
from ca_reports.errors import NothingReadable
from ca_reports.output import advice
from ca_reports.output.reported import totals_of
from ca_reports.sentences.places import run_cwd, shown_place
from ca_reports.words.clean import clean
from ca_reports.words.numbers import counted
from ca_reports.words.places import repository_root

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.diagnosis.analysis import Analysis

SHOWN = 5


def mimebundle(folder: Path, cwd: Path) -> dict[str, str]:
    """Return what to show of the recording in `folder`, by MIME type.

    Source is read below `cwd`: the kernel that recorded asks, a moment later.
    """
    try:
        analysis = analyze(load([folder], source_roots=[cwd]), root=repository_root(cwd))
    except NothingReadable:
        text = f"Nothing recorded in {folder} yet."
        return {"text/plain": text, "text/html": f"<p>{_html(text)}</p>"}
    return {"text/plain": _plain(analysis), "text/html": _page(analysis, folder)}


def _plain(analysis: Analysis) -> str:
    from rich.console import Console

    from ca_reports.output import terminal

    stream = io.StringIO()
    terminal.render_summary(analysis, Console(file=stream, width=100, color_system=None))
    return stream.getvalue().rstrip()


def _page(analysis: Analysis, folder: Path) -> str:
    findings = analysis.diagnosis.findings
    parts = [f"<p><strong>{_html(totals_of(analysis))}</strong></p>"]
    parts += [_finding(found, analysis) for found in findings[:SHOWN]]
    if len(findings) > SHOWN:
        parts.append(f"<p>and {counted(len(findings) - SHOWN, 'more finding')}</p>")
    command = _html(f"ca report {folder}")
    parts.append(f'<p style="opacity:.7">Details: <code>{command}</code></p>')
    return "<div>" + "".join(parts) + "</div>"


def _finding(found: Finding, analysis: Analysis) -> str:
    lines = [f"<strong>{_html(found.code)}</strong> {_html(found.message)}"]
    if found.location is not None:
        where = shown_place(found.location, run_cwd(analysis.run))
        lines.append(f"<code>{_html(where)}</code> <code>{_html(found.location.code)}</code>")
    lines.append(_html(advice.cost(found, analysis.run)))
    if found.fix:
        lines.append(f"fix: {_html(found.fix)}")
    return '<p style="margin-left:1em">' + "<br>".join(line for line in lines if line) + "</p>"


def _html(text: str | None) -> str:
    return escape(clean(text or ""))


def main() -> int:
    """Print the bundle of the folder that is named."""
    folder, cwd = map(Path, sys.argv[1:3])
    sys.stdout.buffer.write(orjson.dumps(mimebundle(folder, cwd)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
