"""One capture while it is under way, and the record that becomes of it."""

from __future__ import annotations

import time
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import torch
from torch import fx

from ca_engine import reasons, schema, steps
from ca_engine.compat import aot_regions
from ca_engine.recorder.errors import describe_error
from ca_engine.recorder.forward import NodeLines
from ca_engine.recorder.hazards import autocast_now
from ca_engine.recorder.modules import ModuleState
from ca_engine.recorder.objects import describe_hook
from ca_engine.recorder.snapshot import Snapshot
from ca_engine.recorder.stack import BackwardCall

# Hooks of one node that are described; all are counted.
MAX_HOOKS = 32


class OpenCapture:
    """Is told what happens to a capture, in the order of its methods, and writes the record.

    Nothing else knows the fields of `schema.CaptureRecord`: a new one is filled here.
    ``compiler`` is what C++ drives through the capture, and lets go of when that ends.
    """

    def __init__(self, compiler: object) -> None:
        self._compiler = weakref.ref(compiler)
        self.lines: NodeLines | None = None
        self.module_state: ModuleState = {}
        self.regions: list[aot_regions.AotRegion] = []
        self.checks_nans = False
        self._begin = self._captured = 0.0
        self._names: dict[int, str] = {}
        self._hooks: dict[int, list[tuple[str, int | None]]] = {}
        self._hook_objects: Sequence[Any] = ()
        self._node = -1
        self._record: schema.CaptureRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": 0.0,
            "id": -1,
            "step": 0,
            "loop": None,
            "device": "cpu",
            "reason": None,
            **reasons.parse(None),
            "stack": [],
            "data": {},
            "loaders": [],
            "inputs": 0,
            "sizes": [],
            "scalars": [],
            "accumulate_grad": False,
            "modes": {},
            "seconds": {"snapshot": 0.0},
            "fx_nodes": {},
            "autograd_nodes": 0,
            "autograd_graph": [],
            "autograd_truncated": 0,
            "closest_capture": None,
            "changes": [],
            "carried_nodes": None,
            "error": None,
        }

    @property
    def id(self) -> int:
        """Return the ``3`` of ``!3``; -1 until the compiler has given it."""
        return self._record["id"]

    @property
    def step(self) -> int:
        """Return the number of the backward that missed."""
        return self._record["step"]

    @property
    def is_given_up(self) -> bool:
        """Return whether C++ dropped the compiler: a capture in another thread may be under way."""
        return self._compiler() is None

    @property
    def autograd_graph(self) -> list[schema.AutogradNode]:
        return self._record["autograd_graph"]

    @property
    def call(self) -> tuple[tuple[str, int], ...]:
        """Return the user's frames that led to the backward, outermost first, as (file, line)."""
        return tuple((frame["file"], frame["line"]) for frame in self._record["stack"])

    # The miss

    def begins(self, step: int) -> None:
        self._record["step"] = step
        self._record["loop"] = None if steps.current is None else steps.current.as_record()
        self._record["time"] = time.time()

    @contextmanager
    def diagnosed(self) -> Iterator[None]:
        """Time the diagnosis within, and keep its errors from the user's backward."""
        begin = perf_counter()
        try:
            yield
        except Exception as error:
            self._record["modes"]["snapshot_error"] = f"{type(error).__name__}: {error}"
        self._record["seconds"]["snapshot"] += perf_counter() - begin

    def is_called_under_modes(self) -> None:
        self._record["modes"].update(_modes())

    def is_called_from(self, call: BackwardCall) -> None:
        self._record["stack"] = call.stack
        self._record["data"] = call.sizes
        self._record["loaders"] = call.loaders

    def has_graph(self, snapshot: Snapshot) -> None:
        self.lines = snapshot.lines
        self.module_state = snapshot.module_state
        self._record["autograd_graph"] = snapshot.nodes
        self._record["carried_nodes"] = snapshot.carried

    # The conversation of C++ and the compiler

    def lifts(
        self,
        inputs: Sequence[torch.Tensor],
        sizes: Sequence[int],
        scalars: Sequence[int | float],
        origins: Sequence[Sequence[tuple[int, str]]],
    ) -> None:
        """Tensors, and numbers with the nodes that own them."""
        _, size_owners, scalar_owners = origins
        self._record["inputs"] = len(inputs)
        self._record["device"] = _device(inputs)
        self._record["sizes"] = _lifted(sizes, size_owners)
        self._record["scalars"] = _lifted(scalars, scalar_owners)

    def is_asked_for(self, *, accumulate_grad: bool, check_nans: bool) -> None:
        self.checks_nans = check_nans
        self._record["accumulate_grad"] = accumulate_grad
        self._record["modes"]["anomaly"] = check_nans
        self._begin = perf_counter()

    def is_named(self, compile_id: str) -> None:
        """From the text that `begin_capture` answers, such as ``!3``."""
        self._record["id"] = int(compile_id.lstrip("!").split("/")[0])

    def missed_because(self, texts: Sequence[str]) -> None:
        """Take the reason, the last of the cumulative list: each says whose it is."""
        capture, text = reasons.split_id(texts[-1])
        if capture == self.id:
            self._record = {**self._record, "reason": text, **reasons.parse(text)}

    def visits(self, name: str, index: int) -> None:
        self._node = index
        self._names[index] = name

    def visits_function(self, function: Any) -> None:
        """Note a node's ``function``: the class of an `autograd.Function`, or of an AOT region."""
        if aot_regions.is_region(function):
            self.regions.append(function)

    def meets_hook(self, kind: str, index: int | None) -> None:
        """Note a hook of the current node; ``index`` is its number among the graph's hooks."""
        self._hooks.setdefault(self._node, []).append((kind, index))

    def is_captured(self, graph: fx.Graph) -> None:
        self._captured = perf_counter()
        self._record["seconds"]["capture"] = self._captured - self._begin
        counts = Counter(node.op for node in graph.nodes)
        self._record["fx_nodes"] = {**counts, "total": len(graph.nodes)}

    def is_compiled(self) -> None:
        self._record["seconds"]["compile"] = perf_counter() - self._captured

    # The end

    def is_first(self) -> None:
        """No capture of this process came before it."""
        self._record["kind"] = "first"

    def fails(self, error: BaseException) -> None:
        self._record["error"] = describe_error(error)

    def runs_with(self, arguments: Sequence[Any]) -> None:
        """C++ gives the hooks that the numbers stand for when the graph runs.

        ``arguments`` are the call's: ``(compiled, inputs, sizes, scalars, hooks, packed)``.
        """
        self._hook_objects = arguments[4] if len(arguments) > 4 else ()

    def settle_graph(self) -> None:
        """Check the snapshot against what C++ said, and add what only C++ knows.

        A snapshot whose numbers contradict C++'s would blame the wrong nodes, so then only
        the names that C++ gave are kept.
        """
        graph = self.autograd_graph
        numbered = {node["index"]: node for node in graph}
        agrees = all(
            numbered[index]["name"] == name
            for index, name in self._names.items()
            if index in numbered
        )
        if not (numbered and agrees):
            graph = self._record["autograd_graph"] = [
                {"index": index, "name": name} for index, name in sorted(self._names.items())
            ]
            self.lines = None
            numbered = {node["index"]: node for node in graph}
        for index, hooks in self._hooks.items():
            if index in numbered:
                numbered[index]["hooks"] = len(hooks)
                numbered[index]["hook_list"] = [
                    describe_hook(kind, number, self._hook_object(number))
                    for kind, number in hooks[:MAX_HOOKS]
                ]
        self._hook_objects = ()
        total = max(len(self._names), len(graph))
        self._record["autograd_nodes"] = total
        self._record["autograd_truncated"] = total - len(graph)

    def _hook_object(self, number: int | None) -> Any:
        known = number is not None and 0 <= number < len(self._hook_objects)
        return self._hook_objects[number] if known and number is not None else None

    def differs_from(self, closest: int, changes: list[schema.CaptureChange]) -> None:
        self._record["closest_capture"] = closest
        self._record["changes"] = changes

    def record(self) -> schema.CaptureRecord:
        seconds: Any = self._record["seconds"]
        rounded: Any = {phase: round(taken, 6) for phase, taken in seconds.items()}
        return {**self._record, "seconds": rounded}


def _lifted(values: Sequence[Any], owners: Sequence[tuple[int, str]]) -> list[schema.LiftedValue]:
    return [
        {
            "index": index,
            "value": value,
            "node": {"index": owners[index][0], "name": owners[index][1]} if owners else None,
        }
        for index, value in enumerate(values)
    ]


def _device(tensors: Sequence[torch.Tensor]) -> str:
    for device in (tensor.device for tensor in tensors):
        if device.type == "cuda":
            return f"{device} {torch.cuda.get_device_name(device)}"
        if device.type != "cpu":
            return str(device)
    return "cpu"


def _modes() -> dict[str, object]:
    """Return the modes that can make a backward differ."""
    return {
        "grad_enabled": torch.is_grad_enabled(),
        "autocast": {device: f"torch.{dtype}" for device, dtype in autocast_now().items()},
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "default_dtype": str(torch.get_default_dtype()),
        "matmul_precision": torch.get_float32_matmul_precision(),
        "threads": torch.get_num_threads(),
    }
