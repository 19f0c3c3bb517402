"""Prices each event beyond the cost of a hit, by phase.

Pure functions of a ``Run``. Every second is counted for one event only, so that sums over
any set of events hold.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import field, replace
from functools import cached_property
from itertools import chain, islice
from statistics import median
from typing import TYPE_CHECKING, Literal, get_args

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.resumes import resumed_after
from ca_reports.run.model import Capture, Compile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ca_reports.run.model import Backwards, Event, EventKey, Process, Run

# In the order in which they happen. `other`: what is left of the first run of a new graph
# after all compiles in it and the time of a hit: guards, code loading, allocation.
PHASES = ("capture", "lowering", "dynamo", "aot", "backend", "other")


# Why every program of its kind has a recompile or a capture, so that no time is lost by it:
#   dynamic: it made a size dynamic; phase: for sizes of one beside longer ones; mode: training
#   beside evaluation; use: another module, or another place of one that calls; backward: the
#   first capture of another backward; warm_up, switch, accumulation: the program asks for it
Inherent = Literal[
    "dynamic",
    "phase",
    "warm_up",
    "switch",
    "accumulation",
    "mode",
    "use",
    "gradient",
    "backward",
    "swap",
]
INHERENT: tuple[Inherent, ...] = get_args(Inherent)


@dataclass(frozen=True, slots=True)
class Cost:
    """``seconds`` in all; ``phases`` as far as they are known, with no more in their sum.

    ``gpu_waited`` are those in which the GPU had nothing to do, as far as that was measured.
    """

    seconds: float
    phases: Mapping[str, float] = field(default_factory=dict)
    gpu_waited: float = 0.0


class Costs:
    """The cost of each recapture, recompile and graph break in a run."""

    def __init__(
        self,
        run: Run,
        inherent: Mapping[EventKey, Inherent] | None = None,
        repeated: Collection[EventKey] = (),
    ) -> None:
        """Price all events once.

        ``inherent`` events lose nothing, and are priced apart; ``repeated`` are first compiles that
        lose time because the same code was compiled before.
        """
        self._costs: dict[EventKey, Cost] = {}
        self._firsts: dict[EventKey, Cost] = {}
        self._apart: dict[EventKey, Cost] = {}
        self._inherent = dict(inherent or {})
        self._repeated = frozenset(repeated)
        self._by_process: dict[int, Sequence[Cost]] = {}
        for process in run.processes:
            before = len(self._costs)
            self._add(process)
            self._by_process[process.index] = tuple(islice(self._costs.values(), before, None))

    def of(self, event: Event) -> Cost | None:
        """Return the cost of an event of the model; None if the log has no time for it."""
        return self._costs.get(event.key)

    def of_capture(self, capture: Capture) -> Cost | None:
        """Return the same of a capture that may be a first one, or inherent, which lose nothing."""
        key = capture.key
        return self._costs.get(key) or self._firsts.get(key) or self._apart.get(key)

    def sum(self, events: Iterable[Event]) -> Cost | None:
        """Return the cost of several events, each counted once; None if none has a time."""
        keys = dict.fromkeys(event.key for event in events)
        return add(self._costs[key] for key in keys if key in self._costs)

    def inherent(self, event: Event) -> Inherent | None:
        """Return why every program of its kind has an event, which loses nothing; else None."""
        return self._inherent.get(event.key)

    def spent(self, events: Iterable[Event]) -> float | None:
        """Return the seconds that inherent events took, each once; None if none has a time."""
        keys = dict.fromkeys(event.key for event in events)
        found = add(self._apart[key] for key in keys if key in self._apart)
        return None if found is None else found.seconds

    def lost(self, events: Sequence[Event]) -> float | None:
        """Return the seconds that events took beyond a hit, each once; None if none has a time."""
        priced = [
            cost
            for key in dict.fromkeys(event.key for event in events)
            if (cost := self._costs.get(key)) is not None
        ]
        if not priced and any(map(self.loses, events)):
            return None
        return sum((cost.seconds for cost in priced), 0.0)

    def loses(self, event: Event) -> bool:
        """Return whether an event took time beyond a hit, known or not."""
        if event.key in self._costs:
            return True
        if event.key in self._inherent:
            return False
        if isinstance(event, Capture):
            return event.is_recapture
        return isinstance(event, Compile) and event.has_failed_guards

    def gpu_waited(self, processes: Iterable[Process]) -> float | None:
        """Return seconds of `lost` in which GPUs had nothing to do; None if that isn't measured."""
        measured = [process for process in processes if process.gpu_waits]
        if not measured:
            return None
        return sum(cost.gpu_waited for found in measured for cost in self._by_process[found.index])

    def _add(self, process: Process) -> None:
        waits = process.gpu_waits
        compiled: dict[int, list[Compile]] = defaultdict(list)
        for found in process.compiles:
            if found.key in self._inherent:
                if found.seconds is not None:
                    self._apart[found.key] = _compile_cost(found, found.seconds, waits)
                continue
            if found.has_failed_guards or found.key in self._repeated:
                if found.seconds is not None:
                    # Not a copy of the phases: there may be 50,000 of them.
                    self._costs[found.key] = _compile_cost(found, found.seconds, waits)
            elif found.capture is not None:
                compiled[found.capture].append(found)
        self._add_breaks(process, compiled)
        for broken, resumed in resumed_after(process).items():
            # Their recompiles are events of their own, priced above.
            rest = add(
                _compile_cost(found, found.seconds, waits)
                for found in resumed
                if not found.has_failed_guards and found.seconds is not None
            )
            if rest is not None:
                self._costs[broken] = rest
        for graph in process.cuda_graphs:
            if graph.is_rerecord:
                self._costs[graph.key] = Cost(graph.seconds, {"other": graph.seconds})
        hits = _Hits(process.backwards)
        for capture in process.captures:
            cost = _capture_cost(capture, compiled[capture.id], hits, waits)
            if cost is None:
                continue
            if capture.key in self._inherent:
                self._apart[capture.key] = cost
            else:
                (self._costs if capture.is_recapture else self._firsts)[capture.key] = cost

    def _add_breaks(self, process: Process, compiled: Mapping[int, Sequence[Compile]]) -> None:
        """Price graph breaks of first captures: the functions after them, by their number.

        Of captures made again it is in their own cost. Without the break their operations would
        be in the first function, which saves what a function costs at least. Measured with
        Inductor on the samples of CA505: 1.5 s, and the two programs differ by 1.7 s.
        """
        for capture in process.captures:
            if capture.is_recapture:
                continue
            own = compiled.get(capture.id, ())
            first = min((found.function for found in own), default=0)
            rest = add(
                _compile_cost(found, found.seconds, process.gpu_waits)
                for found in own
                if found.function > first and found.seconds is not None
            )
            breaks = [found for found in process.graph_breaks if found.capture == capture.id]
            times = sum(found.count for found in breaks)
            for found in breaks:
                if rest is not None:
                    self._costs[found.key] = _part(rest, found.count / times)


def _part(cost: Cost, share: float) -> Cost:
    phases = {phase: spent * share for phase, spent in cost.phases.items()}
    return Cost(cost.seconds * share, phases, cost.gpu_waited * share)


def _compile_cost(found: Compile, seconds: float, waits: Mapping[str, float]) -> Cost:
    waited = min(seconds, waits.get(found.compile_id, 0.0)) if waits else 0.0
    return Cost(seconds, found.phases, waited)


def add(costs: Iterable[Cost]) -> Cost | None:
    """Return the sum of some costs; None of none."""
    seconds, waited, phases, known = 0.0, 0.0, defaultdict[str, float](float), False
    for cost in costs:
        known = True
        seconds += cost.seconds
        waited += cost.gpu_waited
        for phase, spent in cost.phases.items():
            phases[phase] += spent
    if not known:
        return None
    return Cost(seconds, {phase: phases[phase] for phase in PHASES if phases.get(phase)}, waited)


def _capture_cost(
    capture: Capture, compiles: list[Compile], hits: _Hits, waits: Mapping[str, float]
) -> Cost | None:
    parts: list[Cost] = []
    if capture.seconds.capture is not None:
        parts.append(Cost(capture.seconds.capture, {"capture": capture.seconds.capture}))
    if capture.seconds.compile is not None:
        phases = add(Cost(0.0, found.phases) for found in compiles)
        parts.append(Cost(capture.seconds.compile, phases.phases if phases else {}))
    first_run = hits.first_run(capture.id)
    if first_run is not None:
        other = first_run - hits.typical(capture.id) - (capture.seconds.compile or 0.0)
        if other > 0:
            parts.append(Cost(other, {"other": other}))
    cost = add(parts)
    if cost is None or not waits:
        return cost
    events = [capture.label, *(found.compile_id for found in compiles)]
    waited = sum(waits.get(event, 0.0) for event in events)
    return replace(cost, gpu_waited=min(cost.seconds, waited))


class _Hits:
    """The time that a process's backwards took: on the miss, and usually."""

    def __init__(self, rows: Backwards | None) -> None:
        self._first: dict[int, float] = {}
        # Of a million hits one capture may have nearly all.
        self._hits: dict[int, array[float]] = defaultdict(lambda: array("d"))
        if rows is None:
            return
        for capture, seconds, miss, failed in zip(
            rows.capture, rows.seconds, rows.miss, rows.failed, strict=True
        ):
            if failed:
                continue
            if miss:
                self._first[capture] = seconds
            else:
                self._hits[capture].append(seconds)

    def first_run(self, capture: int) -> float | None:
        return self._first.get(capture)

    def typical(self, capture: int) -> float:
        """Return the median of this capture's hits, of all hits if it has none, else nothing.

        A median, because a hit whose graph Dynamo compiles again takes a thousand times as
        long.
        """
        found = self._hits.get(capture)
        return median(found) if found else self._of_any

    @cached_property
    def _of_any(self) -> float:
        every = array("d", chain.from_iterable(self._hits.values()))
        return median(every) if every else 0.0
