"""One capture while it is being made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from torch import fx

from ca_engine import reasons, schema, steps
from ca_engine.compat import aot_regions
from ca_engine.recorder.forward import ForwardLines
from ca_engine.recorder.modules import Switches
from ca_engine.recorder.objects import describe_hook

# Hooks of one node that are described; all are counted.
MAX_HOOKS = 32


class CaptureDraft:
    """Gathers a capture's record during the conversation with C++."""

    def __init__(self) -> None:
        self.id = -1
        self.is_first = False
        self.time = 0.0
        self.step = 0
        self.loop: steps.Position | None = None
        self.begin = 0.0
        self.accumulate_grad = False
        self.stack: list[schema.Frame] = []
        self.autograd_graph: list[schema.AutogradNode] = []
        self.autograd_nodes = 0
        self.modes: dict[str, object] = {}
        self.closest_capture: int | None = None
        self.switches: Switches = {}
        self.changes: list[schema.CaptureChange] = []
        self.carried_nodes: int | None = None
        self.lines: ForwardLines | None = None
        self.snapshot_seconds = 0.0
        self.capture_seconds: float | None = None
        self.compile_seconds: float | None = None
        self.error: str | None = None
        self.regions: list[aot_regions.AotRegion] = []
        self._reason: str | None = None
        self._inputs = 0
        self._sizes: list[schema.LiftedValue] = []
        self._scalars: list[schema.LiftedValue] = []
        self._fx_nodes: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._hooks: dict[int, list[tuple[str, int | None]]] = {}
        self._hook_objects: Sequence[Any] = ()
        self._node = -1

    def set_id(self, compile_id: str) -> None:
        """From the text that `begin_capture` answers, such as ``!3``."""
        self.id = int(compile_id.lstrip("!").split("/")[0])

    def observe_lifted(
        self,
        inputs: int,
        sizes: Sequence[int],
        scalars: Sequence[int | float],
        origins: Sequence[Sequence[tuple[int, str]]],
    ) -> None:
        self._inputs = inputs
        _, size_owners, scalar_owners = origins
        self._sizes = _lifted(sizes, size_owners)
        self._scalars = _lifted(scalars, scalar_owners)

    def observe_reasons(self, texts: Sequence[str]) -> None:
        """The last of the cumulative list is this capture's; each says whose it is."""
        capture, text = reasons.split_id(texts[-1])
        if capture == self.id:
            self._reason = text

    def observe_node(self, name: str, index: int) -> None:
        self._node = index
        self._names[index] = name

    def observe_function(self, function: Any) -> None:
        """``function``: the class of a Python autograd Function, which AOT regions are too."""
        if aot_regions.is_region(function):
            self.regions.append(function)

    def observe_hook(self, kind: str, index: int | None) -> None:
        """A hook of the current node; ``index`` is its number among the graph's hooks."""
        self._hooks.setdefault(self._node, []).append((kind, index))

    def observe_hook_objects(self, arguments: Sequence[Any]) -> None:
        """The hooks that those numbers stand for: C++ gives them when the graph runs.

        ``arguments`` are the call's: ``(compiled, inputs, sizes, scalars, hooks, packed)``.
        """
        self._hook_objects = arguments[4] if len(arguments) > 4 else ()

    def observe_graph(self, graph: fx.Graph, now: float) -> None:
        self.capture_seconds = now - self.begin
        self._fx_nodes = dict(Counter(node.op for node in graph.nodes))
        self._fx_nodes["total"] = len(graph.nodes)

    def settle_graph(self) -> None:
        """Checks the snapshot against what C++ said, and adds what only C++ knows.

        A snapshot whose numbers contradict C++'s would blame the wrong nodes, so then only
        the names that C++ gave are kept.
        """
        numbered = {node["index"]: node for node in self.autograd_graph}
        agrees = all(
            numbered[index]["name"] == name
            for index, name in self._names.items()
            if index in numbered
        )
        if not (numbered and agrees):
            self.autograd_graph = [
                {"index": index, "name": name} for index, name in sorted(self._names.items())
            ]
            self.lines = None
            numbered = {node["index"]: node for node in self.autograd_graph}
        for index, hooks in self._hooks.items():
            if index in numbered:
                numbered[index]["hooks"] = len(hooks)
                numbered[index]["hook_list"] = [
                    describe_hook(kind, number, self._hook_object(number))
                    for kind, number in hooks[:MAX_HOOKS]
                ]
        self._hook_objects = ()
        self.autograd_nodes = max(len(self._names), len(self.autograd_graph))

    def _hook_object(self, number: int | None) -> Any:
        known = number is not None and 0 <= number < len(self._hook_objects)
        return self._hook_objects[number] if known and number is not None else None

    def record(self) -> schema.CaptureRecord:
        miss = reasons.parse(self._reason)
        if self.is_first:
            miss["kind"] = "first"
        seconds: schema.CaptureSeconds = {"snapshot": round(self.snapshot_seconds, 6)}
        if self.capture_seconds is not None:
            seconds["capture"] = round(self.capture_seconds, 6)
        if self.compile_seconds is not None:
            seconds["compile"] = round(self.compile_seconds, 6)
        return {
            "schema_version": schema.SCHEMA_VERSION,
            "time": self.time,
            "id": self.id,
            "step": self.step,
            "loop": None if self.loop is None else self.loop.as_record(),
            "reason": self._reason,
            **miss,
            "stack": self.stack,
            "inputs": self._inputs,
            "sizes": self._sizes,
            "scalars": self._scalars,
            "accumulate_grad": self.accumulate_grad,
            "modes": self.modes,
            "seconds": seconds,
            "fx_nodes": self._fx_nodes,
            "autograd_nodes": self.autograd_nodes,
            "autograd_graph": self.autograd_graph,
            "autograd_truncated": self.autograd_nodes - len(self.autograd_graph),
            "closest_capture": self.closest_capture,
            "changes": self.changes,
            "carried_nodes": self.carried_nodes,
            "error": self.error,
        }


def _lifted(values: Sequence[Any], owners: Sequence[tuple[int, str]]) -> list[schema.LiftedValue]:
    return [
        {
            "index": index,
            "value": value,
            "node": {"index": owners[index][0], "name": owners[index][1]} if owners else None,
        }
        for index, value in enumerate(values)
    ]
