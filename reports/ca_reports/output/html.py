"""One HTML file that needs nothing else: no server, no network, dark and light.

All text is in the page as plain HTML; ``web/`` makes views, tables and pictures of it.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import jinja2
import orjson
from markupsafe import Markup
from pygments.formatters import HtmlFormatter

from ca_engine.lazy_classes import dataclass
from ca_engine.version import __version__
from ca_reports.costs.bill import compile_bill
from ca_reports.costs.caches.starts import examine
from ca_reports.costs.ranks import distinct_bill, distinct_breaks, distinct_dimensions
from ca_reports.facts.summary import backwards_of
from ca_reports.output import advice, overview, pack
from ca_reports.output.caches_view import caches_view
from ca_reports.output.capture_views import (
    MAX_LISTED,
    anchor,
    capture_groups,
    capture_views,
)
from ca_reports.output.pictures import EmbeddedBlock, closest, pictures
from ca_reports.output.runs import graph_totals, headline, loss
from ca_reports.output.sizes_view import sizes_view
from ca_reports.output.source import Pointer, excerpt_lines, sources
from ca_reports.output.template_cache import TemplateCache
from ca_reports.output.templating import environment
from ca_reports.output.timeline import background_spans, timeline
from ca_reports.sentences import dynamic
from ca_reports.sentences.background import background_lines
from ca_reports.sentences.bill import about_caches
from ca_reports.sentences.caches import cold_line
from ca_reports.sentences.failures import in_full
from ca_reports.sentences.limits import when_and_pace
from ca_reports.sentences.lowering import engine_lines, lowering_words
from ca_reports.sentences.phases import OF_BILL, PHASE_WORDS
from ca_reports.sentences.places import at_line, run_cwd, shown_place
from ca_reports.sentences.processes import every_process, process_labels
from ca_reports.words import numbers
from ca_reports.words.numbers import and_more, counted, duration
from ca_reports.words.values import shown_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.output.capture_views import CaptureView
    from ca_reports.output.pictures import Pictures
    from ca_reports.output.source import Line
    from ca_reports.run.model import Capture, Failure, Frame, GraphBreak, Process, Run

MAX_ROWS = 400
_LINKS = 8
_LIGHT, _DARK = "default", "monokai"
_BUILT = Path(__file__).parent.parent / "web" / "built"

Link = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Tlparse:
    """Links to tlparse's pages, relative to ours: by process, and by process and compile."""

    processes: Mapping[int, str]
    compiles: Mapping[tuple[int, str], str]


@dataclass(frozen=True, slots=True)
class _FindingView:
    finding: Finding
    anchor: str
    links: list[Link]
    seconds: float | None
    each: str
    excerpt: tuple[Line, ...] = ()
    patch: str = ""


@dataclass(frozen=True, slots=True)
class _CrashView:
    """The exception out of a compile that ended a process, and the finding that is about it.

    ``process`` is the label of the process, empty where there is one only.
    """

    failure: Failure
    process: str
    finding: _FindingView | None


def render(analysis: Analysis, tlparse: Tlparse | None = None) -> str:
    """Return the report as the text of an HTML file, to be written as UTF-8.

    ``tlparse`` says where its pages are.
    """
    run, found, summary = analysis.run, analysis.diagnosis, analysis.summary
    tlparse = tlparse or Tlparse({}, {})
    labels = process_labels(run)
    cwd = run_cwd(run)
    shown = run.captures[:MAX_ROWS]
    graphs = pictures(shown, analysis.nodes, cwd)
    time = timeline(run)
    blocks = list(graphs.blocks)
    if time is not None:
        blocks.append(EmbeddedBlock("block-timeline", pack.block(time.head)))
    findings = _findings(analysis, graphs, _patches(analysis))
    views = capture_views(analysis, shown, labels, graphs, _found_in(findings))
    files = sources(_pointers(findings, views), cwd, analysis.files)
    script = (_BUILT / "report.js").read_text("utf-8")
    css = (_BUILT / "report.css").read_text("utf-8")
    whole_bill = compile_bill(run)
    bill = distinct_bill(whole_bill, analysis.ranks)
    breaks = distinct_breaks(run.graph_breaks, analysis.ranks)
    environment = _environment(analysis, cwd)
    cold = None if analysis.start is None else cold_line(analysis.start)
    return environment.get_template("report.html.j2").render(
        version=__version__,
        title=_title(run),
        policy=_policy(script),
        run=run,
        summary=summary,
        command=overview.command(run),
        ran=overview.ran(run),
        bar=overview.bar(
            [(view.finding, f"#{view.anchor}") for view in findings],
            lost := loss(run, summary, analysis.ranks),
            summary.inherent,
        ),
        run_time=overview.run_time(summary, lost),
        per_rank=lost.ranks if lost is not None else 1,
        together=every_process(run).capitalize() if len(run.processes) > 1 else "",
        ranks=overview.ranks_view(analysis),
        headline=headline(run, summary, found.findings, analysis.ranks),
        cold=cold,
        crash=_crash(summary.crash, findings, labels),
        graphs=[
            *filter(None, (graph_totals(run, summary),)),
            *engine_lines(run),
            *background_lines(run),
        ],
        limitations=analysis.limitations,
        findings=findings[:MAX_ROWS],
        findings_number=len(findings),
        silenced=advice.silenced(found),
        nothing_found=advice.nothing_found(run, is_cold=bool(cold)),
        labels=labels,
        several=len(run.processes) > 1,
        processes=[
            _process(process, label, tlparse)
            for process, label in zip(run.processes, labels, strict=True)
        ],
        captures=views,
        groups=capture_groups(views, found.findings),
        pictures=bool(graphs.graph),
        timeline=time is not None,
        in_background=any(any(background_spans(process)) for process in run.processes),
        timeline_cut=_timeline_cut(time.left_out) if time is not None else "",
        sources=files,
        source_anchors={
            (file.path, line.number): f"source-{number}-{line.number}"
            for number, file in enumerate(files)
            for line in file.lines
            if line.notes
        },
        recompiled=run.recompiled_captures[:MAX_ROWS],
        forward=run.forward_recompiles[:MAX_ROWS],
        breaks=breaks[:MAX_ROWS],
        breaks_number=len(breaks),
        warmth=caches_view(analysis.start or examine(run, [], analysis.files)),
        sizes=sizes_view(analysis),
        bill=bill[:MAX_ROWS],
        bill_number=len(bill),
        about_caches=list(about_caches(whole_bill)),
        dimensions=dynamic.worth_a_row(
            distinct_dimensions(analysis.dynamic_dimensions, analysis.ranks)
        ),
        limits=analysis.limits[:MAX_ROWS],
        damage=run.damage[:MAX_ROWS],
        rows=MAX_ROWS,
        most=MAX_LISTED,
        tlparse=tlparse.compiles,
        code_css=Markup(_code_css()),
        css=Markup(css),
        script=Markup(script),
        data=Markup(_data(views, graphs, time is not None)),
        blocks=blocks,
        phases=[(phase, PHASE_WORDS[phase]) for phase in OF_BILL],
        break_label=_break_label,
        editor=analysis.editor,
    )  # fmt: skip


def _environment(analysis: Analysis, cwd: str | None) -> jinja2.Environment:
    made = environment()

    def place(frame: Frame) -> str:
        return shown_place(frame, cwd)

    made.filters["place"] = place
    made.filters["address"] = _address
    made.filters["seconds"] = duration
    made.filters["value"] = shown_value
    made.filters["when"] = overview.when
    made.filters["number"] = numbers.plain
    made.filters["known"] = numbers.known
    made.filters["noun"] = numbers.agreeing_noun
    made.filters["microseconds"] = numbers.microseconds
    made.filters["lowering"] = lowering_words
    made.filters["called"] = advice.when
    made.filters["heading"] = advice.heading
    made.filters["fix_label"] = advice.fix_label
    made.filters["effects"] = advice.effects
    made.filters["in_full"] = in_full
    made.filters["process_end"] = overview.process_end
    made.filters["reason"] = analysis.guard_that_failed
    made.filters["when_and_pace"] = when_and_pace
    made.filters["argument"] = dynamic.argument
    made.filters["sizes"] = dynamic.sizes
    made.filters["dynamic_since"] = dynamic.became
    made.filters["respecialised"] = dynamic.respecialised
    made.filters["make_dynamic"] = dynamic.advice
    made.bytecode_cache = TemplateCache(made)
    return made


def _policy(script: str) -> str:
    """Nothing is loaded, nothing is sent, and no script runs but ours, told by its hash."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _address(frame: Frame) -> str:
    """Return the whole path and the line, to be pasted."""
    return at_line(frame.file, frame.line)


def _data(views: Sequence[CaptureView], graphs: Pictures, has_time: bool) -> str:
    """Write what the script has to know, as JSON in which no ``<`` can end its element."""
    entries = []
    for view in views:
        key = (view.capture.process, view.capture.id)
        entries.append(
            {
                "key": f"{key[0]}/{key[1]}",
                "graph": graphs.graph.get(key),
                "difference": graphs.difference.get(key),
                "closest": f"!{closest(view.capture)}",
            }
        )
    data = {"captures": entries, "timeline": "block-timeline" if has_time else None}
    return orjson.dumps(data).decode().replace("<", "\\u003c")


def _patches(analysis: Analysis) -> dict[int, str]:
    """Return the patches of the findings, as far as the source of what ran is known."""
    if not analysis.diagnosis.findings or not (analysis.run.source_roots or analysis.run.source):
        return {}
    # Here, because it imports a parser.
    from ca_reports.patching import in_report

    return in_report.diffs(analysis, analysis.diagnosis.findings[:MAX_ROWS])


def _findings(
    analysis: Analysis, graphs: Pictures, patches: Mapping[int, str]
) -> list[_FindingView]:
    run, files, diagnosis = analysis.run, analysis.files, analysis.diagnosis
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
                links.append((f"capture {capture.label}{process}", anchor(capture)))
            if len(here) > _LINKS:
                links.append((and_more(len(here) - _LINKS), "#captures"))
        elif finding.compile_ids:
            links.append((f"compile {', '.join(finding.compile_ids[:3])}", "#log"))
        place = finding.location
        # Of more findings than are shown none needs one.
        lines = excerpt_lines(place, files) if place is not None and number < MAX_ROWS else ()
        lost = advice.seconds(finding, run)
        each = " on each rank" if advice.is_per_rank(finding, run) else ""
        patch = patches.get(id(finding), "")
        views.append(_FindingView(finding, f"finding-{number}", links, lost, each, lines, patch))
    return views


def _crash(
    failure: Failure | None, findings: Sequence[_FindingView], labels: Sequence[str]
) -> _CrashView | None:
    """Return what stands first on the page of a run that an exception out of a compile ended."""
    if failure is None:
        return None
    about = next(
        (
            view
            for view in findings
            if any(event.key == failure.key for event in view.finding.events)
        ),
        None,
    )
    return _CrashView(failure, labels[failure.process] if len(labels) > 1 else "", about)


def _found_in(
    findings: Sequence[_FindingView],
) -> Callable[[Capture], list[tuple[Finding, Link]]]:
    """Return the findings that name a capture, with a link to each."""

    def found_in(capture: Capture) -> list[tuple[Finding, Link]]:
        return [
            (view.finding, (f"{view.finding.code} {view.finding.name}", f"#{view.anchor}"))
            for view in findings
            if capture.label in view.finding.captures
            and (not view.finding.processes or capture.process in view.finding.processes)
        ]

    return found_in


def _pointers(findings: Sequence[_FindingView], captures: Sequence[CaptureView]) -> list[Pointer]:
    """Return the line to change of each finding, and where backwards were captured again.

    A line has one pointer for each finding whose captures began there, with their number.
    """
    pointers = [
        Pointer(finding.location, f"{finding.code} {finding.message}", f"#{view.anchor}", True)
        for view in findings
        if (finding := view.finding).location is not None
    ]
    called: dict[tuple[str, int, str], list[CaptureView]] = {}
    for view in captures:
        call = view.capture.backward_call
        if call is not None and view.capture.is_recapture:
            target = view.findings[0][1] if view.findings else ""
            called.setdefault((call.file, call.line, target), []).append(view)
    for (_, _, target), views in called.items():
        call = views[0].capture.backward_call
        assert call is not None
        times = counted(len(views), "recapture")
        if views[0].finding is not None:
            pointers.append(Pointer(call, f"{times}: {views[0].findings[0][0]}", target))
        elif len(views) > 1:
            pointers.append(Pointer(call, times, "#captures"))
        else:
            label = f"capture {views[0].capture.label}: {views[0].changed}"
            pointers.append(Pointer(call, label, f"#{views[0].anchor}"))
    return pointers


def _code_css() -> str:
    light: str = HtmlFormatter(style=_LIGHT, cssclass="code").get_style_defs(".code")  # type: ignore[no-untyped-call]
    dark: str = HtmlFormatter(style=_DARK, cssclass="code").get_style_defs(".code")  # type: ignore[no-untyped-call]
    # Only colours of tokens: the paper is the page's.
    tokens = [
        "\n".join(line for line in css.splitlines() if line.startswith(".code ."))
        for css in (light, dark)
    ]
    return (
        f"{tokens[0]}\n@media screen and (prefers-color-scheme: dark) {{\n"
        f':root:not([data-theme="light"]) {{\n{tokens[1]}\n}}\n}}\n'
        f'@media screen {{\n:root[data-theme="dark"] {{\n{tokens[1]}\n}}\n}}'
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


def _timeline_cut(left_out: int) -> str:
    if not left_out:
        return ""
    return (
        f"Too many backwards to hold: {counted(left_out, 'hit')} left out, evenly; "
        "every miss is there."
    )


def _break_label(found: GraphBreak) -> str:
    return shown_place(found.location) if found.location is not None else "unknown place"


def _title(run: Run) -> str:
    for recorded in run.recorded:
        if recorded.script:
            script = PurePath(recorded.script)
            # A launcher's own path says less than its name.
            name = script.name if script.is_absolute() else recorded.script
            return " ".join((name, *_launched(run, name)))
    return ", ".join(run.paths[:3]) or "no log"


def _launched(run: Run, launcher: str) -> list[str]:
    """Return the scripts that the recorded processes ran, where ``launcher`` is none of them.

    ``-m package.train`` runs ``package/train.py``, or the ``__main__.py`` of a package.
    """
    is_module = launcher.startswith("-m ")
    last = PurePath(launcher.removeprefix("-m ")).name
    last = last.rpartition(".")[2] if is_module else last
    scripts = [PurePath(one.argv[0]) for one in run.processes if one.argv and one.argv[0]]
    if any(one.name == last or (is_module and one.stem in {last, "__main__"}) for one in scripts):
        return []
    return list(dict.fromkeys(one.name for one in scripts if one.suffix == ".py"))
