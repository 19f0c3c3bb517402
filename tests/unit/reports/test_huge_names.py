"""Names of a megabyte in a log: the page stays small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html, json
from tests.unit.logwriter import START, LogWriter, frame

if TYPE_CHECKING:
    from pathlib import Path

LONG = 1_000_000
MOST = 5_000_000
# Each by itself, too: of a file with a long name, say, no line is the user's own.
PLACES = ("file", "function", "module", "node", "guard", "graph", "all")


def with_long(long: str) -> LogWriter:
    """Two captures, a recompile and a break, whose names of one kind, or of all, are long."""

    def called(place: str) -> str:
        return f"{place}_{'n' * LONG}" if long in (place, "all") else place

    file = f"/home/user/{called('file')}.py"
    at = frame(file, 11, called("function"), called("code"))
    graph = (
        "class CompiledAutograd0(torch.nn.Module):\n"
        "    def forward(self, inputs, sizes, scalars, hooks, packed_data):\n"
        f"        # code: {called('node')} (NodeCall 1)\n"
        "        getitem = inputs[0]\n"
        f"        {called('graph')} = torch.{called('graph')}([getitem], [True], [10])\n"
        "        return []\n"
    )
    log = LogWriter()
    log.ca_run(
        argv=[file], cwd=f"/home/{called('module')}", host=called("module"),
        versions={"torch": "2.13.0", called("version"): called("version")},
    )  # fmt: skip
    nodes: list[dict[str, Any]] = [
        {"index": 1, "name": called("node"), "parameter": called("parameter")},
        {"index": 2, "name": called("node"), "module": called("module")},
    ]
    log.ca_capture(0, stack=[at], autograd_graph=nodes)
    log.torch_capture(0, code=graph)
    log.compiled("!0/1/0", 2.0)
    change = {
        "index": 1, "name": called("node"), "attribute": called("parameter"),
        "before": called("parameter"), "after": called("module"),
    }  # fmt: skip
    log.ca_capture(
        1, "new_autograd_node", stack=[at], closest_capture=0, autograd_graph=nodes,
        reason=f"Cache miss due to new autograd node: {called('node')} (NodeCall 3) with key size "
        "47, previous key sizes=[47]",
        node={"index": 1, "name": called("node")}, changes=[change], modes={called("module"): True},
        error=called("guard"),
    )  # fmt: skip
    log.torch_capture(1, code=graph)
    log.compiled("!1/2/0", 1.0)
    stack = [(file, 11, called("function"), called("code"))]
    tree = f"TREE_GUARD_MANAGER:\n+- EQUALS_MATCH: L['{called('guard')}'] == 1\n"
    for compile_id, reason in (
        ("4/0", None),
        ("4/1", f"4/0: {called('guard')} == 1.0  # {file}:1"),
    ):
        log.compiled(
            compile_id, 8.0, stack=stack, recompile_reason=reason, co_filename=file,
            co_name=called("function"),
        )  # fmt: skip
        log.record("dynamo_cpp_guards_str", {}, tree, **log.context(compile_id))
    log.artifact(
        "dynamo_graph_break_reason",
        f"Graph break in user code at {file}:11\nGraph Break Reason: {called('guard')}\n"
        "User code traceback:\n"
        f'  File "{file}", line 11, in {called("function")}\n    {called("code")}\n',
        "string",
        **log.context("4/1"),
    )
    log.ca_backwards([(0, 1), (0, 0), (1, 1), (1, 0)])
    log.ca_end(START + 40, backwards=4, hits=2, error=called("module"), error_text=called("guard"))
    return log


@pytest.mark.parametrize("long", PLACES)
def test_names_of_a_megabyte_leave_page_and_json_small(tmp_path: Path, long: str) -> None:
    log = with_long(long)
    assert len(log.data) > LONG
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert len(run.captures) == 2
    analysis = analyze(run)
    for render in (html.render, json.render):
        assert len(render(analysis)) < MOST, render.__module__
