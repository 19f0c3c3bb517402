"""Captured graphs: read, folded, laid out, compared, packed and written, without I/O."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import random
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from ca_reports.graphs.document import Read, difference, picture
from ca_reports.graphs.fold import HUB
from ca_reports.graphs.folded import FoldedNode
from ca_reports.graphs.layout import NODE_GAP, lay_out, layers
from ca_reports.graphs.parse import parse
from ca_reports.graphs.view import GraphView
from ca_reports.model import Frame
from ca_reports.render import graph_files, graph_text, pack

PLACE = "/venv/torch/_dynamo/compiled_autograd.py:1582 in set_node_origin"
CHECK = (
    "torch__dynamo_compiled_autograd_ops_validate_outputs([{0}], "
    "[((None, None, device(type='cpu'), 6, 0, None), [{1}], False, 6)])"
)
GRAPH = f"""\
class CompiledAutograd1(torch.nn.Module):
    def forward(self, inputs, sizes, scalars, hooks, packed_data):
        # File: {PLACE}, code: torch::autograd::GraphRoot (NodeCall 0)
        getitem = inputs[0]
        getitem_1 = inputs[1];  inputs = None
        getitem_2 = sizes[0];  sizes = None
        unwrap_maybe_dynamic_int = torch__dynamo_external_utils_unwrap_maybe_dynamic_int(getitem_2)

        # File: {PLACE}, code: PowBackward0 (NodeCall 1)
        pow_backward0 = torch__dynamo_compiled_autograd_ops_PowBackward0([getitem], [True], 2)
        getitem_3 = pow_backward0[0];  pow_backward0 = None
        validate_outputs = {CHECK.format("getitem_3", "unwrap_maybe_dynamic_int, 8")};  getitem_3 = None
        getitem_4 = validate_outputs[0];  validate_outputs = None

        # File: {PLACE}, code: torch::autograd::AccumulateGrad (NodeCall 2)
        call_accumulate_grad = torch__dynamo_external_utils_call_accumulate_grad(getitem_1, None, getitem_4, False)
        return []
"""  # noqa: E501
AUTOGRAD: list[dict[str, Any]] = [
    {"index": 1, "name": "PowBackward0"},
    {"index": 2, "name": "torch::autograd::AccumulateGrad", "parameter": "body.0.weight"},
]
AOT = """\
class CompiledAutograd0(torch.nn.Module):
    def forward(self, inputs, sizes, scalars, hooks, packed_data):
        # File: /x.py:1 in set_node_origin, code: CompiledFunctionBackward (NodeCall 5)
        getitem = inputs[0]
        prologue = torch__dynamo_external_utils_call_aot_bwd_prologue((getitem,), [])
        aot3_tangents_1 = prologue[0]
{items}
        # File: /home/user/model.py:72 in forward, code: return self.head(self.norm(x))
        aot3_mm = torch.ops.aten.mm.default(aot3_tangents_1, aot3_tangents_1)
{users}
        # File: /x.py:1 in set_node_origin, code: torch::autograd::AccumulateGrad (NodeCall 6)
        call_accumulate_grad = torch__dynamo_external_utils_call_accumulate_grad(getitem, None, aot3_mm, False)
        # File: /home/user/model.py:70 in forward, code: x = self.tokens(tokens)
        aot3_last = torch.ops.aten.add.Tensor(aot3_mm, aot3_mm)
        return []
"""  # noqa: E501


# ---- reading


def test_each_statement_is_a_node_with_its_origin() -> None:
    graph = parse(GRAPH)
    by_name = {node.name: node for node in graph.nodes}
    assert graph.unread == 0
    power = by_name["pow_backward0"]
    assert (power.kind, power.target) == ("call", "PowBackward0")
    assert power.origin is not None
    assert (power.origin.index, power.origin.name) == (1, "PowBackward0")
    assert [graph.nodes[index].name for index in power.inputs] == ["getitem"]
    assert power.text.endswith("[True], 2)")  # what is freed after it is no part of it
    assert GRAPH.splitlines()[power.line - 1].strip().startswith("pow_backward0 = ")
    assert by_name["getitem_4"].kind == "getitem"


def test_an_aot_region_keeps_its_forward_lines_and_its_node() -> None:
    graph = parse(AOT.format(items="", users=""))
    by_name = {node.name: node for node in graph.nodes}
    for name, line in (("aot3_mm", 72), ("aot3_last", 70)):
        place, origin = by_name[name].place, by_name[name].origin
        assert place is not None
        assert (place.file, place.line) == ("/home/user/model.py", line)
        assert origin is not None
        assert origin.name == "CompiledFunctionBackward"
    accumulate = by_name["call_accumulate_grad"].origin
    assert accumulate is not None
    assert accumulate.index == 6


@pytest.mark.parametrize(
    ("line", "unread"),
    [
        ("        x = (((", 1),
        ("        x = __import__('os').system('true')", 0),
        ('        x: "f32[2]" = inputs[0]', 0),
        ("        x = '\\x00'", 0),
        ("        no statement at all", 1),
        ("        x = " + "(" * 5_000 + ")" * 5_000, 1),
    ],
)
def test_what_is_no_graph_is_counted_not_raised(line: str, unread: int) -> None:
    head, _, rest = GRAPH.partition("        # File")
    assert parse(f"{head}{line}\n        # File{rest}").unread == unread


@given(st.text(max_size=300))
@settings(max_examples=150, deadline=None)
def test_any_text_can_be_read_and_drawn(text: str) -> None:
    for code in (text, GRAPH.replace("PowBackward0", text), GRAPH + text):
        found = picture(Read.of(code, AUTOGRAD))
        view = GraphView(found, text)
        ElementTree.fromstring(graph_files.svg(view))
        graph_files.dot(view)
        json.loads(graph_files.json(view))
        for line in graph_text.lines(view):
            assert not re.search("[\x00-\x1f\x7f-\x9f]", line.plain)


# ---- folding


def test_plumbing_is_folded_into_what_it_serves() -> None:
    folded = Read.of(GRAPH, AUTOGRAD).folded
    power, accumulate = folded.nodes
    assert power.label == "PowBackward0"
    assert power.role == "autograd"
    assert power.shapes == ("float32[s, 8]",)
    assert power.reads == ("inputs[0]", "sizes[0]")
    assert len(power.members) == 4
    assert accumulate.label == accumulate.parameter == "body.0.weight"
    assert accumulate.role == "accumulate"
    assert accumulate.inputs == (0,)
    assert power.group == "body.0"
    assert folded.fx_nodes == 14


def test_a_hub_is_not_drawn_to_all_its_users_but_the_gradient_goes_in() -> None:
    number = HUB + 4
    items = "\n".join(f"        aot3_primals_{n} = prologue[{n}]" for n in range(1, number))
    users = "\n".join(
        f"        aot3_t_{n} = torch.ops.aten.t.default(aot3_primals_{n})" for n in range(1, number)
    )
    nodes = Read.of(AOT.format(items=items, users=users)).folded.nodes
    prologue = next(i for i, node in enumerate(nodes) if node.label == "call_aot_bwd_prologue")
    by_label = {node.label: node for node in nodes}
    assert by_label["mm"].inputs == (prologue,)
    assert by_label["t"].inputs == ()
    assert by_label["t"].hidden == (prologue,)
    assert by_label["t"].group == "aot3"


def test_a_noted_line_of_the_forward_is_its_nodes_place_and_no_difference() -> None:
    line = Frame("/home/user/model.py", 7, "forward", "y = x ** 2")
    noted = Read.of(GRAPH, AUTOGRAD, {1: line})
    assert noted.folded.nodes[0].place == line
    assert difference(Read.of(GRAPH, AUTOGRAD), noted).counts() == {"same": 2}


def folded_node(label: str, **more: Any) -> FoldedNode:
    """A node of a folded graph, as little of it as there can be."""
    found = {"role": "call", "head": 0, "members": (0,), "inputs": (), **more}
    return FoldedNode(label=label, **found)


# ---- layout


def random_graph(count: int, seed: int) -> list[list[int]]:
    chance = random.Random(seed)
    return [
        sorted({chance.randrange(node) for _ in range(chance.randrange(3))}) if node else []
        for node in range(count)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_nodes_lie_below_their_inputs_and_apart(seed: int) -> None:
    inputs = random_graph(120, seed)
    labels = ["x" * (1 + node % 30) for node in range(120)]
    layout = lay_out(labels, inputs)
    rows: dict[float, list[tuple[float, float]]] = {}
    for node, sources in enumerate(inputs):
        assert all(layout.y[source] < layout.y[node] for source in sources)
        rows.setdefault(layout.y[node], []).append((layout.x[node], layout.width[node]))
    for row in rows.values():
        row.sort()
        for (x, width), (next_x, next_width) in itertools.pairwise(row):
            assert next_x - x >= (width + next_width) / 2 + NODE_GAP - 0.2
    assert all(0 <= x <= layout.size[0] for x in layout.x)
    for (source, node), points in layout.bends.items():
        assert all(layout.y[source] < y < layout.y[node] for _, y in points)


def test_layers_are_the_longest_paths() -> None:
    assert layers([[], [0], [0], [1, 2], [0, 3]]) == [0, 1, 1, 2, 3]


def test_an_empty_graph_has_a_layout() -> None:
    assert lay_out([], []).size == (0.0, 0.0)


# ---- differences


def test_a_changed_constant_is_one_changed_node() -> None:
    after = GRAPH.replace("[getitem], [True], 2)", "[getitem], [True], 3)")
    found = difference(Read.of(GRAPH), Read.of(after))
    assert found.counts() == {"changed": 1, "same": 1}
    (changed,) = [node for node in found.nodes if node.status == "changed"]
    assert changed.node.label == "PowBackward0"
    assert changed.before[0].endswith("2)")
    assert changed.code[0].endswith("3)")


def test_names_that_count_on_are_no_difference() -> None:
    after = GRAPH
    for number in (4, 3, 2, 1):
        after = re.sub(rf"getitem_{number}\b", f"getitem_{number + 7}", after)
    assert difference(Read.of(GRAPH), Read.of(after)).counts() == {"same": 2}


def wired(source: str) -> str:
    """Two nodes, and a third that uses the result of ``source``."""
    lines = "".join(
        f"        # File: {PLACE}, code: {name}Backward0 (NodeCall {index})\n"
        f"        {name.lower()} = torch__dynamo_compiled_autograd_ops_{name}Backward0([{used}])\n"
        for index, (name, used) in enumerate([("Sin", "x"), ("Cos", "x"), ("Tan", source)])
    )
    head = "class A(torch.nn.Module):\n    def forward(self, inputs):\n        x = inputs[0]\n"
    return f"{head}{lines}        return []\n"


def values_of(before: str, after: str) -> dict[str, tuple[list[str], bool]]:
    """What differs in each node that changed, and whether it is a cause."""
    found = difference(Read.of(before, AUTOGRAD), Read.of(after, AUTOGRAD))
    return {
        node.node.label: ([str(value) for value in node.values], node.is_cause)
        for node in found.nodes
        if node.status == "changed"
    }


def test_a_value_that_changed_is_told_before_and_after() -> None:
    larger = GRAPH.replace("[getitem], [True], 2)", "[getitem], [True], 2.5)")
    assert values_of(GRAPH, larger) == {"PowBackward0": (["2 → 2.5"], True)}
    held = GRAPH.replace("(getitem_1, None,", "(getitem_1, getitem_9,").replace(
        "        getitem_2 = ", "        getitem_9 = inputs[9]\n        getitem_2 = "
    )
    assert values_of(GRAPH, held) == {"body.0.weight": (["None → tensor"], True)}


def test_a_size_follows_from_a_shape_before_it() -> None:
    def graph(rows: int, power: int) -> str:
        head, _, rest = GRAPH.replace("unwrap_maybe_dynamic_int, 8", f"{rows}, 8").partition(
            "        # File: " + PLACE + ", code: torch::autograd::AccumulateGrad"
        )
        more = (
            f"        # File: {PLACE}, code: ViewBackward0 (NodeCall 3)\n"
            "        view = torch__dynamo_compiled_autograd_ops_ViewBackward0("
            f"[getitem_4], [{rows * 4}, 8], {power})\n"
        )
        return f"{head}{more}        # File: {PLACE}, code: AccumulateGrad{rest}"

    assert values_of(graph(4, 2), graph(3, 2)) == {
        "PowBackward0": (["4 → 3"], True),
        "ViewBackward0": (["16 → 12"], False),
    }
    # Another value in it is a cause of its own.
    assert values_of(graph(4, 2), graph(3, 9))["ViewBackward0"] == (["16 → 12", "2 → 9"], True)


def test_a_node_that_only_moved_in_the_source_is_the_same() -> None:
    moved = AOT.replace(":7 in", ":70 in")
    filled = [text.format(items="", users="") for text in (AOT, moved)]
    assert set(difference(*map(Read.of, filled)).counts()) == {"same"}


def test_nodes_that_came_and_went() -> None:
    extra = (
        f"        # File: {PLACE}, code: SinBackward0 (NodeCall 9)\n"
        "        sin = torch__dynamo_compiled_autograd_ops_SinBackward0([getitem], [True])\n"
    )
    head, mark, rest = GRAPH.partition("        return")
    longer = f"{head}{extra}{mark}{rest}"
    added = difference(Read.of(GRAPH), Read.of(longer))
    assert [node.node.label for node in added.nodes if node.status == "added"] == ["SinBackward0"]
    removed = difference(Read.of(longer), Read.of(GRAPH))
    assert removed.counts() == {"same": 2, "removed": 1}


# ---- packing, and what web/src/unpack.ts does with it


def unpack(lines: list[str]) -> list[list[Any]]:
    """The inverse of ``renumbered``, written down independently of it."""
    last: dict[tuple[bool, str], int] = {}

    def number(found: re.Match[str]) -> str:
        before, name, step = found.groups()
        key = (before is not None, name)
        last[key] = last.get(key, 0) + int(step)
        return f"{before or ''}{name}{last[key]}"

    text = re.sub(
        r'(?:(\\n|")|\b|(?=\())([A-Za-z_]\w*?_|inputs\[|sizes\[|\(NodeCall )¦([+-]\d+)',
        number,
        "\n".join(lines),
        flags=re.ASCII,
    )
    return [json.loads(line) for line in text.split("\n")]


def test_packed_rows_come_back() -> None:
    found = picture(Read.of(GRAPH, AUTOGRAD))
    rows = unpack(pack.PictureLines()(found))
    assert [row[0] for row in rows] == [node.node.label for node in found.nodes]
    assert [row[15] for row in rows] == ["\n".join(node.code) for node in found.nodes]
    assert rows[0][5] == "PowBackward0 (NodeCall 1)"
    assert rows[1][12] == [1]


@given(st.lists(st.sampled_from(["[1]", "[2]", "[3]", "[4]"]), max_size=30), st.data())
def test_a_delta_gives_back_its_lines(base: list[str], data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.sampled_from([*base, "[5]"]) if base else st.just("[5]")))
    back: list[str] = []
    for part in pack.delta(lines, pack.Base(base)):
        if part.startswith("="):
            start, count = map(int, part[1:].split())
            back += base[start : start + count]
        else:
            back.append(part)
    assert back == lines


def test_a_block_is_base64_of_gzip_of_lines() -> None:
    packed = pack.block({"base": None}, ['["</script>"]'])
    assert re.fullmatch("[A-Za-z0-9+/=]+", packed)
    text = gzip.decompress(base64.b64decode(packed)).decode()
    assert text == '{"base":null}\n["</script>"]'
    assert packed == pack.block({"base": None}, ['["</script>"]'])


# ---- files and terminal


def test_the_svg_is_the_layout_of_the_page() -> None:
    found = picture(Read.of(GRAPH, AUTOGRAD))
    root = ElementTree.fromstring(graph_files.svg(GraphView(found, "capture !1")))
    boxes = root.findall(".//{*}g/{*}g/{*}rect") or root.findall(".//{*}g/{*}rect")
    middles = [float(box.attrib["x"]) + float(box.attrib["width"]) / 2 for box in boxes]
    assert middles == pytest.approx(found.layout.x, abs=0.2)
    assert "script" not in {element.tag.rpartition("}")[2] for element in root.iter()}


def test_dot_quotes_what_a_log_says() -> None:
    code = GRAPH.replace("PowBackward0 (NodeCall", 'Evil"];} (NodeCall')
    text = graph_files.dot(GraphView(picture(Read.of(code)), 'a"b\\'))
    assert text.startswith('digraph "a\\"b\\\\" {  // ca graph\n')
    assert text.count("n0 -> n1;") == 1


def test_the_terminal_shows_what_differs_and_where() -> None:
    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    after = GRAPH.replace("[getitem], [True], 2)", "[getitem], [True], 3)")
    found = difference(Read.of(GRAPH, AUTOGRAD), Read.of(after, AUTOGRAD))
    graph_text.render(GraphView(found, "!0 → !1", is_difference=True), console)
    text = console.export_text()
    assert "!0 → !1: 1 changed, 0 added, 0 removed, 1 the same" in text
    assert "body.0" in text
    assert re.search(r"^ +2 → 3$", text, re.M)
    assert "getitem" not in text


def test_a_terminal_says_where_only_the_wiring_differs() -> None:
    found = difference(Read.of(wired("sin")), Read.of(wired("cos")))
    assert found.counts() == {"same": 2, "changed": 1}
    lines = [
        line.plain for line in graph_text.lines(GraphView(found, "!0 → !1", is_difference=True))
    ]
    assert "        wired to other nodes" in lines
    assert not any("TanBackward0(" in line for line in lines)
