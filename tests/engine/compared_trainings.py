"""Runs one random training under each engine and says in what the runs differ.

Torch's engine is the oracle, with the same backend, for all that a step leaves behind. Where it
gives up on what eager mode runs, or is wrong about it, eager mode is. Lowering may be as either: a
hook's events come as in eager mode where it runs the hooks itself, and an error of the program's
own has eager mode's type, which Dynamo wraps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.lowering.modes import Mode
from tests.engine import conftest
from tests.engine.random_trainings import EagerBackward, Observation, RandomTraining

# The graphs run as they were captured, without Dynamo; lowered ones by the direct way
AS_CAPTURED = "none"
ERROR = "error"
# Of a graph that torch does not capture, eager mode does not say how often it writes to ``.grad``,
# whether AOTAutograd sets another one in place of those that share memory, nor whether a hook may
# queue callbacks.
UNSETTLED = ("versions", "identities", "memory", "events")


class Difference(NamedTuple):
    """Hold what a run of ours has for ``subject`` at ``step``, and what it should have."""

    run: str
    step: int
    subject: str
    own: Any
    torchs: Any
    eager: Any


def differences(training: RandomTraining, backend: str) -> list[Difference]:
    """Return all in which our engine differs, without lowering and with it."""
    torch._dynamo.reset()
    eager = training(EagerBackward())
    stock = conftest.run_under(conftest.STOCK_COMPILER, training, backend=backend)
    ours = conftest.run_under(CaptureCompiler, training, backend=backend)
    to = "eager" if backend == AS_CAPTURED else backend
    lowered = conftest.run_under(CaptureCompiler, training, backend=to, lowering=Mode.ON)
    result = [
        *_strictly("ours", ours.result, stock.result, eager),
        *_loosely("lowered", lowered.result, stock.result, eager, ours.result),
    ]
    if any(_gave_up(one, other) for one, other in zip(stock.result, eager, strict=True)):
        return result
    if ours.graphs != stock.graphs:
        result.append(Difference("ours", 0, "graphs", ours.graphs, stock.graphs, None))
    if len(lowered.graphs) != len(stock.graphs):
        counts = len(lowered.graphs), len(stock.graphs)
        result.append(Difference("lowered", 0, "captures", *counts, None))
    return result


def _gave_up(torchs: Observation, eager: Observation) -> bool:
    """Return whether torch's engine raises what eager mode does not."""
    return torchs[ERROR] is not None and torchs[ERROR] != eager[ERROR]


def _strictly(
    run: str, ours: list[Observation], torchs: list[Observation], eager: list[Observation]
) -> Iterator[Difference]:
    """Yield what is not torch's; from a step on at which torch gave up, what is neither.

    Where torch refuses a backward before it runs, and eager mode raises another error while it
    does, nothing says what ours should do; nor how Dynamo fails at what only ours captures.
    """
    has_given_up = False
    for step, (own, theirs, plain) in enumerate(zip(ours, torchs, eager, strict=True)):
        has_given_up = has_given_up or _gave_up(theirs, plain)
        if has_given_up and (plain[ERROR] or (own[ERROR] and theirs[ERROR])):
            continue
        for subject in own:
            if has_given_up and subject.startswith(UNSETTLED):
                continue
            allowed = [theirs[subject], plain[subject]] if has_given_up else [theirs[subject]]
            if own[subject] not in allowed:
                yield Difference(run, step, subject, own[subject], theirs[subject], plain[subject])


def _loosely(
    run: str,
    ours: list[Observation],
    torchs: list[Observation],
    eager: list[Observation],
    unlowered: list[Observation],
) -> Iterator[Difference]:
    """Yield what is neither torch's nor eager mode's, nor, where torch gave up, ours without.

    As above, nothing is settled where torch refuses what eager mode raises an error for.
    A backward that raises half-way may have added to other ``.grad``s than eager mode's, which
    runs independent nodes in another order, where Dynamo's, which it raises for, added to none.
    """
    has_given_up = False
    steps = zip(ours, torchs, eager, unlowered, strict=True)
    for step, (own, theirs, plain, without) in enumerate(steps):
        has_given_up = has_given_up or _gave_up(theirs, plain)
        if has_given_up and plain[ERROR]:
            continue
        is_half_way = own[ERROR] is not None and own not in (theirs, plain)
        for subject in [ERROR] if is_half_way else own:
            value, allowed = own[subject], [theirs[subject], plain[subject]]
            if value in allowed or (
                has_given_up and (value == without[subject] or subject.startswith(UNSETTLED))
            ):
                continue
            if subject == ERROR and _type(value) == _type(plain[ERROR]):
                continue
            yield Difference(run, step, subject, value, *allowed)
        if is_half_way:
            return


def _type(error: tuple[str, str] | None) -> str | None:
    return None if error is None else error[0]
