"""Prepares what the page shows of each capture, beyond what its template can work out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_engine.source_redaction import redact_source
from ca_reports.facts.graphs.counts import node_counts
from ca_reports.output import guardtree
from ca_reports.output.sidebyside import side_by_side
from ca_reports.sentences.captures import in_short, why_another_node
from ca_reports.sentences.phases import in_order
from ca_reports.words.numbers import duration
from ca_reports.words.values import first_few, in_words, short_name, shown_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.output.guardtree import GuardTree
    from ca_reports.output.pictures import Pictures
    from ca_reports.output.sidebyside import SideBySide
    from ca_reports.run.model import Capture, Change, Compile, GraphBreak

    Link = tuple[str, str]
    # ``schema.AutogradNode``.
    Nodes = Sequence[Mapping[str, Any]]

# What one capture may list of changes, of sizes, of parameters.
MAX_LISTED = 100
# Characters of captured graphs' code that the page lists whole; a real model's is in the
# megabytes, and the graph view has it node by node.
MAX_CODE = 300_000
# Captures whose nodes are shown beside those of their closest one, whose guards and parameters
# are listed: a page of five hundred would be mostly that.
MAX_DETAILED = 60
_TOP_COUNTS = 10
_NAMED = 3
_AGAIN, _FIRST = "Recaptures without a finding", "First captures"


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Nodes of one name in which the same changed: ``nodes`` says which, in a few words."""

    name: str
    nodes: str
    attribute: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class CompileView:
    """A compile of a captured graph, with its guards where the log has them."""

    compiled: Compile
    phases: str
    guards: GuardTree | None
    breaks: tuple[GraphBreak, ...]


@dataclass(frozen=True, slots=True)
class CaptureView:
    """A capture with what the template cannot work out."""

    capture: Capture
    anchor: str
    process: str
    changed: str
    another_node: str | None
    finding: Finding | None
    findings: list[Link]
    changes: list[ChangeGroup]
    beside: SideBySide | None
    compiles: list[CompileView]
    phases: str
    modes: str
    parameters: list[tuple[str, str, str]]
    parameters_number: int
    counts: list[tuple[str, int]]
    nodes: int | None
    graph: bool
    difference: bool
    graph_left_out: bool
    code: str | None
    before: str | None
    after: str | None
    closest_anchor: str | None

    @property
    def closest(self) -> str:
        """Return the closest earlier capture, or why there is none."""
        capture = self.capture
        if capture.closest_capture is not None:
            return f"!{capture.closest_capture}"
        if not capture.is_recapture:
            return "none: it is the first"
        return "unknown: only `ca run` records which one it is"


def capture_views(
    analysis: Analysis,
    captures: Sequence[Capture],
    labels: Sequence[str],
    graphs: Pictures,
    found_in: Callable[[Capture], list[tuple[Finding, Link]]],
) -> list[CaptureView]:
    """Return a view per capture; ``found_in`` gives findings that name it, with links."""
    run = analysis.run
    compiles: dict[tuple[int, int], list[Compile]] = {}
    for compiled in run.compiles:
        if compiled.capture is not None:
            compiles.setdefault((compiled.process, compiled.capture), []).append(compiled)
    breaks: dict[tuple[int, str], list[GraphBreak]] = {}
    for found in run.graph_breaks:
        if found.compile_id is not None:
            breaks.setdefault((found.process, found.compile_id), []).append(found)
    by_key = {(capture.process, capture.id): capture for capture in captures}
    views = []
    room = MAX_CODE
    for place, capture in enumerate(captures):
        key = (capture.process, capture.id)
        text = capture.graph.text if capture.graph is not None else None
        counts: Mapping[str, int] = node_counts(text) if text else {}
        detailed = place < MAX_DETAILED
        own = [
            CompileView(
                compiled,
                phases([compiled]),
                guardtree.parse(compiled.guards.text) if compiled.guards and detailed else None,
                tuple(breaks.get((compiled.process, compiled.compile_id), ())),
            )
            for compiled in compiles.get(key, [])
        ]
        autograd = analysis.nodes(capture)
        parameters = _parameters(autograd)
        closest = by_key.get((capture.process, _none_as(capture.closest_capture)))
        other: Nodes = ()
        if detailed and autograd and closest is not None:
            other = analysis.nodes(closest)
        code = redact_source(text) if text is not None and len(text) <= room else None
        room -= len(code or "")
        by = found_in(capture)
        views.append(
            CaptureView(
                capture=capture,
                anchor=anchor(capture)[1:],
                process=labels[capture.process],
                changed=in_short(capture),
                another_node=why_another_node(capture),
                finding=by[0][0] if by else None,
                findings=[link for _, link in by],
                changes=_changes(capture, autograd),
                beside=_beside(other, autograd) if detailed else None,
                compiles=own,
                phases=phases(
                    [view.compiled for view in own if not view.compiled.has_failed_guards]
                ),
                modes=_modes(capture.modes),
                parameters=parameters[:MAX_LISTED] if detailed else [],
                parameters_number=len(parameters),
                counts=sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_TOP_COUNTS],
                nodes=capture.fx_nodes.get("total") or (sum(counts.values()) or None),
                graph=key in graphs.graph,
                difference=key in graphs.difference,
                graph_left_out=key in graphs.left_out,
                code=code,
                before=anchor(captures[place - 1]) if place else None,
                after=anchor(captures[place + 1]) if place + 1 < len(captures) else None,
                closest_anchor=anchor(closest) if closest is not None else None,
            )
        )
    return views


@dataclass(frozen=True, slots=True)
class CaptureGroup:
    """The captures of one finding; ``title`` and ``target`` (``""``: none) lead to it."""

    title: str
    target: str
    views: tuple[CaptureView, ...]
    seconds: str


def capture_groups(views: Sequence[CaptureView], findings: Sequence[Finding]) -> list[CaptureGroup]:
    """Return captures by their finding, in the order of ``findings``; those of none come last."""
    order = {f"{found.code} {found.message}": place for place, found in enumerate(findings)}
    groups: dict[tuple[str, str], list[CaptureView]] = {}
    for view in views:
        if view.finding is not None:
            key = f"{view.finding.code} {view.finding.message}", view.findings[0][1]
        else:
            key = (_AGAIN if view.capture.is_recapture else _FIRST), ""
        groups.setdefault(key, []).append(view)
    last = {_AGAIN: len(order), _FIRST: len(order) + 1}
    return [
        CaptureGroup(title, target, tuple(found), _seconds(found))
        for (title, target), found in sorted(
            groups.items(), key=lambda item: {**order, **last}[item[0][0]]
        )
    ]


def _seconds(views: Iterable[CaptureView]) -> str:
    found = [view.capture.seconds.total for view in views]
    return duration(None if None in found else sum(filter(None, found)))


def anchor(capture: Capture) -> str:
    """Return the address of a capture within the page."""
    return f"#capture-{capture.process}-{capture.id}"


def phases(compiles: Iterable[Compile]) -> str:
    """Return ``Dynamo 0.59 s, AOT 0.31 s``; empty if the log does not tell."""
    spent = Counter[str]()
    for compiled in compiles:
        spent.update(compiled.phases)
    return in_order(spent)


def _beside(other: Nodes, autograd: Nodes) -> SideBySide | None:
    if not other:
        return None
    found = side_by_side(other, autograd)
    return found if found.rows else None


def _changes(capture: Capture, autograd: Nodes) -> list[ChangeGroup]:
    """List what the recorder saw change, what changed alike in several nodes once."""
    parameters = {node.get("index"): node.get("parameter") for node in autograd}
    groups: dict[tuple[str, str, str, str], list[Change]] = {}
    for change in capture.changes:
        written = shown_value(change.before), shown_value(change.after)
        key = (short_name(change.name), change.attribute, *written)
        groups.setdefault(key, []).append(change)
    found = []
    for (name, attribute, before, after), changes in groups.items():
        nodes = [_node(change, parameters) for change in changes if change.index is not None]
        told = first_few(nodes, _NAMED)
        times = f"{len(changes)} × " if len(changes) > 1 else ""
        found.append(ChangeGroup(f"{times}{name}", told, attribute, before, after))
    return found[:MAX_LISTED]


def _node(change: Change, parameters: Mapping[Any, Any]) -> str:
    parameter = parameters.get(change.index)
    return parameter if isinstance(parameter, str) and parameter else f"NodeCall {change.index}"


def _parameters(autograd: Nodes) -> list[tuple[str, str, str]]:
    found = []
    for node in autograd:
        name = node.get("parameter")
        if isinstance(name, str) and name:
            defined = node.get("grad_defined")
            words = {True: "defined", False: "None"}
            grad = words.get(defined, "unknown") if isinstance(defined, bool) else "unknown"
            found.append((name, shown_value(node.get("shape")), grad))
    return found


def _modes(modes: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{in_words(name)}: {shown_value(found)}"
        for name, found in modes.items()
        if found not in ({}, [])
    )


def _none_as(id: int | None) -> int:
    return -1 if id is None else id
