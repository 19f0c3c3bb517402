"""Hand-built runs for tests of the rules: autograd graphs in, findings out.

What differs between two graphs is found by the recorder's own comparison, so that a rule is
tested on what a recorder would have written.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import orjson

from ca_engine.recorder.difference import find_changes
from ca_reports.diagnosis.analysis import analyze
from ca_reports.logs.stored import StoredText
from ca_reports.run.model import Backwards, Capture, Change, Compile, Frame, Node, Process, Run

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding

ROOT = "torch::autograd::GraphRoot"
LEAF = "torch::autograd::AccumulateGrad"
CALL = Frame("train.py", 10, "main", "loss.backward()")
Graph = list[dict[str, Any]]


def root(output: str = "MeanBackward0", dtype: str = "torch.float32", inputs: int = 0) -> Any:
    """A GraphRoot as the recorder describes it."""
    return {
        "name": ROOT,
        "attributes": {
            "outputs": [output],
            "output_dtypes": [dtype],
            "inputs_asked_for": inputs,
        },
        "variables": ["loss"],
    }


def node(name: str, **fields: Any) -> dict[str, Any]:
    """An autograd node; ``attributes`` and the rest as in ``schema.AutogradNode``."""
    return {"name": name, **fields}


def leaf(parameter: str | None, *, grad: bool = False, **fields: Any) -> dict[str, Any]:
    """An AccumulateGrad node; of an input if it has no ``parameter``."""
    return {
        "name": LEAF,
        "parameter": parameter,
        "grad_defined": grad,
        "shape": [2],
        "hooks": len(fields.get("hook_list", ())),
        **fields,
    }


def hook(name: str, line: int = 3, kind: str = "tensor_pre_hook", index: int = 0) -> dict[str, Any]:
    """A hook as the recorder describes it."""
    return {"kind": kind, "index": index, "name": name, "file": "hooks.py", "line": line}


def graph(*nodes: dict[str, Any], output: str = "MeanBackward0") -> Graph:
    """Nodes with their numbers; a GraphRoot is put before them if there is none."""
    described = list(nodes) if nodes and nodes[0]["name"] == ROOT else [root(output), *nodes]
    return [{**each, "index": index} for index, each in enumerate(described)]


def captures(
    *graphs: Graph,
    switches: dict[int, list[tuple[str, str, object, object]]] | None = None,
    carried: tuple[int | None, ...] = (),
    calls: tuple[Frame, ...] = (),
    nodes: dict[int, Node] | None = None,
) -> tuple[Capture, ...]:
    """One capture for each graph, each compared with the one before it.

    ``switches`` are (name, attribute, before, after) by capture; ``nodes`` the node that
    torch named, by capture; else the first that differs.
    """
    made = []
    for id, described in enumerate(graphs):
        changes: list[Change] = []
        if id:
            changes = [Change(None, *switch) for switch in (switches or {}).get(id, [])]
            changes += [
                Change(
                    found["index"],
                    found["name"],
                    found["attribute"],
                    found["before"],
                    found["after"],
                    found["before_index"],
                )
                for found in find_changes(graphs[id - 1], described)  # type: ignore[arg-type]
            ]
        first = next((each for each in changes if each.index is not None), None)
        named = Node(first.index, first.name) if first and first.index is not None else None
        made.append(
            Capture(
                id=id,
                process=0,
                rank=None,
                pid=1,
                kind="new_autograd_node" if id else "first",
                file="trace.log",
                line=id + 1,
                step=id,
                time=float(id),
                reason="Cache miss",
                node=(nodes or {}).get(id, named),
                changes=tuple(changes),
                closest_capture=id - 1 if id else None,
                stack=(calls[id] if calls else CALL,),
                autograd_nodes=len(described),
                carried_nodes=carried[id] if carried else None,
                autograd_json=StoredText.pack(b"\n".join(map(orjson.dumps, described))),
            )
        )
    return tuple(made)


def ran(*captures: int) -> Backwards:
    """The backwards of a process, one a step, by the captures that they ran."""
    count = len(captures)
    return Backwards(
        steps=array("q", range(count)),
        capture=array("q", captures),
        start=array("d", map(float, range(count))),
        seconds=array("d", [0.5] * count),
        miss=array("q", [0] * count),
        failed=array("q", [0] * count),
        count=count,
        hits=0,
        failures=0,
    )


def findings(
    made: tuple[Capture, ...],
    compiles: tuple[Compile, ...] = (),
    *,
    recorded: bool = True,
    backwards: Backwards | None = None,
    dynamic: bool | None = None,
) -> list[Finding]:
    """What the rules say about a process with these captures and compiles."""
    process = Process(
        index=0,
        file="trace.log",
        rank=None,
        pid=1,
        records=len(made),
        recorded=recorded,
        dynamic=dynamic,
        captures=made,
        compiles=compiles,
        backwards=backwards,
    )
    run = Run(paths=("trace.log",), files=("trace.log",), processes=(process,))
    return list(analyze(run).diagnosis.findings)


def stock(*reasons: tuple[str, int, tuple[int, ...]]) -> tuple[Capture, ...]:
    """Captures of a log of torch's own: (node, key size, previous key sizes) is all there is."""
    return tuple(
        Capture(
            id=id,
            process=0,
            rank=None,
            pid=1,
            kind="new_autograd_node" if id else "first",
            file="trace.log",
            line=id + 1,
            reason="Cache miss",
            node=Node(6, name),
            key_size=size,
            previous_key_sizes=previous,
        )
        for id, (name, size, previous) in enumerate(reasons)
    )


def recompile(number: int, reason: str) -> Compile:
    """Dynamo's recompile of the graph of capture 0."""
    return Compile(
        compile_id=f"!0/0/{number}",
        process=0,
        rank=None,
        pid=1,
        capture=0,
        recompile_reason=f"!0/0/{number - 1}: {reason}",
        location=CALL,
    )


def linear(module: str, *, grad: bool = False, **attributes: Any) -> list[dict[str, Any]]:
    return [
        node("AddmmBackward0", attributes={"alpha": 1, "beta": 1, **attributes}),
        leaf(f"{module}.bias", grad=grad),
        node("TBackward0"),
        leaf(f"{module}.weight", grad=grad),
    ]


def pow_by(exponent: object, **more: object) -> dict[str, Any]:
    return node("PowBackward0", attributes={"exponent": exponent, **more})


def hooked(*hooks: dict[str, Any]) -> list[dict[str, Any]]:
    return graph(node("TBackward0"), leaf("head.weight", hook_list=list(hooks)))


def annealed(exponent: float, *hooks: dict[str, Any]) -> list[dict[str, Any]]:
    return graph(
        node("PowBackward0", attributes={"exponent": exponent}),
        leaf("head.weight", hook_list=list(hooks)),
    )
