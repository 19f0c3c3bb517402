"""Logs of runs whose sizes were counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.unit.logwriter import START, LogWriter

if TYPE_CHECKING:
    from collections.abc import Mapping

CODE = [("/home/user/train.py", 7, "step", "def step(ids, mask):")]
AUTOMATIC = '{"automatic_dynamic_shapes": true, "assume_static_by_default": true}'
STATIC = (
    '{"automatic_dynamic_shapes": false, "assume_static_by_default": true, "recompile_limit": 8}'
)


def a_step(size: float) -> float:
    """Return what a step of a size takes on a graph of its own, in seconds."""
    return 0.01 + 0.001 * size


def counted(log: LogWriter, graph: str, **body: Any) -> None:
    """Write the record of one graph."""
    log.own("ca_sizes", time=START + 60, graph=graph, **{"digits": None, "left_out": 0, **body})


def static(log: LogWriter, graph: str, size: int, calls: int, *, step: float | None = None) -> None:
    """Write the record of a graph for one length."""
    seconds = a_step(size) if step is None else step
    counted(
        log, graph, inputs={"ids": [8, size], "mask": [8, size]}, symbols=[], sizes=[[]],
        calls=[calls], steps=[seconds], seconds=[seconds / 3],
    )  # fmt: skip


def dynamic(
    log: LogWriter, graph: str, counts: Mapping[int, int], slower: float = 1.0, **more: Any
) -> None:
    """Write the record of a graph for any length."""
    steps = [a_step(size) * slower for size in counts]
    counted(
        log, graph, inputs={"ids": [8, "s0"], "mask": [8, "s0"]}, symbols=["s0"],
        sizes=[[size] for size in counts], calls=list(counts.values()), steps=steps,
        seconds=[step / 3 for step in steps], **more,
    )  # fmt: skip


def training(log: LogWriter) -> None:
    """Write that backwards ran."""
    log.own("ca_steps", time=START + 1, of="backward", start=[0.0, 1.0, 2.0])


def automatic(
    counts: Mapping[int, int], first: int = 32, seconds: float = 2.0, rank: int | None = None
) -> LogWriter:
    """A training that compiled its first length, and then a graph for any."""
    log = LogWriter(pid=4711 + (rank or 0), rank=rank)
    log.ca_run()
    log.compiled("0/0", seconds + 1, stack=CODE, dynamo_config=AUTOMATIC)
    log.compiled("0/1", seconds, stack=CODE, dynamo_config=AUTOMATIC, recompile_reason="size")
    training(log)
    static(log, "0/0", first, 1, step=None)
    dynamic(log, "0/1", counts)
    log.ca_end(START + 100, 0, 0)
    return log


def each_by_itself(counts: Mapping[int, int], seconds: float = 2.0) -> LogWriter:
    """A training with ``dynamic=False``: a graph for each length."""
    log = LogWriter()
    log.ca_run()
    for number, (size, calls) in enumerate(counts.items()):
        reason = "size" if number else None
        log.compiled(
            f"0/{number}", seconds, stack=CODE, dynamo_config=STATIC, recompile_reason=reason
        )
        static(log, f"0/{number}", size, calls)
    training(log)
    log.ca_end(START + 100, 0, 0)
    return log
