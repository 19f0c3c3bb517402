"""Joins the facts about each event of one process for the rules, once.

Pure functions of a ``Process``. Nothing here decides on a cause.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import orjson

from ca_engine.lazy_expressions import expression
from ca_reports.facts.costs import Costs
from ca_reports.facts.decisive import with_decisive_first
from ca_reports.facts.dynamic_shapes import dynamic_dimensions
from ca_reports.facts.events import CaptureFacts, RecompileFacts
from ca_reports.facts.failures import failures
from ca_reports.facts.forward_breaks import forward_breaks
from ca_reports.facts.gradient_flags import MEANT
from ca_reports.facts.guard_trees import GuardTrees, thing_of
from ca_reports.facts.guarded_things import guarded_things, keys_of
from ca_reports.facts.inherent import are_modules, dynamic_graphs, other_modules, other_uses
from ca_reports.facts.input_sizes import input_sizes
from ca_reports.facts.metadata import named_metadata
from ca_reports.facts.mode_changes import ModeChange, is_mode, mode_changes
from ca_reports.facts.other_backwards import other_backwards
from ca_reports.facts.parameter_shapes import parameter_shapes, replaced_parameters
from ca_reports.facts.pinning import compared_with
from ca_reports.facts.recompile_limits import limit_errors, recompile_limits, step_starts
from ca_reports.facts.resumes import codes_begun_as
from ca_reports.facts.selecting import with_selecting_first
from ca_reports.facts.short_batches import short_batches
from ca_reports.facts.size_changes import size_changes
from ca_reports.facts.size_keys import keyed_sizes
from ca_reports.facts.sizes.histogram import of_process as sized_functions_of
from ca_reports.facts.sizes.plans import function_plans
from ca_reports.facts.steps import Ends, Steps, in_order
from ca_reports.facts.successions import accumulating, switched_once
from ca_reports.facts.summary import versions
from ca_reports.facts.warm_ups import warmed_up
from ca_reports.program.stack import in_torch
from ca_reports.run.model import Capture, Compile, CudaGraph, Hazard, Run

if TYPE_CHECKING:
    from array import array
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ca_engine.guards import Guard
    from ca_reports.facts.costs import Inherent
    from ca_reports.facts.dynamic_shapes import DynamicDimension
    from ca_reports.facts.forward_breaks import ForwardBreak
    from ca_reports.facts.guarded_things import GuardedThing, Identity
    from ca_reports.facts.input_sizes import InputSize
    from ca_reports.facts.parameter_shapes import ParameterShapes, ReplacedParameter
    from ca_reports.facts.recompile_limits import RecompileLimit
    from ca_reports.facts.size_changes import SizeChange
    from ca_reports.facts.sizes.histogram import SizedFunction
    from ca_reports.facts.sizes.plans import FunctionPlans
    from ca_reports.run.loop import LoopPosition
    from ca_reports.run.model import Event, EventKey, Failure, GraphBreak, Process

# Nodes that are decoded once, however many captures have them.
_MOST_NODES = 20_000
# Of torch, where the log does not say which limit was in force.
_DEFAULT_LIMIT = 8
# Nodes of all captures that are kept in their order, each 8 bytes there.
_MOST_PLACES = 1_000_000
# So many first compiles of one line's function are a loop.
_A_LOOP = 3
# What to do about sizes is reckoned for no fewer steps: a trial run is shorter than what it is for.
_STEPS_PLANNED = 10_000
# The number of a function that torch.fx generated: "<eval_with_key>.3 from train.py:11 in f".
_GENERATED = expression(r"^<eval_with_key>\.\d+")


class ProcessFacts:
    """All events of a process."""

    def __init__(self, process: Process, run: Run) -> None:
        """``run`` is the whole, for what rules say about the others."""
        self.process = process
        self.run = run
        self.captures = tuple(
            CaptureFacts(capture, self, position)
            for position, capture in enumerate(process.captures)
        )
        self.by_id = {facts.capture.id: facts for facts in self.captures}
        self.parameters: dict[frozenset[str], frozenset[str]] = {}
        self.counted: dict[frozenset[tuple[str, int]], Counter[str]] = {}
        self._nodes: dict[bytes, Mapping[str, Any]] = {}
        self._nodes_of: dict[int, tuple[Mapping[str, Any], ...]] = {}
        self._room = _MOST_PLACES

    def nodes_of(self, capture: Capture) -> tuple[Mapping[str, Any], ...]:
        """Return the autograd nodes of ``capture`` in visiting order; empty if unknown."""
        found = self._nodes_of.get(capture.id)
        if found is None:
            found = tuple(map(self._node, capture.autograd_lines))
            self._room -= len(found)
            if self._room < 0:
                self._nodes_of.clear()
                self._room = _MOST_PLACES - len(found)
            self._nodes_of[capture.id] = found
        return found

    def _node(self, line: bytes) -> Mapping[str, Any]:
        # Most captures have most of their nodes in common.
        found = self._nodes.get(line)
        if found is None:
            if len(self._nodes) >= _MOST_NODES:
                self._nodes.clear()
            found = self._nodes[line] = orjson.loads(line)
        return found

    def forget_nodes(self) -> None:
        """Let go of decoded nodes; they are decoded again when somebody asks."""
        self._nodes.clear()
        self._nodes_of.clear()
        self._room = _MOST_PLACES

    @property
    def recorded(self) -> bool:
        """Return whether `ca run` wrote this log; else changes, hits and hazards are not in it."""
        return self.process.recorded

    @cached_property
    def first_from(self) -> Mapping[tuple[str, int], int]:
        """Return the positions of the first captures of each line that called backward."""
        found: dict[tuple[str, int], int] = {}
        for position, facts in enumerate(self.captures):
            place = facts.call_place
            if place is not None:
                found.setdefault(place, position)
        return found

    @cached_property
    def forward_breaks(self) -> tuple[ForwardBreak, ...]:
        """Return the graph breaks of compiled forwards, by the user's line."""
        return forward_breaks(self.process)

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """Return the exceptions that are known of this process, those of no compile too."""
        return failures(self.process, self.run)

    @property
    def breaks(self) -> tuple[GraphBreak, ...]:
        """Return the graph breaks of user code."""
        return self.process.graph_breaks

    @cached_property
    def recaptures(self) -> tuple[CaptureFacts, ...]:
        """Return the captures that were made although an earlier one of that backward was there."""
        left_out = (*self.other_backwards, *self.swapped_forwards)
        others = {facts.capture.id for facts in left_out}
        return tuple(
            facts
            for facts in self.captures
            if facts.capture.is_recapture and facts.capture.id not in others
        )

    @cached_property
    def swapped_forwards(self) -> tuple[CaptureFacts, ...]:
        """Return captures for which inductor's forward took over from the one that ran before.

        Nothing but AOT regions differs, no other graph was compiled, and one was swapped since the
        capture before.
        """
        swapped = [
            each
            for each in self.process.background
            if each.state in ("ready", "waited") and each.time is not None
        ]
        found = []
        since = float("-inf")
        for facts in self.captures:
            until = facts.capture.time
            if until is None:
                continue
            of_these = {each.graph for each in swapped if since <= (each.time or 0.0) <= until}
            is_due = facts.changes and all(each.attribute == "aot_id" for each in facts.changes)
            if is_due and of_these and {each.compile_id for each in facts.forward} <= of_these:
                found.append(facts)
            since = until
        return tuple(found)

    @cached_property
    def other_backwards(self) -> tuple[CaptureFacts, ...]:
        """Return first captures of further backwards of the program: each is captured once.

        Only where the recorder compared the graphs; torch's own logs don't tell.
        """
        return other_backwards(self.captures, self.steps)

    @cached_property
    def recompiles(self) -> tuple[RecompileFacts, ...]:
        """Dynamo's recompiles, of captured graphs and of user code, in the order of the log.

        One that raised is none: the exception is what happened (``recompile_that_raised``).
        """
        return tuple(found for found in self._tried if not _has_raised(found.compiled))

    def recompile_that_raised(self, failure: Failure) -> RecompileFacts | None:
        """Return the recompile that an exception ended; None where it was a first compile."""
        every = (one for one in self._tried if _has_raised(one.compiled))
        return next((one for one in every if one.compiled.compile_id == failure.compile_id), None)

    @cached_property
    def _tried(self) -> tuple[RecompileFacts, ...]:
        """Return the recompiles, with those that raised."""
        found = []
        for compiled in self.process.compiles:
            if not compiled.has_failed_guards:
                continue
            caused = tuple(self._caused.get(compiled.compile_id, ()))
            reason = compiled.failed_guards
            found.append(
                RecompileFacts(
                    compiled,
                    named_metadata(reason, compiled, self._own_compiles),
                    None if compiled.capture is None else self.by_id.get(compiled.capture),
                    compiled.location,
                    caused,
                    self.step_at(compiled.time),
                    self.process.file,
                    self._own_compiles,
                )
            )
        decided = with_decisive_first(found, self.process.compiles, self._trees)
        return with_selecting_first(decided, self.process.compiles, self._trees)

    @cached_property
    def decisive_guards(self) -> Mapping[EventKey, Guard]:
        """Return the guard that made each recompile necessary, as far as it can be told."""
        return {found.compiled.key: found.guards[0] for found in self.recompiles}

    def changed_beside(self, recompile: RecompileFacts) -> tuple[Guard, ...]:
        """Return guards that would have failed at a recompile without its decisive one.

        None where they follow from it.
        """
        if recompile.capture is not None or recompile.follows:
            return ()
        return self._trees.coinciding(recompile)

    def following(self, thing: GuardedThing) -> tuple[GuardedThing, ...]:
        """Return what changes with a thing that selects the kind of step, and because of it."""
        own = [
            replace(found, guards=(guard,), follows=())
            for found in thing.recompiles
            for guard in found.follows
        ]
        return guarded_things(own, (), self.breaks, *self._begun)

    @cached_property
    def _own_compiles(self) -> Mapping[str, Compile]:
        """Return the compiles of user code, by their ids."""
        own = (compiled for compiled in self.process.compiles if compiled.capture is None)
        return {compiled.compile_id: compiled for compiled in own}

    @cached_property
    def _trees(self) -> GuardTrees:
        return GuardTrees(self._own_compiles)

    @cached_property
    def _caused(self) -> dict[str, list[CaptureFacts]]:
        """Forward compile → the recaptures that it made necessary.

        Those of its step; and later ones that differ from an earlier capture only in the AOT
        backward that this compile brought (other gradients were there, say, so that the first
        capture of that backward did not serve).
        """
        found: dict[str, list[CaptureFacts]] = {}
        regions: dict[int, str] = {}
        for facts in self.captures:
            if not facts.capture.is_recapture:
                continue
            # An evaluation may have been compiled meanwhile: without gradients it has no backward.
            training = [one for one in facts.forward if not one.is_of_evaluation]
            for compiled in training or facts.forward:
                found.setdefault(compiled.compile_id, []).append(facts)
            replaced = [change.after for change in facts.changed("aot_id")]
            # A backward that is differentiated again is a region of the next one, once captured.
            own = [one for one in training or facts.forward if one.has_failed_guards]
            brought = own[:1] or self._graphs_recompiled_before(facts.capture)
            for region in (after for after in replaced if type(after) is int):
                for compiled in brought:
                    regions.setdefault(region, compiled.compile_id)
            if not facts.forward and facts.only_regions_and_sizes:
                for origin in dict.fromkeys(regions.get(after) for after in replaced):
                    if origin is not None:
                        found.setdefault(origin, []).append(facts)
        return found

    @property
    def forward_recompiles(self) -> tuple[RecompileFacts, ...]:
        """Return recompiles of user code."""
        return tuple(found for found in self.recompiles if found.compiled.is_forward)

    @property
    def graph_recompiles(self) -> tuple[RecompileFacts, ...]:
        """Cache hits that still recompiled: Dynamo recompiled their captured graph."""
        return tuple(found for found in self.recompiles if found.capture is not None)

    @cached_property
    def steps(self) -> Steps:
        """Return each backward as (step, capture that ran), in order; empty if not recorded."""
        return Steps(self.process.backwards)

    def step_at(self, time: float | None) -> int | None:
        """Return the backward that ran at ``time``, else the next one; None if unknown."""
        return None if time is None else self._ends.first_from(time)

    def loop_of(self, event: Event) -> LoopPosition | None:
        """Return what the user's loop called the backward of an event of the model, if anything.

        For a recompile it is the backward that ran then, or the next one.
        """
        if isinstance(event, Capture):
            return event.loop
        rows = self.process.backwards
        if rows is None or rows.loops is None:
            return None
        if isinstance(event, Compile | CudaGraph):
            return rows.loop_of(self.step_at(event.time))
        return rows.loop_of(event.step) if isinstance(event, Hazard) else None

    @cached_property
    def _ends(self) -> Ends:
        return Ends(self.process.backwards)

    @property
    def last_step(self) -> int | None:
        """Return the number of the last backward; None if backwards were not recorded."""
        rows = self.process.backwards
        return None if rows is None else max(rows.steps, default=None)

    @cached_property
    def size_changes(self) -> tuple[SizeChange, ...]:
        """Return the changes of sizes, for the rules about shapes."""
        dynamic = bool(self.process.dynamic)
        return size_changes(self.recaptures, self.recompiles, dynamic=dynamic)

    @cached_property
    def short_batches(self) -> tuple[SizeChange, ...]:
        """Return those of ``size_changes`` that come of a short last batch."""
        return short_batches(self.size_changes, self.captures, self.steps)

    @property
    def dynamic_graphs(self) -> tuple[RecompileFacts, ...]:
        """Return recompiles of captured graphs that made sizes dynamic, once for each graph."""
        return () if self.short_batches else dynamic_graphs(self.size_changes, self.steps)

    @cached_property
    def guarded(self) -> tuple[GuardedThing, ...]:
        """Return what made Dynamo recompile user code, but sizes, with its history."""
        given_up = (found.given_up for found in self.limits)
        replaced = (one for found in self.replaced_parameters for one in found.recompiles)
        told = {found.compiled.key for found in (*self.other_uses, *replaced)}
        own = [
            self.keyed_sizes.get(found.compiled.key, found)
            for found in self.forward_recompiles
            if found.compiled.key not in told
        ]
        things = guarded_things(own, given_up, self.breaks, *self._begun)
        return tuple(
            replace(one, is_dynamic_now=True) if self._trees.makes_dynamic(one) else one
            for one in things
        )

    @cached_property
    def keyed_sizes(self) -> Mapping[EventKey, RecompileFacts]:
        """Return the recompiles for sizes that are keys of a dictionary, as recompiles for these.

        Where a backward was captured, a size changes the forward and the backward at once.
        """
        return {} if self.captures else keyed_sizes(self.forward_recompiles, self._trees)

    @cached_property
    def _begun(self) -> tuple[Mapping[str, str], Mapping[str, frozenset[str]]]:
        """Map the rest after a break to its function's code, and such a code to its arguments."""
        begun_as = codes_begun_as(self.process)
        whole = set(begun_as.values())
        given: dict[str, frozenset[str]] = {}
        for compiled in self.process.compiles if whole else ():
            code = compiled.code_number
            if code in whole and compiled.held is not None and code not in given:
                given[code] = frozenset(name for name, _ in compiled.held.arguments)
        return begun_as, given

    @cached_property
    def keys_of(self) -> dict[Identity, list[GuardedThing]]:
        """Map a container's identity, of ``guarded``, to what its function looks up in it."""
        return keys_of(self.guarded)

    @cached_property
    def coinciding(self) -> tuple[GuardedThing, ...]:
        """Return what changed in recompiles of ``guarded`` or for sizes, and no reason names.

        Whatever torch names is put right, and these make the same recompiles.
        """
        known = {
            (found.compiled.code_number, thing_of(guard))
            for found in self.forward_recompiles
            for guard in found.guards
        }
        phases = {
            (found.compiled.key, size.continues)
            for size in self._all_sizes
            if size.is_second_phase
            for found in size.own
        }
        own = [
            replace(found, guards=(guard,))
            for found in self.forward_recompiles
            if found.compiled.key not in self.inherent
            for guard in self.changed_beside(found)
            if (found.compiled.code_number, thing_of(guard)) not in known
            and (found.compiled.key, guard.source) not in phases
        ]
        return guarded_things(own, (), self.breaks, *self._begun)

    @cached_property
    def sized_functions(self) -> tuple[SizedFunction, ...]:
        """Return the functions with inputs of several sizes, where all calls were counted."""
        return tuple(sized_functions_of(self.process))

    @cached_property
    def size_plans(self) -> tuple[FunctionPlans, ...]:
        """Return the plans for the sizes of each function, where all calls were counted."""
        functions = self.sized_functions
        costs = Costs(Run((), (), (self.process,))) if functions and self.captures else None
        return tuple(
            function_plans(one, costs, max(one.calls, _STEPS_PLANNED)) for one in functions
        )

    @cached_property
    def input_sizes(self) -> tuple[InputSize, ...]:
        """Return sizes for which forwards were recompiled; empty where a backward was captured.

        Those apart that are recompiled for what they are compared with (`compared_sizes`).
        """
        compared = {size.identity for sizes in self.compared_sizes.values() for size in sizes}
        return tuple(size for size in self._all_sizes if size.identity not in compared)

    @cached_property
    def compared_sizes(self) -> Mapping[Identity, list[InputSize]]:
        """Map what is guarded to the sizes that are constants because they are compared with it."""
        sizes = self._all_sizes
        return compared_with(sizes, (*self.guarded, *self.coinciding)) if sizes else {}

    @cached_property
    def _all_sizes(self) -> tuple[InputSize, ...]:
        others = (
            *self.evaluation_variants,
            *self.other_uses,
            *(found for shapes in self.parameter_shapes for found in shapes.recompiles),
            *self.keyed_sizes.values(),
        )
        told = {found.compiled.key for found in others}
        own = [found for found in self.forward_recompiles if found.compiled.key not in told]
        if self.captures:
            return ()
        found = input_sizes(own, self.process.compiles)
        return tuple(
            replace(
                one,
                counted=self._counted(one),
                continues=self._continued(one) if one.is_of_zero_or_one else "",
            )
            for one in found
        )

    def _continued(self, size: InputSize) -> str:
        """Return what was None when the function had been compiled for other sizes; else ""."""
        guards = (guard for found in size.own for guard in self.changed_beside(found))
        return next((guard.source for guard in guards if guard.expected == "None"), "")

    def _counted(self, size: InputSize) -> frozenset[int]:
        """Return the sizes of ``size``'s first dimension in all calls; empty if not counted."""
        code = size.first.compiled.code_number
        own = {(size.source, at) for at in size.dimensions[:1]}
        return frozenset(
            value
            for function in self.sized_functions
            if code in function.codes
            for number, argument in enumerate(function.arguments)
            if not own.isdisjoint(argument)
            for value in function.histogram(number)
        )

    @cached_property
    def dynamic_dimensions(self) -> tuple[DynamicDimension, ...]:
        """Return the dimensions of arguments that varied or were dynamic."""
        failed = {found.compiled.key: found.guards for found in self.forward_recompiles}
        uses = {found.compiled.key for found in self.other_uses}
        given = [found for shapes in self.parameter_shapes for found in shapes.recompiles]
        uses |= {found.compiled.key for found in given}
        return dynamic_dimensions(self.process.compiles, failed, uses)

    @cached_property
    def inherent(self) -> Mapping[EventKey, Inherent]:
        """Return events that lose nothing, because every program of this kind has them, and why."""
        # A size that is compared with something is never dynamic, and so is none of these.
        inherent = [size for size in self._all_sizes if size.is_inherent]
        recompiles: tuple[tuple[Inherent, Iterable[RecompileFacts]], ...] = (
            ("dynamic", _own(size for size in inherent if not size.is_second_phase)),
            ("phase", _own(size for size in inherent if size.is_second_phase)),
            ("use", chain.from_iterable(self._few_uses)),
            ("mode", self.evaluation_variants),
            ("gradient", self.gradient_kinds),
            ("dynamic", self.dynamic_graphs),
        )
        found: dict[EventKey, Inherent] = {
            recompile.compiled.key: why
            for why, group in recompiles
            for recompile in group
            if not recompile.compiled.is_refused
        }
        for facts in self.other_backwards:
            found[facts.capture.key] = "backward"
        for facts in self.swapped_forwards:
            found[facts.capture.key] = "swap"
        return {**self.asked_for, **found}

    @cached_property
    def asked_for(self) -> Mapping[EventKey, Inherent]:
        """Map the events that the program asks for, after which all is served, to the reasons."""
        return {
            **{found.compiled.key: "switch" for found in self._switched_once},
            **{found.compiled.key: "warm_up" for found in self._warm_ups},
            **{found.capture.key: "accumulation" for found in self._accumulating},
        }

    @cached_property
    def parameter_shapes(self) -> tuple[ParameterShapes, ...]:
        """Return functions that were compiled for one shape of the parameters after another."""
        return parameter_shapes(self._of_one_place, self.process.compiles)

    @cached_property
    def replaced_parameters(self) -> tuple[ReplacedParameter, ...]:
        """Return modules compiled for one shape of a parameter of theirs after another."""
        return replaced_parameters(self._of_one_place, self.process.compiles)

    @property
    def _of_one_place(self) -> tuple[RecompileFacts, ...]:
        """Return recompiles of forwards, without those for another place, each with its shapes."""
        uses = {found.compiled.key for found in self.other_uses}
        return tuple(one for one in self.forward_recompiles if one.compiled.key not in uses)

    @cached_property
    def mode_changes(self) -> tuple[ModeChange, ...]:
        """Forward recompiles for a mode in which their function was not yet compiled."""
        # A run may have millions of backwards, and rarely a mode that changes.
        if not any(is_mode(found.guard) for found in self.forward_recompiles):
            return ()
        began = step_starts(self.process)
        calls = [call.time for call in self.process.calls]
        end = self.process.end
        return mode_changes(
            self.forward_recompiles,
            self._own_compiles,
            began,
            calls,
            has_ended=end is not None and end.error is None,
            graphs=self.process.graph_sizes,
        )

    def has_outside_inputs(self, compiled: Compile) -> bool | None:
        """Return whether a compile's tensors were made outside of inference mode; None: unknown."""
        return self._trees.has_outside_inputs(compiled.compile_id)

    @cached_property
    def evaluation_variants(self) -> tuple[RecompileFacts, ...]:
        """Forward recompiles for another phase of the program, one for each mode: inherent."""
        return tuple(change.recompile for change in self.mode_changes if change.origin == "phases")

    @property
    def _warm_ups(self) -> tuple[RecompileFacts, ...]:
        own = [*self._own_compiles.values()]
        began = partial(step_starts, self.process)
        return warmed_up(self.forward_recompiles, own, self.process.calls, began)

    @property
    def _switched_once(self) -> tuple[RecompileFacts, ...]:
        return switched_once(self.guarded, self.process.graph_sizes)

    @property
    def _accumulating(self) -> tuple[CaptureFacts, ...]:
        return accumulating(self.recaptures, self.steps)

    @cached_property
    def gradient_kinds(self) -> tuple[RecompileFacts, ...]:
        """Of each code the first recompile for a tensor that trains beside one that does not.

        Inherent: what a discriminator gets, or the parameters of a model and its frozen copy.
        """
        found = {
            one.compiled.code_number: one
            for one in reversed(self.forward_recompiles)
            if one.guard.kind == "requires_grad" and one.gradient_flag in MEANT
        }
        return tuple(found.values())

    @cached_property
    def other_uses(self) -> tuple[RecompileFacts, ...]:
        """Forward recompiles that are one for each place of a model that calls: inherent.

        Or the first for each module that shares its code with others, and has other parameters.
        How many things an argument holds is the program's to choose: where each use is given
        another number of them, up to the limit, that is a cause.
        """
        places = [
            one
            for one in other_uses(self.forward_recompiles, self.process.compiles)
            if not (one.is_of_given_length and self.reached_limit(one.compiled))
        ]
        known = {found.compiled.key for found in places}
        return (*places, *(one for one in self.other_modules if one.compiled.key not in known))

    @cached_property
    def other_modules(self) -> tuple[RecompileFacts, ...]:
        """Forward recompiles that are the first of a module of other sizes than those before."""
        refused = {one.code_number for one in self.process.compiles if one.is_refused}
        return other_modules(
            [one for one in self.forward_recompiles if one.compiled.code_number not in refused],
            self.process.compiles,
            self._trees,
        )

    @cached_property
    def repeated_first_compiles(self) -> tuple[tuple[Compile, ...], ...]:
        """First compiles of functions of one name and place, which were compiled in a loop.

        Two are no loop: a model and a copy of it, or what a decorator made twice.
        What goes on after a graph break is a function of its own of the same name, and so is left
        out: those that follow a break. So are functions of torch's, such as those of an optimizer's
        step, which all have the place of the user's call.
        """
        broken = {
            (found.location.file, found.location.function)
            for found in self.breaks
            if found.location is not None
        }
        groups: dict[tuple[str, int, str], list[Compile]] = {}
        for compiled in self._forward:
            line = compiled.location
            if line is None or compiled.has_failed_guards or compiled.failed:
                continue
            if (line.file, line.function) in broken:
                continue
            if compiled.code is not None and in_torch(compiled.code.file):
                continue
            file = _GENERATED.sub("", line.file)
            groups.setdefault((file, line.line, line.function), []).append(compiled)
        return tuple(tuple(group) for group in groups.values() if len(group) >= _A_LOOP)

    @cached_property
    def limits(self) -> tuple[RecompileLimit, ...]:
        """Return the functions that Dynamo gave up because a recompile limit was reached."""
        return recompile_limits(self.process)

    @cached_property
    def limit_errors(self) -> tuple[RecompileLimit, ...]:
        """Return the functions whose recompile limit was an error."""
        return limit_errors(self.process)

    def unseen_versions(self, compiled: Compile) -> int:
        """Count the versions of a code that exist if none of them is in the log, but their limit.

        0 where a recompile of it is. The warning of a limit tells the last guard that failed.
        """
        if not self.process.from_text or not compiled.is_refused:
            return 0
        known, least = versions(self.process).get(compiled.code_number, (0, 0))
        return 0 if known else least + 1

    def limit_of(self, compiled: Compile) -> RecompileLimit | None:
        """Return the limit that the code of ``compiled`` hit at some time; None if it did not."""
        code = compiled.code_number
        return next((found for found in self.limits if found.given_up.code_number == code), None)

    def reached_limit(self, compiled: Compile) -> bool:
        """Return whether the code of ``compiled`` hit a limit, also one that is an error."""
        code = compiled.code_number
        return any(one.is_refused and one.code_number == code for one in self.process.compiles)

    @cached_property
    def uses_by_code(self) -> tuple[tuple[RecompileFacts, ...], ...]:
        """Return `other_uses` of each code."""
        found: dict[str, list[RecompileFacts]] = {}
        for use in self.other_uses:
            found.setdefault(use.compiled.code_number, []).append(use)
        return tuple(map(tuple, found.values()))

    @property
    def _few_uses(self) -> Iterator[tuple[RecompileFacts, ...]]:
        """Yield the uses of each code that has no more of them than the limit allows."""
        return (uses for uses in self.uses_by_code if self.limit_of_uses(uses) is None)

    def limit_of_uses(self, uses: Sequence[RecompileFacts]) -> int | None:
        """Return the limit that the uses of one code reached; None if they reached none.

        What else made a function be compiled again, up to the limit, is another finding's: then
        its places reached none. Modules share a limit whatever else each is compiled for.
        """
        limit = self.limit_of(uses[0].compiled)
        allowed = (limit and limit.value) or _DEFAULT_LIMIT
        if are_modules(uses, self.other_modules):
            return allowed if self.reached_limit(uses[0].compiled) else None
        if limit is None:
            return None
        compiled = sum(found.compiled is not limit.given_up for found in uses) + 1
        return allowed if compiled >= allowed else None

    def forward_compiles_before(self, capture: Capture) -> tuple[Compile, ...]:
        """User code compiled after the backward before ``capture`` and before it."""
        if capture.time is None:
            return ()
        begin = self._backward_before(capture.time)
        first = bisect_left(self._forward_times, begin)
        last = bisect_right(self._forward_times, capture.time)
        return self._forward[first:last]

    def _graphs_recompiled_before(self, capture: Capture) -> list[Compile]:
        """Find a captured graph's recompile in the backward right before ``capture``."""
        if capture.time is None:
            return []
        begin = self._backward_before(capture.time)
        return [
            compiled
            for compiled in self.process.compiles
            if compiled.capture is not None
            and compiled.has_failed_guards
            and compiled.time is not None
            and begin <= compiled.time < capture.time
        ][-1:]

    @cached_property
    def _forward(self) -> tuple[Compile, ...]:
        """User code that was compiled, by time."""
        found = [
            compiled
            for compiled in self.process.compiles
            if compiled.is_forward and compiled.time is not None
        ]
        return tuple(sorted(found, key=_time_of))

    @cached_property
    def _forward_times(self) -> list[float]:
        return [_time_of(compiled) for compiled in self._forward]

    @cached_property
    def _starts(self) -> tuple[array[float], array[float]]:
        """When backwards began, by the rows and by the captures, each in order."""
        rows = self.process.backwards
        times = (found.capture.time for found in self.captures if found.capture.time is not None)
        return in_order(() if rows is None else rows.start), in_order(times)

    def _backward_before(self, time: float) -> float:
        # The capture itself begins at `time`, so what is looked for began earlier.
        before = float("-inf")
        for starts in self._starts:
            position = bisect_right(starts, time - 1e-6)
            if position:
                before = max(before, starts[position - 1])
        return before


def _own(sizes: Iterable[InputSize]) -> Iterator[RecompileFacts]:
    """Yield the recompiles that were made for these sizes."""
    for size in sizes:
        yield from size.own


def _has_raised(compiled: Compile) -> bool:
    """Return whether an exception came out of a compile; a limit's is about those before it."""
    return compiled.failed in ("raised", "in_backward") and not compiled.is_refused


def _time_of(compiled: Compile) -> float:
    return compiled.time or 0.0


def all_facts(run: Run) -> Iterator[ProcessFacts]:
    """Yield the facts of each process."""
    for process in run.processes:
        yield ProcessFacts(process, run)
