"""Graph breaks of forwards made by hand."""

from __future__ import annotations

from array import array
from typing import Any

from ca_reports.causes.findings import Finding
from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.model import Capture, Compile, Frame, GraphBreak, Process, Run

PACKAGES = "/venv/lib/python3.11/site-packages"
MAIN = Frame("/home/me/train.py", 30, "main", "loss = step(batch)")
LINE = Frame("/home/me/train.py", 12, "step", "if norm > 1:")
LIBRARY = Frame(
    f"{PACKAGES}/transformers/utils/generic.py", 937, "wrapper", "logger.warning_once()"
)


def broken(
    reason: str = "Data-dependent branching",
    number: str | None = "GB0170",
    stack: tuple[Frame, ...] = (MAIN, LINE),
    **more: Any,
) -> GraphBreak:
    more = {"compile_id": "0/0", "explanation": None, "count": 1, **more}
    return GraphBreak(
        process=0, reason=reason, number=number, stack=stack, location=stack[-1], **more
    )


def rest(compile_id: str, after: Frame = LINE, reason: str | None = None) -> Compile:
    return Compile(
        compile_id, 0, None, 1, None, recompile_reason=reason, seconds=0.5, location=after,
        code=after, resumes=after,
    )  # fmt: skip


def findings(
    *breaks: GraphBreak,
    compiles: tuple[Compile, ...] = (),
    step_starts: tuple[float, ...] = (),
    captures: tuple[Capture, ...] = (),
) -> tuple[Finding, ...]:
    process = Process(
        0, "log", None, 1, 100, recorded=True, graph_breaks=breaks, compiles=compiles,
        step_starts=array("d", step_starts), captures=captures,
    )  # fmt: skip
    return analyze(Run(("log",), ("log",), (process,))).diagnosis.findings


def the_one(found: tuple[Finding, ...]) -> Finding:
    (finding,) = found
    return finding


TRANSFORMER = f"{PACKAGES}/torch/nn/modules/transformer.py"
SCALARS = {"hints": ("Set `torch._dynamo.config.capture_scalar_outputs = True`",)}
