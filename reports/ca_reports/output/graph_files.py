"""A folded graph as a file: Graphviz's DOT, SVG of our own layout, JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from ca_reports.facts.graphs.layout import NODE_HEIGHT
from ca_reports.words.clean import clean, json_text, shorten

if TYPE_CHECKING:
    from ca_reports.facts.graphs.document import DrawnNode, Picture
    from ca_reports.facts.graphs.view import GraphView

_MARGIN = 20
_ROLE_COLOURS = {
    "autograd": "#dbe8f7", "aot": "#dff1df", "accumulate": "#f7ecc9", "hook": "#f7d9e4",
    "call": "#e8e3f4", "operator": "#ececec", "output": "#ececec",
}  # fmt: skip
_STATUS_COLOURS = {"changed": "#ffe08a", "added": "#b4e6b9", "removed": "#f6c1bd"}
_CHARACTER = 7.3

# By this a later run knows what it may overwrite.
GENERATOR = "ca graph"


def dot(view: GraphView) -> str:
    """Graphviz's language; node names are numbers, so that no label can end a string."""
    picture = view.picture
    lines = [
        f"digraph {_quoted(view.title)} {{  // {GENERATOR}",
        '  node [shape=box, style="rounded,filled"];',
    ]
    for index, drawn in enumerate(picture.nodes):
        tooltip = "\n".join(drawn.code)
        lines.append(
            f"  n{index} [label={_quoted(drawn.node.label)}, fillcolor={_quoted(_colour(drawn))}, "
            f"tooltip={_quoted(tooltip)}];"
        )
    for index, drawn in enumerate(picture.nodes):
        lines += [f"  n{source} -> n{index};" for source in drawn.inputs]
        lines += [f"  n{source} -> n{index} [style=dotted];" for source in drawn.hidden]
    return "\n".join([*lines, "}"]) + "\n"


def svg(view: GraphView) -> str:
    """Return the picture of the page: the same places, without script and without style sheet."""
    picture = view.picture
    layout = picture.layout
    width = layout.size[0] + 2 * _MARGIN
    height = layout.size[1] + 2 * _MARGIN
    parts = [
        f'<svg data-generator="{GENERATOR}" xmlns="http://www.w3.org/2000/svg" '
        f'width="{width:g}" height="{height:g}" '
        f'viewBox="{-_MARGIN} {-_MARGIN} {width:g} {height:g}" '
        'font-family="ui-monospace, monospace" font-size="12">',
        f"<title>{_xml(view.title)}</title>",
        f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="{width:g}" height="{height:g}" fill="#fff"/>',
        '<g fill="none" stroke="#9aa5b1">',
    ]
    for index, drawn in enumerate(picture.nodes):
        parts += [f'<path d="{_path(picture, source, index)}"/>' for source in drawn.inputs]
    parts.append("</g>")
    for index, drawn in enumerate(picture.nodes):
        x, y, wide = layout.x[index], layout.y[index], layout.width[index]
        room = int((wide - 16) / _CHARACTER)
        label = drawn.node.label
        shown = shorten(label, max(2, room)) if len(label) > room + 1 else label
        origin = drawn.node.origin
        about = f"{label}\n{origin.name} (NodeCall {origin.index})" if origin else label
        dash = ' stroke-dasharray="4 3"' if drawn.status == "removed" else ""
        parts.append(
            f'<g><title>{_xml(about)}</title><rect x="{x - wide / 2:g}" '
            f'y="{y - NODE_HEIGHT / 2:g}" width="{wide:g}" height="{NODE_HEIGHT}" rx="5" '
            f'fill="{_colour(drawn)}" stroke="#59636e"{dash}/>'
            f'<text x="{x - wide / 2 + 10:g}" y="{y + 4:g}">{_xml(shown)}</text></g>'
        )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def json(view: GraphView) -> str:
    """Draw nodes at their places; ``inputs`` and ``hidden`` are positions in ``nodes``."""
    picture = view.picture
    nodes = []
    for index, drawn in enumerate(picture.nodes):
        node = drawn.node
        nodes.append(
            {
                "label": node.label,
                "role": node.role,
                "status": drawn.status,
                "origin": {"index": node.origin.index, "name": node.origin.name}
                if node.origin
                else None,
                "group": node.group or None,
                "parameter": node.parameter or None,
                "shapes": list(node.shapes),
                "inputs": list(drawn.inputs),
                "hidden": list(drawn.hidden),
                "reads": list(node.reads),
                "location": {
                    "file": node.place.file,
                    "line": node.place.line,
                    "function": node.place.function,
                    "code": node.place.code,
                }
                if node.place
                else None,
                "code": list(drawn.code),
                "code_before": list(drawn.before),
                "values": [[value.before, value.after] for value in drawn.values],
                "is_cause": drawn.is_cause,
                "x": picture.layout.x[index],
                "y": picture.layout.y[index],
                "width": picture.layout.width[index],
            }
        )
    document = {
        "schema_version": 1,
        "generator": GENERATOR,
        "title": view.title,
        "fx_nodes": picture.fx_nodes,
        "unread": picture.unread,
        "counts": picture.counts(),
        "nodes": nodes,
    }
    return json_text(document)


def _path(picture: Picture, source: int, index: int) -> str:
    layout = picture.layout
    x, y = layout.x[source], layout.y[source] + NODE_HEIGHT / 2
    points = [
        *layout.bends.get((source, index), ()),
        (layout.x[index], layout.y[index] - NODE_HEIGHT / 2),
    ]
    path = [f"M{x:g} {y:g}"]
    for to_x, to_y in points:
        if to_x == x:
            path.append(f"L{to_x:g} {to_y:g}")
        else:
            middle = (y + to_y) / 2
            path.append(f"C{x:g} {middle:g} {to_x:g} {middle:g} {to_x:g} {to_y:g}")
        x, y = to_x, to_y
    return "".join(path)


def _colour(drawn: DrawnNode) -> str:
    return _STATUS_COLOURS.get(drawn.status) or _ROLE_COLOURS[drawn.node.role]


def _quoted(text: str) -> str:
    escaped = clean(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\l")
    return f'"{escaped}"'


def _xml(text: str) -> str:
    return escape(clean(text))
