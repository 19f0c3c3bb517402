"""A compiled helper and the calls through which it is reached, made by hand."""

from __future__ import annotations

from typing import Any

from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile, Frame, Process, Run

HELPER = Frame("/work/ops.py", 4, "norm", "def norm(x):")
RANK = "tensor 'x' rank mismatch. expected {}, actual {}"
# A call: its function, its line, and the module whose method it is, if any.
Call = tuple[str, int, int | None]
SCRIPT: Call = ("<module>", 40, None)
NET, ATTENTION, MLP = 1, 2, 3


def called(
    number: int, calls: list[Call] | None, shape: tuple[int, ...], reason: str | None = None,
    **arguments: Any,
) -> Compile:  # fmt: skip
    """Compile 0/``number`` of the helper, reached through ``calls``; None: nobody noted them."""
    record: dict[str, Any] = {
        "guards": [] if reason is None else [{"failed": "0/0", "source": "x"}],
        "arguments": {"x": {"type": "torch.Tensor", "shape": list(shape)}, **arguments},
    }
    if calls is not None:
        record["stack"] = [
            {"file": "/work/model.py", "line": line, "function": function, "code": ""}
            for function, line, _ in calls
        ]
        record["modules"] = [module for _, _, module in calls]
    return Compile(
        f"0/{number}", 0, None, 1, None,
        recompile_reason=None if reason is None else f"0/0: {reason}",
        location=HELPER, seconds=2.0, held=RecordedGuards.from_record(record),
    )  # fmt: skip


def found_in(*compiles: Compile) -> dict[str, tuple[str, ...]]:
    process = Process(
        index=0, file="a.log", rank=None, pid=1, records=9, recorded=True, compiles=compiles
    )
    analysis = analyze(Run(paths=("a",), files=("a.log",), processes=(process,)))
    return {found.code: found.compile_ids for found in analysis.diagnosis.findings}


FIRST = called(0, [SCRIPT, ("forward", 20, ATTENTION)], (4, 8, 16))
