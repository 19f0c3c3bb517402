"""One HTML file that needs nothing else: no network, no script, dark and light."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from ca_reports import sentences
from ca_reports.graphtext import node_counts
from ca_reports.summary import backwards_of, summarize, unknowns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.model import Capture, Compile, GraphBreak, Process, Run

# A graph of a 12-layer GPT is about 2 MB of code: the report shows its beginning.
MAX_CODE = 200_000
MAX_CODE_IN_ALL = 1_000_000
MAX_ROWS = 500
_TOP_COUNTS = 10
_LIGHT, _DARK = "default", "monokai"


@dataclass(frozen=True, slots=True)
class _Code:
    """A graph's code as HTML. ``shown`` and ``length`` are characters."""

    html: Markup
    shown: int
    length: int


@dataclass(frozen=True, slots=True)
class _CaptureView:
    """A capture with what the template cannot work out."""

    capture: Capture
    anchor: str
    process: str
    changed: str
    compiles: list[Compile]
    counts: list[tuple[str, int]]
    nodes: int | None
    code: _Code | None
    code_left_out: bool


def render(run: Run) -> str:
    """The report as the text of an HTML file, to be written as UTF-8."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["seconds"] = sentences.seconds
    environment.filters["value"] = sentences.value
    environment.filters["when"] = _when
    environment.filters["reason"] = sentences.recompile_reason
    labels = sentences.process_labels(run)
    summary = summarize(run)
    views = _captures(run, labels)
    return environment.get_template("report.html.j2").render(
        version=_version(),
        title=_title(run),
        run=run,
        summary=summary,
        totals=sentences.totals(run, summary),
        graphs=sentences.graphs(summary),
        unknowns=unknowns(run),
        labels=labels,
        several=len(run.processes) > 1,
        processes=[_process(*pair) for pair in zip(run.processes, labels, strict=True)],
        captures=views[:MAX_ROWS],
        recompiled=run.recompiled_captures[:MAX_ROWS],
        forward=run.forward_recompiles[:MAX_ROWS],
        breaks=run.graph_breaks[:MAX_ROWS],
        damage=run.damage[:MAX_ROWS],
        rows=MAX_ROWS,
        code_css=Markup(_code_css()),
        break_label=_break_label,
    )  # fmt: skip


def _captures(run: Run, labels: list[str]) -> list[_CaptureView]:
    compiles: dict[tuple[int, int], list[Compile]] = {}
    for compiled in run.compiles:
        if compiled.capture is not None:
            compiles.setdefault((compiled.process, compiled.capture), []).append(compiled)
    left = MAX_CODE_IN_ALL
    views = []
    for capture in run.captures[:MAX_ROWS]:
        text = capture.graph.text if capture.graph is not None else None
        counts: Mapping[str, int] = node_counts(text) if text else {}
        code = None
        if text is not None and min(len(text), MAX_CODE) <= left:
            code = _code(text, MAX_CODE)
            left -= code.shown
        views.append(
            _CaptureView(
                capture=capture,
                anchor=f"capture-{capture.process}-{capture.id}",
                process=labels[capture.process],
                changed=sentences.what_changed(capture),
                compiles=compiles.get((capture.process, capture.id), []),
                counts=sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_TOP_COUNTS],
                nodes=capture.fx_nodes.get("total") or (sum(counts.values()) or None),
                code=code,
                code_left_out=text is not None and code is None,
            )
        )
    return views


def _code(text: str, limit: int) -> _Code:
    shown = text if len(text) <= limit else text[: text.rfind("\n", 0, limit) + 1 or limit]
    # Pygments escapes what it colours.
    coloured = highlight(shown, PythonLexer(stripnl=False), HtmlFormatter(cssclass="code"))
    return _Code(Markup(coloured), len(shown), len(text))


def _code_css() -> str:
    light: str = HtmlFormatter(style=_LIGHT, cssclass="code").get_style_defs(".code")  # type: ignore[no-untyped-call]
    dark: str = HtmlFormatter(style=_DARK, cssclass="code").get_style_defs(".code")  # type: ignore[no-untyped-call]
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"


def _process(process: Process, label: str) -> dict[str, object]:
    backwards, hits = backwards_of(process)
    return {"is": process, "label": label, "backwards": backwards, "hits": hits}


def _break_label(found: GraphBreak) -> str:
    return sentences.place(found.location) if found.location is not None else "unknown place"


def _title(run: Run) -> str:
    for recorded in run.recorded:
        if recorded.script:
            return recorded.script
    return ", ".join(run.paths[:3]) or "no log"


def _when(time: float | None) -> str:
    if time is None:
        return "unknown"
    try:
        return datetime.fromtimestamp(time, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return "unknown"


def _version() -> str:
    try:
        return metadata.version("ca-profiler")
    except metadata.PackageNotFoundError:
        return "not installed"
