"""Two runs, or two baselines, side by side: what is new, gone, moved, slower.

Pure functions. Captures are recognised by kind, function and what changed, not by number.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import field
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.comparison.noise import Interval, Ratio, interval, paired, ratio
from ca_reports.costs.caches.starts import asked_for, examine
from ca_reports.diagnosis.identities import Identity, match, rewrite_note
from ca_reports.facts.graphs.changes import graph_change
from ca_reports.run.model import Capture
from ca_reports.sentences.processes import how_it_ended
from ca_reports.words.numbers import counted, duration, factor
from ca_reports.words.values import short_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.costs.caches.starts import Start
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.diagnosis.identities import Recognised
    from ca_reports.facts.graphs.changes import GraphChange
    from ca_reports.facts.summary import Summary
    from ca_reports.run.model import Compile, EventKey, Process, Run

# Reading and matching a graph takes some tenths of a second.
MAX_GRAPHS = 24


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: its name, its findings, and its run unless it is a baseline."""

    name: str
    findings: Sequence[Recognised]
    analysis: Analysis | None = None

    @property
    def run(self) -> Run | None:
        """Return the run; None for a baseline."""
        return None if self.analysis is None else self.analysis.run


@dataclass(frozen=True, slots=True)
class Count:
    """A number of both sides; None where that side cannot tell."""

    name: str
    before: float | None
    after: float | None
    is_seconds: bool = False


@dataclass(frozen=True, slots=True)
class CapturePair:
    """A capture that both runs have."""

    before: Capture
    after: Capture


@dataclass(frozen=True, slots=True)
class LostSeconds:
    """Sources of a difference of seconds lost.

    ``by_new`` and ``by_gone`` are events that only one run has; ``same_before`` and
    ``same_after`` what the others cost, ``ratio`` how they compare one by one (over all
    paired captures, those that were no loss as well), of ``pairs`` of them.
    """

    before: float
    after: float
    by_new: float
    by_gone: float
    same_before: float
    same_after: float
    pairs: int
    ratio: Ratio | None

    @property
    def beyond_noise(self) -> float:
        """Return seconds more than before that are no noise: other events, or the same if sure."""
        sure = self.ratio is not None and self.ratio.answer in ("slower", "faster")
        return self.by_new - self.by_gone + (self.same_after - self.same_before if sure else 0.0)


@dataclass(frozen=True, slots=True)
class Hits:
    """The time of a backward that hits, over the captures that both runs have.

    ``before`` and ``after`` are seconds; ``ratio`` compares each hit with the median of its
    own capture before, because captures differ in size.
    """

    before: Interval
    after: Interval
    ratio: Ratio | None


@dataclass(frozen=True, slots=True)
class RecompiledFunction:
    """A function of the user's, recompiled ``before`` times in one run, ``after`` in the other."""

    file: str
    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class RunComparison:
    """All that differs between two sides. ``runs`` is False if one of them is a baseline.

    ``start`` compares what both had of torch's caches; None if one of them asked none.
    """

    base: Side
    head: Side
    runs: bool
    counts: tuple[Count, ...]
    new: tuple[Recognised, ...]
    gone: tuple[Recognised, ...]
    moved: tuple[tuple[Recognised, Recognised], ...]
    same: tuple[tuple[Recognised, Recognised], ...]
    captures: tuple[CapturePair, ...] = ()
    new_captures: tuple[Capture, ...] = ()
    gone_captures: tuple[Capture, ...] = ()
    loss: LostSeconds | None = None
    hits: Hits | None = None
    graphs: tuple[GraphChange, ...] = ()
    graphs_compared: int = 0
    notes: tuple[str, ...] = ()
    recompiled: tuple[RecompiledFunction, ...] = ()
    start: Start | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a comparison: ``new`` findings, ``head`` slower by more than a share."""

    new: bool = False
    slower: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A comparison held against limits; ``failures`` are what fails, in words."""

    comparison: RunComparison
    limits: Limits = Limits()
    failures: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """Return the outcome in one line."""
        if self.failures:
            return f"Failed: {'; '.join(self.failures)}."
        found = self.comparison
        told = f"{len(found.new)} new, {len(found.gone)} gone, {len(found.moved)} moved"
        return f"Findings: {told}, {len(found.same)} as before."


def hold(found: RunComparison, limits: Limits) -> Outcome:
    """Hold a comparison against ``limits``; being slower needs two runs."""
    failures = []
    # A baseline does not say how severe its findings are.
    new = [
        one for one in found.new if not isinstance(one, Identity) or one.finding.severity != "info"
    ]
    if limits.new and new:
        failures.append(counted(len(new), "new finding"))
    if limits.slower is not None and (why := slower(found, limits.slower)) is not None:
        failures.append(f"slower: {why}")
    return Outcome(found, limits, tuple(failures))


def compare(base: Side, head: Side) -> RunComparison:
    """Hold ``head`` against ``base``."""
    matching = match(base.findings, head.findings)
    moved = [pair for pair in matching.pairs if _moved(*pair)]
    same = [pair for pair in matching.pairs if not _moved(*pair)]
    findings = {
        "new": matching.new,
        "gone": matching.gone,
        "moved": tuple(moved),
        "same": tuple(same),
    }
    before, after = base.analysis, head.analysis
    if before is None or after is None:
        told = f"{(base if base.run is None else head).name} is a baseline: findings only"
        old = [rewrite_note(side.findings, side.name) for side in (base, head)]
        notes = tuple(note for note in (told, *old) if note is not None)
        return RunComparison(base, head, runs=False, counts=(), notes=notes, **findings)  # type: ignore[arg-type]
    events = _Events(before, after)
    graphs, compared = _graphs(events.captures, before, after)
    return RunComparison(
        base,
        head,
        runs=True,
        counts=_counts(before.summary, after.summary),
        captures=tuple(events.captures),
        new_captures=tuple(events.new_captures),
        gone_captures=tuple(events.gone_captures),
        loss=events.loss(),
        hits=_hits(before.run, after.run, events.captures),
        graphs=graphs,
        graphs_compared=compared,
        notes=_notes(before.run, after.run),
        recompiled=_recompiled(before, after),
        start=examine(after.run, [before.run], after.files) if _asked(after, before) else None,
        **findings,  # type: ignore[arg-type]
    )


def _asked(*sides: Analysis) -> bool:
    """Return whether each of two runs asked torch's caches, or is known to have had none."""
    return all(any(asked_for(one) for one in side.run.processes) for side in sides)


def slower(comparison: RunComparison, share: float) -> str | None:
    """Explain why ``head`` is slower by more than ``share`` (0.1 for 10%); None if unsure."""
    loss, hits = comparison.loss, comparison.hits
    if loss is not None and loss.beyond_noise > share * loss.before:
        more = duration(loss.beyond_noise)
        return f"{more} lost beyond the noise, on top of {duration(loss.before)}"
    if hits is not None and hits.ratio is not None:
        found = hits.ratio
        if found.answer == "slower" and found.value > 1 + share:
            return f"a backward that hits takes {factor(found.value)}"
    return None


def _recompiled(before: Analysis, after: Analysis) -> tuple[RecompiledFunction, ...]:
    """Return the functions that gained or lost recompiles, those that gained most first."""
    old, new = _recompiles_by_function(before), _recompiles_by_function(after)
    changed = [
        RecompiledFunction(file, name, old[file, name], new[file, name])
        for file, name in old | new
        if old[file, name] != new[file, name]
    ]
    return tuple(sorted(changed, key=lambda one: (one.before - one.after, one.file, one.name)))


def _recompiles_by_function(side: Analysis) -> Counter[tuple[str, str]]:
    places = [found.code or found.location for found in side.run.forward_recompiles]
    return Counter(
        (side.places.relative(place.file), place.function) for place in places if place is not None
    )


def _moved(before: Recognised, after: Recognised) -> bool:
    if before.file != after.file:
        return True
    if isinstance(before, Identity) and isinstance(after, Identity):
        return before.line != after.line
    return False


def _counts(before: Summary, after: Summary) -> tuple[Count, ...]:
    names = (
        ("backwards", "backwards"),
        ("captures", "captures"),
        ("recaptures", "recaptures"),
        ("Dynamo recompiles", "dynamo_recompiles"),
        ("graph breaks", "graph_breaks"),
    )
    found = [Count(name, getattr(before, key), getattr(after, key)) for name, key in names]
    found.append(Count("seconds lost", before.seconds_lost, after.seconds_lost, is_seconds=True))
    found.append(Count("seconds in all", before.seconds_total, after.seconds_total, True))
    return tuple(found)


@dataclass
class _Events:
    """The captures and recompiles of two runs, paired."""

    base: Analysis
    head: Analysis
    captures: list[CapturePair] = field(default_factory=list)
    new_captures: list[Capture] = field(default_factory=list)
    gone_captures: list[Capture] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._pairs: list[tuple[Capture | Compile, Capture | Compile]] = []
        self._new: list[Capture | Compile] = []
        self._gone: list[Capture | Compile] = []
        for before, after in _processes(self.base.run, self.head.run):
            self._add(before, after)

    def loss(self) -> LostSeconds | None:
        """Return what the events cost; None if neither run is known to have lost time."""
        costs = self.base.costs, self.head.costs
        before, after = self.base.summary.seconds_lost, self.head.summary.seconds_lost
        if not before and not after:
            return None
        gone, new = costs[0].sum(self._gone), costs[1].sum(self._new)
        priced = [
            (one.seconds, other.seconds)
            for left, right in self._pairs
            if (one := costs[0].of(left)) is not None and (other := costs[1].of(right)) is not None
        ]
        times = [
            (was, now)
            for pair in self.captures
            if (was := pair.before.seconds.total) is not None
            and (now := pair.after.seconds.total) is not None
        ]
        return LostSeconds(
            before=before or 0.0,
            after=after or 0.0,
            by_new=0.0 if new is None else new.seconds,
            by_gone=0.0 if gone is None else gone.seconds,
            same_before=sum(one for one, _ in priced),
            same_after=sum(other for _, other in priced),
            pairs=len(times),
            ratio=paired(times),
        )

    def _add(self, before: Process | None, after: Process | None) -> None:
        left = [] if before is None else _events_of(before)
        right = [] if after is None else _events_of(after)
        pairs = _paired(left, right)
        self._pairs += pairs
        paired = {one.key for one, _ in pairs}, {other.key for _, other in pairs}
        gone = [event for event in left if event.key not in paired[0]]
        new = [event for event in right if event.key not in paired[1]]
        self._gone += gone
        self._new += new
        self.captures += [
            CapturePair(one, other)
            for one, other in pairs
            if isinstance(one, Capture) and isinstance(other, Capture)
        ]
        self.gone_captures += [event for event in gone if isinstance(event, Capture)]
        self.new_captures += [event for event in new if isinstance(event, Capture)]


def _paired(
    left: Sequence[Capture | Compile], right: Sequence[Capture | Compile]
) -> list[tuple[Capture | Compile, Capture | Compile]]:
    """Pair what is the same in both, in the order of ``right``, by the strictest fitting trait."""
    partner: dict[EventKey, Capture | Compile] = {}
    taken: set[EventKey] = set()
    for trait in (_with_code, _with_function, _first):
        waiting: dict[object, list[Capture | Compile]] = defaultdict(list)
        for event in left:
            if event.key not in taken and (found := trait(event)) is not None:
                waiting[found].append(event)
        for event in right:
            if event.key not in partner and waiting[trait(event)]:
                partner[event.key] = waiting[trait(event)].pop(0)
                taken.add(partner[event.key].key)
    return [(partner[event.key], event) for event in right if event.key in partner]


def _processes(base: Run, head: Run) -> Iterator[tuple[Process | None, Process | None]]:
    """Pair processes of one rank, or of one position where there are no ranks."""
    before, after = ({_rank(found): found for found in run.processes} for run in (base, head))
    for key in dict.fromkeys((*before, *after)):
        yield before.get(key), after.get(key)


def _rank(process: Process) -> tuple[str, int]:
    return ("index", process.index) if process.rank is None else ("rank", process.rank)


def _events_of(process: Process) -> list[Capture | Compile]:
    recompiles = [compiled for compiled in process.compiles if compiled.is_recompile]
    return [*process.captures, *recompiles]


def _with_code(event: Capture | Compile) -> tuple[object, ...]:
    """Return what changed, and the function and line of source that it was in."""
    call = event.backward_call if isinstance(event, Capture) else event.location
    return (*_with_function(event), call.code if call is not None else "")


def _with_function(event: Capture | Compile) -> tuple[object, ...]:
    if isinstance(event, Capture):
        call = event.backward_call
        node = short_name(event.node.name) if event.node is not None else ""
        changed = frozenset((one.name, one.attribute) for one in event.changes)
        return ("capture", event.kind, call.function if call is not None else "", node, changed)
    function = event.location.function if event.location is not None else ""
    reason = tuple((one.kind, one.source) for one in event.failed_guards)
    return ("compile", event.capture is None, function, reason)


def _first(event: Capture | Compile) -> str | None:
    """Return a name for a process's first capture, wherever it is called from now."""
    return "first" if isinstance(event, Capture) and not event.is_recapture else None


def _hits(base: Run, head: Run, pairs: Iterable[CapturePair]) -> Hits | None:
    before, after = _hit_seconds(base), _hit_seconds(head)
    plain: tuple[list[float], list[float]] = ([], [])
    scaled: tuple[list[float], list[float]] = ([], [])
    for pair in pairs:
        one = before.get((pair.before.process, pair.before.id), [])
        other = after.get((pair.after.process, pair.after.id), [])
        typical = interval(one)
        if typical is None or typical.median <= 0 or not other:
            continue
        plain[0].extend(one)
        plain[1].extend(other)
        scaled[0].extend(seconds / typical.median for seconds in one)
        scaled[1].extend(seconds / typical.median for seconds in other)
    seconds = interval(plain[0]), interval(plain[1])
    if seconds[0] is None or seconds[1] is None:
        return None
    return Hits(seconds[0], seconds[1], ratio(interval(scaled[0]), interval(scaled[1])))


def _hit_seconds(run: Run) -> dict[tuple[int, int], list[float]]:
    """(process, capture) → seconds of its hits, without the first.

    The first one often runs what was compiled for the very first time.
    """
    found: dict[tuple[int, int], list[float]] = defaultdict(list)
    for process in run.processes:
        rows = process.backwards
        if rows is None:
            continue
        for capture, seconds, miss, failed in zip(
            rows.capture, rows.seconds, rows.miss, rows.failed, strict=True
        ):
            if not miss and not failed:
                found[process.index, capture].append(seconds)
    return {key: seconds[1:] for key, seconds in found.items()}


def _graphs(
    pairs: Sequence[CapturePair], base: Analysis, head: Analysis
) -> tuple[tuple[GraphChange, ...], int]:
    """Return what changed in the graphs of paired captures, and how many were compared."""
    changes, compared = [], 0
    first = min((pair.after.process for pair in pairs), default=0)
    for pair in pairs:
        # Ranks of one job have the same graphs; one of them is enough.
        if pair.after.process != first or pair.before.graph is None or pair.after.graph is None:
            continue
        if compared == MAX_GRAPHS:
            break
        compared += 1
        change = graph_change(
            pair.before, pair.after, base.nodes(pair.before), head.nodes(pair.after)
        )
        if change is not None:
            changes.append(change)
    return tuple(changes), compared


def _notes(base: Run, head: Run) -> tuple[str, ...]:
    notes = []
    hosts = [_one(run.host for run in side.recorded if run.host) for side in (base, head)]
    if hosts[0] and hosts[1] and hosts[0] != hosts[1]:
        notes.append(f"Two machines ({hosts[0]}, {hosts[1]}): their seconds differ by themselves.")
    versions = [_versions(side) for side in (base, head)]
    notes += [
        f"{name} {versions[0][name]} → {versions[1][name]}."
        for name in sorted(versions[0].keys() & versions[1].keys())
        if versions[0][name] != versions[1][name]
    ]
    if len(base.processes) != len(head.processes):
        notes.append(
            f"{counted(len(base.processes), 'process')} before, {len(head.processes)} now."
        )
    for side, run in (("base", base), ("head", head)):
        if (ended := how_it_ended(run)) is not None:
            notes.append(f"{side}: {ended}")
        if run.damage:
            number = sum(damage.count for damage in run.damage)
            notes.append(f"{side}: {counted(number, 'damaged place')} in the log.")
    return tuple(notes)


def _versions(run: Run) -> dict[str, str]:
    found: dict[str, str] = {}
    for recorded in run.recorded:
        found.update(recorded.versions)
    for process in run.processes:
        found.update(process.versions)
    return found


def _one(names: Iterable[str | None]) -> str | None:
    return next(iter(names), None)
