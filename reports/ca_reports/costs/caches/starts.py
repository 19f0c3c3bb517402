"""A start of a program, graph by graph: what came from a cache, what did not, and why."""

from __future__ import annotations

import posixpath
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from ca_engine import guards
from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.costs.caches.components import INDUCTOR
from ca_reports.costs.caches.differing import causes, described
from ca_reports.costs.caches.obstacles import (
    ALL_OFF,
    FROZEN,
    NOT_ASKED,
    Obstacle,
    environment_of,
    origins,
)
from ca_reports.costs.caches.partners import Partners, all_asked
from ca_reports.costs.caches.settings import ProgramSettings, SettingOrigin
from ca_reports.facts.bypassed import is_on_its_own, kind_of, operation_of
from ca_reports.facts.dynamic_shapes import dynamic_dimensions
from ca_reports.logs.fields import no_entries
from ca_reports.program.stack import is_library_file, is_of_optimizer
from ca_reports.run.build.inputs import without_signs
from ca_reports.run.model import own_frame
from ca_reports.torchlib.dynamo import PROFILE, PROFILE_VARIABLE
from ca_reports.torchlib.inductor import (
    FOLDER_VARIABLES,
    FRESH_FOLDERS,
    LOADS_BUNDLE,
    REMOTE_VARIABLES,
    SAVES_BUNDLE,
    SET_BY_MODES,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ca_reports.costs.caches.differing import Differing
    from ca_reports.costs.caches.partners import Asked, Partner
    from ca_reports.costs.caches.settings import CompileModes
    from ca_reports.program.files import SourceFiles
    from ca_reports.run.cached import (
        CacheLookup,
        CacheName,
        KeyParts,
        TritonKernel,
        TuningState,
    )
    from ca_reports.run.model import Compile, EventKey, Frame, GraphBreak, Process, Run

# Why a graph was compiled again although an earlier run had it under the same key.
SameKey = Literal[
    "folder",
    "machine",
    "remote",
    "file",
    "no file",
    "sizes",
    "not pickled",
    "not written",
    "not saved",
    "no backward",
    "no backward before",
    "no code",
    "saved before",
    "own file",
    "gone",
]
# Of a compile: all of it came from caches; only its AOTAutograd part was done again, as its cache
# missed, did not take the graph, or is off; inductor compiled a graph, also where all caches are
# off; its cache did not take one.
Outcome = Literal["warm", "traced", "compiled", "bypassed"]

_GUARDS = "guard_miss"
# ``cond`` of ``cond_1``.
_NUMBERED = expression(r"_\d+$")
# Of two graphs, the fields of those that differ in a number alone.
_NUMBERS = frozenset(("number", "argument", "factor"))


@dataclass(frozen=True, slots=True)
class ExplainedDifference:
    """A component that differs, and what set it; ``mode`` where a mode of `torch.compile` did.

    Of a graph, ``written`` are the program's lines of the operations that differ, of the earlier
    start and of the later; None where a graph has none there.
    """

    differing: Differing
    origin: SettingOrigin
    mode: CompileModes | None = None
    written: tuple[Frame | None, Frame | None] = (None, None)


@dataclass(frozen=True, slots=True)
class LookupRow:
    """One look-up. ``partner`` is what a miss is compared with, ``differs`` how the keys differ.

    ``causes`` are those of them that the others follow from. ``same_key`` is why it missed with the
    key of its partner, and ``key_origin`` what set that.
    """

    asked: Asked
    partner: Partner | None = None
    differs: tuple[ExplainedDifference, ...] = ()
    causes: tuple[ExplainedDifference, ...] = ()
    same_key: SameKey | None = None
    key_origin: SettingOrigin | None = None

    @property
    def lookup(self) -> CacheLookup:
        """Return the look-up itself."""
        return self.asked.lookup


@dataclass(frozen=True, slots=True)
class CompiledCode:
    """One compile and its look-ups, none where all caches are off.

    ``seconds`` are what the caches did not save of it.
    """

    process: Process
    compile_id: str
    compiled: Compile | None
    rows: tuple[LookupRow, ...]

    @property
    def location(self) -> Frame | None:
        """Return the compiled code, or the line that called it where that is a library's.

        Of a captured backward it is the call of ``backward``.
        """
        compiled = self.compiled
        if compiled is None:
            return None
        if compiled.capture is not None and compiled.location is not None:
            return compiled.location
        code = compiled.code
        return code if code and not is_library_file(code.file) else compiled.location or code

    @property
    def called(self) -> Frame | None:
        """Return the program's line that called the compiled code; None if it was not recorded."""
        held = None if self.compiled is None else self.compiled.held
        return own_frame(held.stack) if held is not None else None

    @property
    def outcome(self) -> Outcome:
        """Return what became of it."""
        states = {(row.lookup.cache, row.lookup.state) for row in self.rows}
        if ("aot", "hit") in states or ("dynamo", "hit") in states:
            return "warm"
        if ("fx", "miss") in states or not any(cache == "fx" for cache, _ in states):
            return "compiled"
        if ("fx", "bypass") in states:
            return "bypassed"
        is_traced = self.lacks_aot or any(cache == "aot" for cache, _ in states)
        return "traced" if is_traced else "warm"

    @property
    def kept_out(self) -> dict[Obstacle, list[LookupRow]]:
        """Return the look-ups that were left out, by what kept the graphs out of the caches.

        Frozen weights are no weights to inductor any more, and what else it says of them follows.
        """
        found: dict[Obstacle, list[LookupRow]] = {}
        for row in self.rows:
            if row.lookup.state == "bypass":
                obstacle = Obstacle(*kind_of(row.lookup, self.compiled))
                found.setdefault(obstacle, []).append(row)
        if frozen := found.get(FROZEN):
            for obstacle in [one for one in found if one.kind == "unnameable"]:
                frozen += found.pop(obstacle)
        if not self.rows:
            return {ALL_OFF: []}
        if self.lacks_aot and not self.process.captures:  # whose forwards it keeps none of (CA605)
            found[NOT_ASKED] = [*self.rows]
        return found

    def is_cut_by(self, found: GraphBreak) -> bool:
        """Return whether a graph break is in the code that was compiled, or in what it calls.

        What is before the break, within it and after it is compiled as graphs of their own.
        """
        own = self.location
        frames = (*found.stack, *filter(None, (found.location,)))
        return found.compile_id == self.compile_id or (
            own is not None
            and any((frame.file, frame.function) == (own.file, own.function) for frame in frames)
        )

    def written(self, obstacle: Obstacle) -> Frame | None:
        """Return the program's line of the operation that no cache knows; None if unknown."""
        operation = operation_of(*obstacle)
        lines = {} if self.compiled is None or operation is None else self.compiled.graph_lines
        found = (
            place
            for name, place in lines.items()
            if _NUMBERED.sub("", name) == operation and not is_library_file(place.file)
        )
        return next(found, None)

    @property
    def lacks_aot(self) -> bool:
        """Return whether AOTAutogradCache was not asked for it, as it is turned off."""
        return all(is_on_its_own(row.lookup, self.compiled) for row in self.rows)

    @property
    def is_whole_function(self) -> bool:
        """Return whether Dynamo's cache had the function: other caches were not asked for it."""
        return all(
            row.lookup.cache == "fx" and row.lookup.state == "hit" and row.lookup.key is None
            for row in self.rows
        )

    @property
    def seconds(self) -> float | None:
        """Return how long was compiled what no cache had; None if unknown."""
        if self.outcome == "warm":
            return 0.0
        measured = [row.lookup.seconds for row in self.rows if row.lookup.seconds is not None]
        phases: Mapping[str, float] = {} if self.compiled is None else self.compiled.phases
        if self.outcome == "traced":
            return phases.get("aot")
        whole = phases.get("backend", 0.0) + phases.get("aot", 0.0)
        if not measured and not phases:
            return None
        # The metrics of a forward's compile may leave out the backward that came later.
        return max(sum(measured), whole)

    @property
    def saved(self) -> float:
        """Return the seconds that hits saved, by torch's account."""
        hits = [row.lookup for row in self.rows if row.lookup.state == "hit"]
        of_aot = [hit.saved for hit in hits if hit.cache == "aot" and hit.saved is not None]
        if of_aot:  # which are those of the graphs in it
            return sum(of_aot)
        return sum(hit.saved or 0.0 for hit in hits)

    def store(self, cache: CacheName) -> Literal["local", "remote"] | None:
        """Return where the hits of a cache came from; None for none, or of both, or if unknown."""
        counts = {} if self.compiled is None else self.compiled.cache
        local, remote = counts.get(f"{cache}_hit", 0), counts.get(f"{cache}_remote_hit", 0)
        if bool(local) == bool(remote):
            return None
        return "remote" if remote else "local"

    @property
    def remote_lookups(self) -> frozenset[str]:
        """Return which states look-ups of remote caches had: ``hit``, ``miss``."""
        counts = {} if self.compiled is None else self.compiled.cache
        return frozenset(
            state
            for state in ("hit", "miss")
            if any(counts.get(f"{cache}_remote_{state}") for cache in ("fx", "aot"))
        )

    def cause_of(self, row: LookupRow, difference: ExplainedDifference) -> Cause:
        """Return one difference of one look-up as a cause of its own."""
        assert row.partner is not None
        return Cause((difference,), None, (self,), row.partner)

    @property
    def explaining(self) -> tuple[LookupRow, ...]:
        """Return the misses that say why: of AOTAutogradCache, which is asked first, if it does."""
        missed = [row for row in self.rows if row.lookup.state == "miss"]
        if self.outcome == "warm":
            return ()
        first = [
            row for row in missed if row.lookup.cache == "aot" and (row.causes or row.same_key)
        ]
        return tuple(first or (row for row in missed if row.causes or row.same_key))


@dataclass(frozen=True, slots=True)
class Cause:
    """Why graphs were compiled again: components of one origin, or one key that was not there."""

    differs: tuple[ExplainedDifference, ...]
    same_key: SameKey | None
    compiles: tuple[CompiledCode, ...]
    partner: Partner

    @property
    def origin(self) -> SettingOrigin:
        """Return what set the components, or the folder of the cache."""
        if self.differs:
            return self.differs[0].origin
        rows = (row for found in self.compiles for row in found.rows)
        return next((row.key_origin for row in rows if row.key_origin), SettingOrigin())

    @property
    def broken_at(self) -> tuple[Frame, ...]:
        """Return the program's lines of graph breaks in its code that the earlier start had not.

        None where nothing of another graph differs.
        """
        families = {found.differing.about.family for found in self.differs}
        if families.isdisjoint(("graph", "inputs")):
            return ()
        earlier = {
            (place.function, place.code)
            for found in self.partner.asked.process.graph_breaks
            if (place := found.location) is not None
        }
        return tuple(
            place
            for compiled in self.compiles
            for found in compiled.process.graph_breaks
            if compiled.is_cut_by(found)
            and (place := found.location) is not None
            and (place.function, place.code) not in earlier
        )

    @property
    def mode(self) -> CompileModes | None:
        """Return the modes of `torch.compile` that set the components; None if none did."""
        return self.differs[0].mode if self.differs else None

    @property
    def seconds(self) -> float:
        """Return the seconds of the compiles that it caused."""
        return sum(found.seconds or 0.0 for found in self.compiles)


@dataclass(frozen=True, slots=True)
class AmongRanks:
    """What the processes of one run compiled beside each other.

    ``graphs`` were compiled by several ``processes`` under one key each, in ``seconds`` of all of
    them, of which ``spared`` is what one process compiling first would have left to the others.
    ``causes`` are why other processes' graphs have keys of their own, compared with the first's.
    """

    processes: int
    graphs: int
    seconds: float
    spared: float
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class Start:
    """A run's use of caches; ``earlier`` are the runs that it was compared with.

    ``kept_out`` says of each obstacle that kept graphs out of caches what set it, or where it is
    written, and ``profile_off`` what turned PGO off.
    """

    run: Run
    earlier: tuple[Run, ...]
    compiles: tuple[CompiledCode, ...]
    causes: tuple[Cause, ...] = ()
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    ranks: AmongRanks | None = None
    kept_out: Mapping[Obstacle, SettingOrigin] = field(default_factory=no_entries)
    profile_off: SettingOrigin = field(default_factory=SettingOrigin)

    @property
    def seconds(self) -> float:
        """Return the seconds that were compiled for want of a cached graph."""
        return sum(found.seconds or 0.0 for found in self.compiles)

    @property
    def saved(self) -> float:
        """Return the seconds that hits saved."""
        return sum(found.saved for found in self.compiles)

    @property
    def lookups(self) -> Mapping[tuple[str, str], int]:
        """Count look-ups by cache and state."""
        return Counter(
            (row.lookup.cache, row.lookup.state) for found in self.compiles for row in found.rows
        )

    @property
    def from_file(self) -> int:
        """Count the compiles that came from the file of `ca run --cache FILE`."""
        return sum(
            found.outcome == "warm"
            and (file := found.process.cache_file) is not None
            and (
                any(row.lookup.key in file.keys for row in found.rows)
                or (file.holds_functions and found.is_whole_function)
            )
            for found in self.compiles
        )

    @property
    def tunings(self) -> Mapping[TuningState, list[TritonKernel]]:
        """Return the Triton kernels by what the cache of autotuning had of each."""
        found: dict[TuningState, list[TritonKernel]] = {}
        for process in self.run.processes:
            for kernel in process.kernels:
                if kernel.tuning is not None:
                    found.setdefault(kernel.tuning, []).append(kernel)
        return found

    @property
    def bundled(self) -> int:
        """Count the Triton kernels that came with the graphs of hits."""
        return sum(len(row.lookup.bundled) for found in self.compiles for row in found.rows)

    @property
    def from_remote(self) -> int:
        """Count the compiles of which a remote cache had a part."""
        return sum("hit" in found.remote_lookups for found in self.compiles)

    @property
    def asked_remote(self) -> int:
        """Count the compiles for which a remote cache was asked."""
        return sum(bool(found.remote_lookups) for found in self.compiles)

    @property
    def became_dynamic(self) -> tuple[Compile, ...]:
        """Return the recompiles that made a size dynamic which PGO would have known at the start.

        Of a process that had a profile, none that the profile did not know.
        """
        return tuple(
            compiled for process in self.run.processes for compiled in _known_to_pgo(process)
        )

    @property
    def had_profile(self) -> bool:
        """Return whether a profile of PGO knew of one of `became_dynamic`, which did not help."""
        return any(
            profile.loaded and any(True for _ in _known_to_pgo(process))
            for process in self.run.processes
            for profile in process.profiles
        )

    @property
    def recompiles_each_time(self) -> bool:
        """Return whether nothing is known of an earlier start that did without `became_dynamic`."""
        return not self.earlier or any(
            any(True for _ in _became_dynamic(process))
            for run in self.earlier
            for process in run.processes
        )

    @property
    def is_of_torchs_closure(self) -> bool:
        """Return whether `became_dynamic` is calls of modules of `torch.nn`, by Dynamo's wrapper.

        PGO knows that closure by a hash that is another one in each process.
        """
        return all(compiled.is_wrapped for compiled in self.became_dynamic)

    @property
    def keeps_no_profile(self) -> bool:
        """Return whether PGO was turned off where one of `became_dynamic` was compiled."""
        return any(compiled.settings.keeps_profile is False for compiled in self.became_dynamic)

    @property
    def kept_profile(self) -> bool:
        """Return whether PGO kept what it saw at this start, which the job's next one will know."""
        return any(
            not profile.loaded for process in self.run.processes for profile in process.profiles
        )

    @property
    def dynamic_sources(self) -> tuple[str, ...]:
        """Return what `became_dynamic` is about, as ``TORCH_COMPILE_DYNAMIC_SOURCES`` takes it."""
        became = {compiled.key for compiled in self.became_dynamic}
        found = (
            dimension.as_sources
            for process in self.run.processes
            for dimension in dynamic_dimensions(process.compiles, _failed_guards(process))
            if dimension.became is not None and dimension.became.key in became
        )
        return tuple(dict.fromkeys(filter(None, ",".join(found).split(","))))

    @property
    def of_same_source(self) -> tuple[Frame, ...]:
        """Return where else something was compiled with an input of `dynamic_sources`.

        ``TORCH_COMPILE_DYNAMIC_SOURCES`` goes by the name alone: it makes those dynamic, too.
        """
        names = {without_signs(source) for source in self.dynamic_sources}
        own = {compiled.location for compiled in self.became_dynamic}
        found = (
            compiled.location
            for process in self.run.processes
            for compiled in process.compiles
            if compiled.is_forward
            and compiled.location not in own
            and not names.isdisjoint(compiled.inputs)
        )
        return tuple(dict.fromkeys(place for place in found if place is not None))

    @property
    def unexplained(self) -> tuple[CompiledCode, ...]:
        """Return the compiles that nothing explains, of an earlier run or of torch's reasons."""
        explained = {id(found) for cause in self.causes for found in cause.compiles}
        return tuple(
            found
            for found in self.compiles
            if found.outcome in ("compiled", "traced")
            and id(found) not in explained
            and found.rows
            and not (found.outcome == "traced" and found.lacks_aot)
            and all(row.lookup.state != "bypass" for row in found.rows)
        )


def examine(run: Run, earlier: Sequence[Run], files: SourceFiles) -> Start:
    """Compare the look-ups of ``run`` with those of ``earlier`` runs."""
    settings = ProgramSettings(files, run)
    partners = Partners(all_asked(process for one in earlier for process in one.processes))
    compiles = (
        *_grouped(_row(asked, partners, settings) for asked in all_asked(run.processes)),
        *(found for process in run.processes for found in _without_caches(process)),
    )
    return Start(
        run,
        tuple(earlier),
        compiles,
        _causes(compiles),
        Counter(found.outcome for found in compiles),
        _among_ranks(run, settings),
        origins(
            ((one, found.written(one)) for found in compiles for one in found.kept_out),
            run,
            earlier,
            settings,
        ),
        _profile_off(run, settings),
    )


def _profile_off(run: Run, settings: ProgramSettings) -> SettingOrigin:
    """Search for what turns PGO off, where it was off."""
    if all(compiled.settings.keeps_profile is not False for compiled in run.compiles):
        return SettingOrigin()
    found = settings.variables((PROFILE_VARIABLE,), no_entries(), environment_of([run]))
    return found or SettingOrigin(lines=settings.lines(f"config.{PROFILE}"))


def _among_ranks(run: Run, settings: ProgramSettings) -> AmongRanks | None:
    """Compare the processes of one run with each other; None of a single one that asked caches."""
    asking = [process for process in run.processes if process.cache_lookups]
    if len(asking) < 2:
        return None
    by_key: dict[str, list[Asked]] = {}
    for asked in all_asked(asking):
        lookup = asked.lookup
        if lookup.cache == "fx" and lookup.state == "miss" and lookup.key is not None:
            by_key.setdefault(lookup.key, []).append(asked)
    repeated = [found for found in by_key.values() if len({one.process.index for one in found}) > 1]
    times = [[one.lookup.seconds or 0.0 for one in found] for found in repeated]
    first, *others = asking
    partners = Partners(all_asked([first]))
    rows = [
        row
        for row in (_row(asked, partners, settings) for asked in all_asked(others))
        if row.causes and row.partner is not None and row.partner.is_same_function
    ]
    causes = _causes(_grouped(rows))
    found = AmongRanks(
        len({one.process.index for found in repeated for one in found}),
        len(repeated),
        sum(map(sum, times)),
        sum(sum(one) - max(one) for one in times),
        causes,
    )
    return found if repeated or causes else None


def _failed_guards(process: Process) -> dict[EventKey, tuple[guards.Guard, ...]]:
    return {
        compiled.key: compiled.failed_guards
        for compiled in process.compiles
        if compiled.recompile_reason
    }


def _known_to_pgo(process: Process) -> Iterator[Compile]:
    """Yield the recompiles that made a size dynamic, with a profile those that it knew of.

    PGO does not know a function again whose closure holds objects.
    """
    loaded = [profile.dynamic_sources for profile in process.profiles if profile.loaded]
    known = {source for sources in loaded for source in sources}
    sources = {
        dimension.became.key: dimension.as_sources.split(",")
        for dimension in dynamic_dimensions(process.compiles, _failed_guards(process))
        if loaded and dimension.became is not None
    }
    for compiled in _became_dynamic(process):
        if not loaded or not known.isdisjoint(sources.get(compiled.key, ())):
            yield compiled


def _became_dynamic(process: Process) -> Iterator[Compile]:
    """Yield the compile of each function in which sizes are symbols that were numbers before."""
    static: dict[int, Compile] = {}
    for compiled in process.compiles:
        if not compiled.is_forward or not compiled.inputs:
            continue
        first = static.setdefault(compiled.function, compiled)
        pairs = ((size, first.inputs.get(name)) for name, size in compiled.inputs.items())
        if compiled.is_recompile and any(
            isinstance(now, str) and isinstance(then, int)
            for sizes, before in pairs
            for now, then in zip(sizes, before or (), strict=False)
        ):
            yield compiled
            static[compiled.function] = compiled


def asked_for(process: Process) -> tuple[CompiledCode, ...]:
    """Return the compiles of a process that asked a cache or had none, compared with nothing."""
    asked = _grouped(LookupRow(asked) for asked in all_asked([process]))
    return (*asked, *_without_caches(process))


def _without_caches(process: Process) -> tuple[CompiledCode, ...]:
    """Return what inductor compiled in a process that asked no cache, by torch's own counters."""
    end = process.end
    if end is None or end.aot_cache or end.fx_cache or process.cache_lookups:
        return ()
    return tuple(
        CompiledCode(process, compiled.compile_id, compiled, ())
        for compiled in process.compiles
        if compiled.inductor
    )


def _grouped(rows: Iterable[LookupRow]) -> tuple[CompiledCode, ...]:
    grouped: dict[tuple[int, str], list[LookupRow]] = {}
    for row in rows:
        grouped.setdefault((row.asked.process.index, row.lookup.compile_id), []).append(row)
    return tuple(
        CompiledCode(found[0].asked.process, compile_id, found[0].asked.compiled, tuple(found))
        for (_, compile_id), found in grouped.items()
    )


def _row(asked: Asked, partners: Partners, settings: ProgramSettings) -> LookupRow:
    if asked.lookup.state != "miss":
        return LookupRow(asked)
    partner = partners.of(asked)
    if partner is None:
        return LookupRow(asked)
    if not partner.differences:
        same = _same_key(asked, partner.asked)
        origin = None
        environments = partner.asked.lookup.environment, asked.lookup.environment
        if same == "folder":
            folders = partner.asked.lookup.folder, asked.lookup.folder
            origin = _fresh_folder(asked, settings) or settings.folder(*folders, *environments)
        elif same == "remote":
            origin = settings.variables(REMOTE_VARIABLES, *environments)
        elif same == "gone" and (loads := settings.called(LOADS_BUNDLE)):
            # Which would have brought it.
            saves = [place for place in settings.called(SAVES_BUNDLE) if _is_before(place, asked)]
            same = "saved before" if saves else "own file"
            origin = SettingOrigin(lines=tuple(saves) or loads)
        return LookupRow(asked, partner, same_key=same, key_origin=origin)
    before, after = partner.asked.lookup.environment, asked.lookup.environment
    described_ones = [_of_optimizer(found, asked) for found in described(partner, asked)]
    decisive = {found.name for found in causes(described_ones)}
    differs = _by_mode(
        [
            ExplainedDifference(
                found,
                settings.origin(found.name, found.about, before, after),
                written=(_written(partner.asked, found.before), _written(asked, found.after))
                if found.about.family == "graph"
                else (None, None),
            )
            for found in described_ones
        ],
        partner.asked.lookup.parts,
        asked.lookup.parts,
        settings,
    )
    return LookupRow(
        asked,
        partner,
        differs,
        tuple(one for one in differs if one.differing.name in decisive),
    )


def _fresh_folder(asked: Asked, settings: ProgramSettings) -> SettingOrigin:
    """Return where the program has caches in a folder of their own; empty if it does not.

    Torch does that by the variable that names the folder.
    """
    (variable,) = FOLDER_VARIABLES[0]
    lines = tuple(place for name in FRESH_FOLDERS for place in settings.called(name))
    is_from_outside = asked.process.environment.get(variable) == asked.lookup.folder
    return SettingOrigin() if is_from_outside else SettingOrigin(lines=lines)


def _is_before(place: Frame, asked: Asked) -> bool:
    """Return whether a line of the program comes before the one that led to a compile."""
    stack = () if asked.compiled is None else asked.compiled.stack
    own = posixpath.join(asked.process.cwd or "", place.file), place.function
    return any((frame.file, frame.function) == own and frame.line > place.line for frame in stack)


def _of_optimizer(found: Differing, asked: Asked) -> Differing:
    """Note of a number in a graph whether an optimizer of torch's put it there."""
    made = _made(asked, found.after)
    if _NUMBERS.isdisjoint(found.fields) or made is None or not is_of_optimizer(made.file):
        return found
    return replace(found, fields=("rate",))


def _written(asked: Asked, line: str | None) -> Frame | None:
    """Return the program's line that a line of its graph was made at; None if unknown."""
    found = _made(asked, line)
    return None if found is None or is_library_file(found.file) else found


def _made(asked: Asked, line: str | None) -> Frame | None:
    """Return the line, which may be a library's, that a line of a graph was made at."""
    if asked.compiled is None or line is None:
        return None
    return asked.compiled.graph_lines.get(line.partition(" = ")[0])


def _by_mode(
    differs: Sequence[ExplainedDifference],
    before: KeyParts,
    after: KeyParts,
    settings: ProgramSettings,
) -> tuple[ExplainedDifference, ...]:
    """Note which differences a mode of `torch.compile` made, where all of them may be its own."""
    of_modes = {f"{INDUCTOR}[{setting}]": setting for setting in SET_BY_MODES}
    own = [found for found in differs if found.differing.name in of_modes]
    if not own or any(found.origin.variables for found in own):
        return tuple(differs)
    turned_on = [
        [
            setting
            for name, setting in of_modes.items()
            if (part := parts.get(name)) is not None and part.text == "True"
        ]
        for parts in (before, after)
    ]
    mode = settings.mode([of_modes[found.differing.name] for found in own], *turned_on)
    if mode is None:
        return tuple(differs)
    origin = SettingOrigin(lines=mode.lines)
    return tuple(
        replace(found, origin=origin, mode=mode) if found in own else found for found in differs
    )


def _same_key(after: Asked, before: Asked) -> SameKey:
    """Say why what has the same key was not there: as much as the two runs tell."""
    end = before.process.end
    is_new = before.lookup.state == "miss"
    if before.lookup.unsaved is not None:
        return "not pickled"
    if is_new and end is not None and end.fx_cache.get("write_error"):
        return "not written"
    if _asked_remote(before) and _asked_remote(after):
        return "remote"
    folders = before.lookup.folder, after.lookup.folder
    hosts = before.process.host, after.process.host
    is_elsewhere = any(all(pair) and pair[0] != pair[1] for pair in (hosts, folders))
    if is_elsewhere and (file := after.process.cache_file) is not None:
        if file.problem is not None:
            return "no file"
        if after.lookup.key not in file.keys:
            return "file"
    if all(hosts) and hosts[0] != hosts[1]:
        return "machine"
    if all(folders) and folders[0] != folders[1]:
        return "folder"
    if after.lookup.status == _GUARDS:
        return "sizes"
    is_aot = after.lookup.cache == "aot"
    if is_aot and _has_no_code(before) and _has_no_code(after):
        return "no code"
    if is_aot and is_new and end is not None and not end.aot_cache.get("saved"):
        if before.process.captures:
            return "not saved"
        if _has_backward(before):
            return "not written"
        return "no backward before" if _has_backward(after) else "no backward"
    return "gone"


def _has_no_code(asked: Asked) -> bool:
    """Return whether inductor's cache was asked, and not for a graph of the same compile.

    AOTAutograd saves no graph without code of inductor's (torch 2.13.0: one that only returns what
    it is given, or views of that).
    """
    compiles = {one.compile_id for one in asked.process.cache_lookups if one.cache == "fx"}
    return bool(compiles) and asked.lookup.compile_id not in compiles


def _has_backward(asked: Asked) -> bool:
    """Return whether inductor's cache was asked for a backward of the same compile."""
    return any(
        lookup.graph == "backward" and lookup.compile_id == asked.lookup.compile_id
        for lookup in asked.process.cache_lookups
    )


def _asked_remote(asked: Asked) -> bool:
    """Return whether a remote cache was asked for it, too."""
    counts = {} if asked.compiled is None else asked.compiled.cache
    return any(counts.get(f"{asked.lookup.cache}_remote_{state}") for state in ("hit", "miss"))


def _causes(compiles: Iterable[CompiledCode]) -> tuple[Cause, ...]:
    """Gather what was caused alike, the costliest first."""
    found: dict[
        object, tuple[dict[str, ExplainedDifference], list[CompiledCode], SameKey | None, Partner]
    ]
    found = {}
    for compiled in compiles:
        for row in compiled.explaining:
            assert row.partner is not None
            for difference in row.causes:
                _note(
                    found, _identity(difference, compiled), difference, None, row.partner, compiled
                )
            if row.same_key is not None:
                _note(found, row.same_key, None, row.same_key, row.partner, compiled)
    made = [
        Cause(tuple(differs.values()), same, tuple(of), partner)
        for differs, of, same, partner in found.values()
    ]
    return tuple(sorted(made, key=lambda cause: -cause.seconds))


def _note(
    found: dict[
        object, tuple[dict[str, ExplainedDifference], list[CompiledCode], SameKey | None, Partner]
    ],
    identity: object,
    difference: ExplainedDifference | None,
    same: SameKey | None,
    partner: Partner,
    compiled: CompiledCode,
) -> None:
    differs, of, _, _ = found.setdefault(identity, ({}, [], same, partner))
    if difference is not None:
        differs.setdefault(difference.differing.name, difference)
    if all(one is not compiled for one in of):
        of.append(compiled)


def _identity(difference: ExplainedDifference, compiled: CompiledCode) -> object:
    """Return what differences of one cause have in common."""
    found, origin = difference.differing, difference.origin
    family = found.about.family
    if difference.mode is not None:
        return difference.mode
    if family == "setting":
        return origin or found.fields or (found.name, found.before, found.after)
    if family == "inputs":
        return family, found.about.meaning
    # Of another forward the backward is another, too.
    return family, compiled.location or id(compiled)
