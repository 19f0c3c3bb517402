"""Recompiles of forwards made by hand, with the guards that failed and what these held."""

from __future__ import annotations

from typing import Any

from ca_reports.diagnosis.analysis import analyze
from ca_reports.logs.stored import StoredText
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile, Frame, GraphSizes, Process, Run

CODE = Frame("/work/train.py", 4, "f", "def f(x, t):")
NO_GRAD = "GLOBAL_STATE changed: grad_mode"


def compiled(
    number: int, *reasons: str, held: Any = None, arguments: Any = None, **fields: Any
) -> Compile:
    """Compile 0/``number``; ``reasons`` are the guards of earlier compiles, the newest first."""
    failed = [f"0/{number - 1 - at}" for at in range(len(reasons))]
    texts = [f"{id}: {text}" for id, text in zip(failed, reasons, strict=True)]
    record = None
    if held is not None or arguments is not None:
        sources = [reason.split(" ", 1)[0] for reason in reasons[:1]]
        guards = [{"failed": failed[0], "source": source, "held": held} for source in sources]
        record = RecordedGuards.from_record({"guards": guards, "arguments": arguments or {}})
    return Compile(
        f"0/{number}", 0, None, 1, None,
        recompile_reason="\n".join(texts) or None, location=CODE, seconds=2.0, held=record,
        **fields,
    )  # fmt: skip


def calling(line: int) -> dict[str, Any]:
    """The call of a compile, on that line of the script."""
    return {"stack": (Frame("/work/train.py", line, "main", "model(x)"), CODE)}


def explained(
    *compiles: Compile, recorded: bool = True, graph_sizes: tuple[GraphSizes, ...] = ()
) -> Any:
    process = Process(
        index=0, file="trace.log", rank=None, pid=1, records=9, recorded=recorded,
        compiles=compiles, graph_sizes=graph_sizes,
    )  # fmt: skip
    return analyze(Run(paths=("a",), files=("trace.log",), processes=(process,)))


def held_number(value: float) -> dict[str, Any]:
    return {"type": type(value).__name__, "value": value}


def graph(**inputs: tuple[int | None, ...]) -> dict[str, Any]:
    """The sizes of a compile's graph, as the log has them; None for a dynamic one."""
    return {"inputs": {f"l{name}": shape for name, shape in inputs.items()}}


def tensor(*shape: int) -> dict[str, Any]:
    return {"type": "torch.Tensor", "shape": list(shape)}


def tree(*demands: str) -> StoredText:
    """All guards of a compile, as torch writes them: one line each."""
    return StoredText.pack("\n".join(f"| | +- {line}" for line in demands).encode())


def on_float(source: str, value: float) -> str:
    return f"EQUALS_MATCH: {source} == {value}    # return x * s  # train.py:6 in f"


def on_tensor(name: str, dtype: str, size: str) -> str:
    keys = "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)"
    return (
        f"TENSOR_MATCH: check_tensor(L['{name}'], Tensor, {keys}, torch.{dtype}, device=None, "
        f"requires_grad=False, size=[{size}], stride=[1])  # return x.mean()  # train.py:6 in f"
    )
