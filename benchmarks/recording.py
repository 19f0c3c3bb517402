"""Measures what recording adds to a run that neither recompiles nor uses compiled autograd.

Two runs of the same steps differ by more than the recorder takes. So what it does in a step is
counted in a recorded run, and timed by itself, often enough that its error is small.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple

import torch

from ca_engine import trace
from ca_engine.compat import patches
from ca_engine.compat.graph_inputs import ObservedGraph
from ca_engine.recorder.call_sizes import CallSizes
from ca_engine.recorder.recorder import Recorder

# Of the CPU time of a step.
SHARE = 0.01
# CPU seconds that counting the sizes of its inputs may add to a call of a compiled function.
CALL = 1e-6
# The same of every call of compiled code, once a function is past its recompile limit: these calls
# are watched for those that run no graph.
WATCHED_CALL = 30e-6
_STEPS, _WARM_UP = 150, 20
_EVENTS, _REPEATS = 20_000, 7
# More calls than are timed with each set of sizes.
_TIMED = 20


class Recording(NamedTuple):
    """``events`` of the recorder's in a step, CPU seconds of one of them and of a whole step.

    ``error`` is the half width of the middle half of the times that an event took.
    """

    events: float
    event: float
    error: float
    step: float

    @property
    def share(self) -> float:
        return self.events * self.event / self.step


def measure(backend: str = "aot_eager") -> Recording:
    """Measure a training step of a small model under ``torch.compile``, its optimizer included."""
    step = _training_step(backend)
    for _ in range(_WARM_UP):
        step()
    seconds = []
    for _ in range(_STEPS):
        begin = thread_time()
        step()
        seconds.append(thread_time() - begin)
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as folder, trace.written_to(Path(folder)):
        events = _events_of(step, recorder)
        times = [_seconds_of_an_event(recorder) for _ in range(_REPEATS)]
        recorder.end()
    low, middle, high = statistics.quantiles(times, n=4)
    return Recording(events, middle, (high - low) / 2, statistics.median(seconds))


def seconds_of_counting(inputs: int, sizes: int = 1, sets: int = 1) -> float:
    """CPU seconds that a call of a graph takes more, its sizes counted.

    It has so many ``inputs``, of which so many are dynamic ``sizes``, and ``sets`` of these come in
    turn.
    """

    def graph(*args: Any) -> Any:
        return args

    with tempfile.TemporaryDirectory() as folder, trace.written_to(Path(folder)):
        recorder = CallSizes(lambda: None)
        recorder.begin_again(on=True)
        symbols = {f"s{at}": at for at in range(sizes)}
        counted = recorder.observe(ObservedGraph("0/0", {"x": tuple(symbols)}, symbols), graph)
        calls = [(*[512 + at] * sizes, *[None] * (inputs - sizes)) for at in range(sets)]
        _of_calls(counted, calls * _TIMED)
        differences = [_of_calls(counted, calls) - _of_calls(graph, calls) for _ in range(_REPEATS)]
        recorder.stop()
    return statistics.median(differences)


def seconds_of_watching() -> float:
    """CPU seconds that a call of compiled code takes more while calls that run no graph are looked
    for.
    """
    compiled = torch.compile(lambda x: x - 1, backend="eager", dynamic=False)
    calls = [(torch.ones(3),)]
    _of_calls(compiled, calls)
    recorder = CallSizes(lambda: None)
    recorder.begin_again(on=True)
    differences = []
    for _ in range(_REPEATS):
        bare = _of_calls(compiled, calls)
        undo = patches.watch_compiled_calls(recorder.watch_eager)
        differences.append(_of_calls(compiled, calls) - bare)
        undo()
    recorder.stop()
    return statistics.median(differences)


def _of_calls(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> float:
    rounds = max(1, _EVENTS // len(calls))
    begin = thread_time()
    for _ in range(rounds):
        for args in calls:
            function(*args)
    return (thread_time() - begin) / (rounds * len(calls))


def _events_of(step: Callable[[], None], recorder: Recorder) -> float:
    """How often the recorder is called in a step: at the start of each backward."""
    count = 0

    def starts() -> None:
        nonlocal count
        count += 1
        recorder.runs.backward_starts()

    undo = patches.watch_backwards(starts)
    for _ in range(_WARM_UP):
        step()
    undo()
    return count / _WARM_UP


def _seconds_of_an_event(recorder: Recorder) -> float:
    """Time the way from torch's call of the engine to it and back, writing the times included."""
    owner: Any = torch.autograd.Variable
    stock = owner._execution_engine
    bare = _seconds_of_lookups(stock)
    undo = patches.watch_backwards(recorder.runs.backward_starts)
    watched = _seconds_of_lookups(owner._execution_engine)
    undo()
    return watched - bare


def _seconds_of_lookups(engine: Any) -> float:
    begin = thread_time()
    for _ in range(_EVENTS):
        engine.run_backward  # noqa: B018  # as torch does, just before it calls it
    return (thread_time() - begin) / _EVENTS


def _training_step(backend: str) -> Callable[[], None]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        *(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU()) for _ in range(8))
    )
    optimizer = torch.optim.Adam(model.parameters())
    compiled = torch.compile(model, backend=backend)
    inputs = torch.randn(32, 64)

    def step() -> None:
        compiled(inputs).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return step
