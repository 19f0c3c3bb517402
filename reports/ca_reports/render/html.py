"""One HTML file that needs nothing else: no server, no network, dark and light.

All text is in the page as plain HTML; ``web/`` makes views, tables and pictures of it.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import orjson
from markupsafe import Markup
from pygments.formatters import HtmlFormatter

from ca_reports import sentences
from ca_reports.diagnose import diagnose
from ca_reports.graphtext import node_counts
from ca_reports.render import pack
from ca_reports.render.pictures import Block, pictures
from ca_reports.render.source import Pointer, sources
from ca_reports.render.timeline import timeline
from ca_reports.summary import backwards_of, summarize, unknowns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ca_reports.findings import Diagnosis, Finding
    from ca_reports.model import Capture, Compile, Frame, GraphBreak, Process, Run
    from ca_reports.render.pictures import Pictures
    from ca_reports.summary import Summary

MAX_ROWS = 500
# What one capture may list of changes, of sizes, of parameters.
MAX_LISTED = 100
_TOP_COUNTS = 10
# Characters of captured graphs' code that the page lists whole; a real model's is in the
# megabytes, and the graph view has it node by node.
MAX_CODE = 300_000
_LINKS = 8
_LIGHT, _DARK = "default", "monokai"
_BUILT = Path(__file__).parent.parent / "web" / "built"

Link = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Tlparse:
    """Where tlparse's pages are, relative to ours: by process, and by process and compile."""

    processes: Mapping[int, str]
    compiles: Mapping[tuple[int, str], str]


@dataclass(frozen=True, slots=True)
class _FindingView:
    finding: Finding
    anchor: str
    links: list[Link]


@dataclass(frozen=True, slots=True)
class _CaptureView:
    """A capture with what the template cannot work out."""

    capture: Capture
    anchor: str
    process: str
    changed: str
    findings: list[Link]
    compiles: list[Compile]
    breaks: list[GraphBreak]
    phases: str
    modes: str
    parameters: list[tuple[str, str, str]]
    parameters_number: int
    counts: list[tuple[str, int]]
    nodes: int | None
    graph: bool
    graph_left_out: bool
    code: str | None


def render(run: Run, diagnosis: Diagnosis | None = None, tlparse: Tlparse | None = None) -> str:
    """The report as the text of an HTML file, to be written as UTF-8.

    ``diagnosis`` is made here unless it is given; ``tlparse`` says where its pages are.
    """
    found = diagnose(run) if diagnosis is None else diagnosis
    tlparse = tlparse or Tlparse({}, {})
    labels = sentences.process_labels(run)
    summary = summarize(run)
    cwd = sentences.run_cwd(run)
    shown = run.captures[:MAX_ROWS]
    graphs = pictures(shown, cwd)
    time = timeline(run)
    blocks = list(graphs.blocks)
    if time is not None:
        blocks.append(Block("block-timeline", pack.block(time.head)))
    findings = _findings(run, found, graphs)
    views = _captures(run, shown, labels, graphs, findings)
    files, _ = sources(_pointers(findings, views), cwd)
    script = (_BUILT / "report.js").read_text("utf-8")
    css = (_BUILT / "report.css").read_text("utf-8")
    environment = _environment(cwd)
    return environment.get_template("report.html.j2").render(
        version=_version(),
        title=_title(run),
        policy=_policy(script),
        run=run,
        summary=summary,
        share=_share(summary, len(run.processes)),
        totals=sentences.totals(run, summary),
        graphs=sentences.graphs(summary),
        unknowns=unknowns(run),
        findings=findings[:MAX_ROWS],
        findings_number=len(findings),
        silenced=", ".join(f"{code} ({count})" for code, count in found.silenced.items()),
        labels=labels,
        several=len(run.processes) > 1,
        processes=[
            _process(process, label, tlparse)
            for process, label in zip(run.processes, labels, strict=True)
        ],
        captures=views,
        pictures=bool(graphs.graph),
        timeline=time is not None,
        timeline_cut=_timeline_cut(time.left_out) if time is not None else "",
        sources=files,
        recompiled=run.recompiled_captures[:MAX_ROWS],
        forward=run.forward_recompiles[:MAX_ROWS],
        breaks=run.graph_breaks[:MAX_ROWS],
        damage=run.damage[:MAX_ROWS],
        rows=MAX_ROWS,
        most=MAX_LISTED,
        tlparse=tlparse.compiles,
        code_css=Markup(_code_css()),
        css=Markup(css),
        script=Markup(script),
        data=Markup(_data(views, graphs, time is not None)),
        blocks=blocks,
        break_label=_break_label,
    )  # fmt: skip


def _environment(cwd: str | None) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )

    def place(frame: Frame) -> str:
        return sentences.place(frame, cwd)

    environment.filters["place"] = place
    environment.filters["seconds"] = sentences.seconds
    environment.filters["value"] = sentences.value
    environment.filters["when"] = _when
    environment.filters["reason"] = sentences.recompile_reason
    return environment


def _policy(script: str) -> str:
    """Nothing is loaded, nothing is sent, and no script runs but ours, told by its hash."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _data(views: Sequence[_CaptureView], graphs: Pictures, has_time: bool) -> str:
    """What the script has to know, as JSON in which no ``<`` can end its element."""
    entries = []
    for view in views:
        key = (view.capture.process, view.capture.id)
        entries.append(
            {
                "key": f"{key[0]}/{key[1]}",
                "graph": graphs.graph.get(key),
                "difference": graphs.difference.get(key),
            }
        )
    data = {"captures": entries, "timeline": "block-timeline" if has_time else None}
    return orjson.dumps(data).decode().replace("<", "\\u003c")


def _findings(run: Run, diagnosis: Diagnosis, graphs: Pictures) -> list[_FindingView]:
    views = []
    shown = {(capture.process, capture.label): capture for capture in run.captures[:MAX_ROWS]}
    several = len(run.processes) > 1
    for number, finding in enumerate(diagnosis.findings):
        processes = finding.processes or tuple(range(len(run.processes)))
        here = [
            shown[process, label]
            for label in finding.captures
            for process in processes
            if (process, label) in shown
        ]
        links: list[Link] = []
        if here:
            first = here[0]
            key = (first.process, first.id)
            if key in graphs.difference:
                difference = f"#view=graph&capture={first.process}/{first.id}&difference=1"
                links.append(("Show me the difference", difference))
            for capture in here[:_LINKS]:
                process = f" of {run.processes[capture.process].label}" if several else ""
                links.append((f"capture {capture.label}{process}", _anchor(capture)))
            if len(here) > _LINKS:
                links.append((f"and {len(here) - _LINKS} more", "#captures"))
        elif finding.compile_ids:
            links.append((f"compile {', '.join(finding.compile_ids[:3])}", "#log"))
        views.append(_FindingView(finding, f"finding-{number}", links))
    return views


def _captures(
    run: Run,
    captures: Sequence[Capture],
    labels: Sequence[str],
    graphs: Pictures,
    findings: Sequence[_FindingView],
) -> list[_CaptureView]:
    compiles: dict[tuple[int, int], list[Compile]] = {}
    for compiled in run.compiles:
        if compiled.capture is not None:
            compiles.setdefault((compiled.process, compiled.capture), []).append(compiled)
    breaks: dict[tuple[int, str], list[GraphBreak]] = {}
    for found in run.graph_breaks:
        if found.compile_id is not None:
            breaks.setdefault((found.process, found.compile_id), []).append(found)
    views = []
    room = MAX_CODE
    for capture in captures:
        key = (capture.process, capture.id)
        text = capture.graph.text if capture.graph is not None else None
        counts: Mapping[str, int] = node_counts(text) if text else {}
        own = compiles.get(key, [])
        parameters = _parameters(capture)
        code = text if text is not None and len(text) <= room else None
        room -= len(code or "")
        views.append(
            _CaptureView(
                capture=capture,
                anchor=_anchor(capture)[1:],
                process=labels[capture.process],
                changed=sentences.what_changed(capture),
                findings=[
                    (f"{view.finding.code} {view.finding.name}", f"#{view.anchor}")
                    for view in findings
                    if capture.label in view.finding.captures
                    and (not view.finding.processes or capture.process in view.finding.processes)
                ],
                compiles=own,
                breaks=[
                    found
                    for compiled in own
                    for found in breaks.get((capture.process, compiled.compile_id), ())
                ],
                phases=_phases(own),
                modes=_modes(capture.modes),
                parameters=parameters[:MAX_LISTED],
                parameters_number=len(parameters),
                counts=sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_TOP_COUNTS],
                nodes=capture.fx_nodes.get("total") or (sum(counts.values()) or None),
                graph=key in graphs.graph,
                graph_left_out=key in graphs.left_out,
                code=code,
            )
        )
    return views


def _pointers(findings: Sequence[_FindingView], captures: Sequence[_CaptureView]) -> list[Pointer]:
    pointers = [
        Pointer(finding.location, f"{finding.code} {finding.message}", f"#{view.anchor}")
        for view in findings
        if (finding := view.finding).location is not None
    ]
    for view in captures:
        call = view.capture.backward_call
        if call is not None and view.capture.again:
            label = f"capture {view.capture.label}: {view.changed}"
            pointers.append(Pointer(call, label, f"#{view.anchor}"))
    return pointers


def _parameters(capture: Capture) -> list[tuple[str, str, str]]:
    found = []
    for node in capture.autograd_graph:
        name = node.get("parameter")
        if isinstance(name, str) and name:
            defined = node.get("grad_defined")
            words = {True: "defined", False: "None"}
            grad = words.get(defined, "unknown") if isinstance(defined, bool) else "unknown"
            found.append((name, sentences.value(node.get("shape")), grad))
    return found


def _phases(compiles: Sequence[Compile]) -> str:
    firsts = [compiled for compiled in compiles if not compiled.recompile_reason]
    words = {"dynamo": "Dynamo", "aot": "AOT", "backend": "backend"}
    told = []
    for phase, word in words.items():
        seconds = sum(compiled.phases.get(phase, 0.0) for compiled in firsts)
        if seconds:
            told.append(f"{word} {sentences.seconds(seconds)}")
    return ", ".join(told)


def _modes(modes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {sentences.value(found)}" for name, found in modes.items())


def _anchor(capture: Capture) -> str:
    return f"#capture-{capture.process}-{capture.id}"


def _code_css() -> str:
    light: str = HtmlFormatter(style=_LIGHT, cssclass="code").get_style_defs(".code")  # type: ignore[no-untyped-call]
    dark: str = HtmlFormatter(style=_DARK, cssclass="code").get_style_defs(".code")  # type: ignore[no-untyped-call]
    # Only colours of tokens: the paper is the page's.
    tokens = [
        "\n".join(line for line in css.splitlines() if line.startswith(".code ."))
        for css in (light, dark)
    ]
    return (
        f"{tokens[0]}\n@media (prefers-color-scheme: dark) {{\n"
        f':root:not([data-theme="light"]) {{\n{tokens[1]}\n}}\n}}\n'
        f':root[data-theme="dark"] {{\n{tokens[1]}\n}}'
    )


def _process(process: Process, label: str, tlparse: Tlparse) -> dict[str, object]:
    backwards, hits = backwards_of(process)
    return {
        "is": process,
        "label": label,
        "backwards": backwards,
        "hits": hits,
        "tlparse": tlparse.processes.get(process.index),
    }


def _share(summary: Summary, processes: int) -> str:
    """What was lost of the run, where it is one process's time and not a sum of several."""
    if processes != 1 or summary.seconds_lost is None or not summary.seconds_total:
        return ""
    return f"{summary.seconds_lost / summary.seconds_total:.0%}".replace("%", " %")


def _timeline_cut(left_out: int) -> str:
    if not left_out:
        return ""
    return (
        f"Too many backwards to hold: {sentences.count(left_out, 'hit')} left out, evenly; "
        "every miss is there."
    )


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
