"""CA102."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.findings import MadeDynamic, PinnedTo, Subject
from ca_reports.causes.located import arguments, batches
from ca_reports.causes.located.allocations import allocation
from ca_reports.causes.located.size_loops import size_loop
from ca_reports.causes.located.trail import recorded_line
from ca_reports.causes.remedies import Remedy
from ca_reports.causes.rules.base import PATTERN, Match, Rule, capture_events, of_captures
from ca_reports.causes.rules.of_guards import at_the_limit, known_from_last, not_in_log
from ca_reports.causes.rules.size_advice import (
    MASKED,
    all_dynamic,
    choice,
    is_set_dynamic,
    lowered_sizes,
    mark_dynamic,
    needs_number,
    pad,
    planned,
    planned_for,
    together,
    unbacked,
)
from ca_reports.causes.rules.structure import by_call, compared, is_whole_slice
from ca_reports.facts.guard_paths import referring
from ca_reports.facts.guarded_things import compiled_line
from ca_reports.facts.pinning import pinning_line
from ca_reports.facts.size_changes import distinct_values, is_of_size
from ca_reports.program.results import dropped_at
from ca_reports.program.syntax import last_name
from ca_reports.sentences.dynamic import in_words
from ca_reports.sentences.places import in_brief
from ca_reports.sentences.sizes import advice
from ca_reports.words.numbers import agreeing, counted, duration, joined
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.located.trail import Search, Trail
    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.facts.input_sizes import InputSize
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.facts.size_changes import SizeChange
    from ca_reports.facts.sizes.plans import FunctionPlans
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Frame

_VALUES_TOLD = 6
# Other dimensions that varied beside the one that a finding is about.
_OTHERS_TOLD = 3
# What serves any size, where the warning of a limit tells one reason only.
_FOR_LAST = (
    "compile with dynamic=True (and leave dynamic=False out): the reason names the first dimension "
    "that differed, and others may vary too; or, where a few sizes come and no more, raise "
    "torch._dynamo.config.recompile_limit above their number: each costs a compile"
)


class VaryingLength(Rule):
    """A size differs from step to step: lengths of texts, resolutions, numbers of boxes.

    ## What it is

    One dimension of the inputs has several values over the training.

    ## Why it costs

    Sizes are constants of a captured graph until one changes. With `dynamic=False` the forward
    is compiled for each value, and each of these forwards has its own backward to capture and
    compile. At the recompile limit the forward runs uncompiled.

    ## Example

        compiled = torch.compile(model, dynamic=False)
        for words in sentences:                     # 9, 6, 11, 7 words
            backward(compiled(words).sum())

    ## What to do

    Compile both the forward and the backward with `dynamic=True`. Or pad all inputs to one
    length, with a mask: without one a mean over the length is
    another number. Where `dynamic=False` is set, leave it out. A few lengths, or buckets, cost a
    compile each and less padding: `ca sizes` reckons from the run's own times which pays, and the
    finding says it where all calls were counted. With
    lowering each length costs a fraction: the backward is lowered for it, up to 32 of them with
    `aot_eager` and 8 with `inductor`, and the hits are faster.

    ## Measured

    With `dynamic=False`, ten lengths took 10 captures and 10 compiles, up to the recompile
    limit; with `dynamic=True` on both, 2 and 2; with padding, 1 and 1.

    ## When the rule can be wrong

    Of a captured backward sizes are known at captures and recompiles only. So a short last
    batch (CA101) is reported as a varying length where the full batch
    came back without an event and no `DataLoader` was seen whose last batch it is, and in torch's
    own logs, which have no steps. A size that
    changed once and stayed is reported with low confidence: it may be a second phase of the
    training. Torch's own logs name a changed size only by its number. Sizes that a warm-up asks for
    are a note: dynamic=False is set, nothing is done with what the calls that compiled give but a
    backward, and those after them come from other lines and compile nothing. Where a warm-up calls
    with one size only, the compile that makes it dynamic is left to the first real call, and that
    is a warning: the source has to show that nothing is done with what the warm-up's call gives.
    """

    code = "CA102"
    name = "varying-length"
    joined_by = "sizes"
    place = arguments.or_call(batches.varying_length)
    edits = ("few_lengths",)
    specificity = PATTERN
    suggests_trial = "shapes"

    @classmethod
    def search(cls, finding: Finding) -> Search | None:
        """Take the line that makes a constant of the size, where it was recorded."""
        return recorded_line if isinstance(finding.detail, PinnedTo) else cls.place

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what is there to be cut: a memory that does not hold a whole batch yet.

        Or by the loop that asks for the size.
        """
        detail = trail.finding.detail
        if site is not None and isinstance(detail, PinnedTo):
            return _of_loop(trail, site, detail)
        if trail.finding.subject.size_kind == "turned_off" and _is_made(site, trail):
            return _of_allocation(trail)
        held = None if site is None else _filled(site)
        if held is None:
            return None
        own = trail.finding.remedy
        return own.instead(
            f"the batch is smaller while `{held}` holds less than a whole one: start training once "
            f"it holds a full batch; or {own.sentence}"
        )

    @classmethod
    def adopt(cls, trail: Trail, site: Site | None) -> Finding | None:
        """Take the compile that makes a size dynamic for lost where a warm-up had one size only.

        The first request pays for it, and not the warm-up.
        """
        found, own = trail.finding, trail.finding.detail
        if not isinstance(own, MadeDynamic):
            return None
        before = own.before[-1] if own.drops else dropped_at(own.before, trail.program)
        if before is None or dropped_at(own.again, trail.program) is not None:
            return None
        told = replace(
            found,
            severity="warning",
            message=(
                f"{found.message}; the warm-up ({in_brief(before)}) has {own.size} only, so the "
                "first real call pays for it"
            ),
        )
        return replace(told, location=site.frame, known_by="read") if site is not None else told

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.captures:
            yield from _of_forwards(facts)
            return
        short = {change.identity for change in facts.short_batches}
        changes = [change for change in facts.size_changes if change.identity not in short]
        # In a log of torch's own, captures that say how many sizes changed and not to what.
        nameless = [] if facts.recorded else _nameless(facts)
        if not changes:
            yield from _without_values(nameless, facts)
            return
        # Of a longer input a slice takes a part: `positions[:, :length]`.
        nameless += [found for found in compared(facts) if is_whole_slice(found, resized=True)]
        values = distinct_values(changes)
        first = _to_name(changes)
        told = first_few([str(value) for value in values], _VALUES_TOLD)
        plans = planned_for(*first.variable, facts)
        lowered = lowered_sizes(facts.process.captures)
        if lowered is not None:
            fix = f"pad to one length, or to a few, {MASKED}: {lowered}"
        else:
            fix = (
                f"{all_dynamic(facts)} (`ca try` runs both ways), or pad to one length, "
                f"{MASKED}{_compared(plans)}"
            )
        where = "" if first.dimension is None else f" in dimension {first.dimension}"
        message = f"{first.what} varied{where}: {told}{_others(first, values, changes)}"
        graphs = () if nameless else facts.dynamic_graphs
        if graphs:
            message += f"; {_dynamic_since(graphs)}, and no size has needed another since"
            fix = f"to save even that, {fix}"
        yield Match(
            message=message,
            fix=fix,
            events=(
                *(event for change in changes for event in change.events),
                *capture_events(nameless),
            ),
            noticed_at=first.fact.line,
            evidence=tuple(found.evidence for found in (*(c.fact for c in changes), *nameless)),
            confidence="high" if len(values) > 2 else "low",
            key=first.what,
            subject=Subject(*first.variable, tuple(values), choice=choice(plans)),
            shows=is_of_size,
            severity="info" if graphs else None,
        )


def _of_forwards(facts: ProcessFacts) -> Iterator[Match]:
    """Yield each dimension of an input for which forwards were recompiled, for itself."""
    for size in facts.input_sizes:
        is_seen = not facts.unseen_versions(size.first.compiled)
        if is_seen and (size.is_short_batch or size.is_of_zero_or_one):
            continue
        what = in_words(size.source)
        if size.of_list:
            what = f"the tensors in `{referring(size.of_list)}`"
        message = f"{what} varied{_told(size)}"
        dynamic = mark_dynamic(size, facts)
        plans = planned(size, facts)
        chosen = choice(plans)
        unseen = facts.unseen_versions(size.first.compiled)
        pinned = None if size.size_kind == "turned_off" or unseen else pinning_line(size)
        if unseen:
            message += f"{at_the_limit(size.first, facts)}{not_in_log(unseen)}"
            fix = known_from_last(_FOR_LAST)
        elif size.is_of_another_call:
            message += ", which another call gives it"
            fix = (
                f"{dynamic}, or {pad(size)}; if these calls are few, call the module that was "
                "given to `torch.compile` there, which runs it uncompiled"
            )
        elif size.of_list:
            message += ": each of them is compiled for by itself"
            message += at_the_limit(size.first, facts)
            # Sizes that are equal by chance are taken for one, also with dynamic=True.
            fix = "pad them to one length and pass one tensor with a mask"
        elif size.is_dynamic_now:
            message += f"; {_made_dynamic(size)}, and {_needed_since(size, facts)}"
            if size.size_kind == "zero_or_one":
                dynamic = unbacked(
                    size.source, size.dimensions[0], together(size, facts.dynamic_dimensions)
                )
            fix = f"to save even that, {dynamic}"
            if plans is not None and chosen is not None and chosen.pads:
                fix = f"pad to a few lengths, {MASKED}. {advice(plans)}"
        elif size.size_kind == "turned_off":
            message += at_the_limit(size.first, facts)
            fix = (
                "drop dynamic=False (or `automatic_dynamic_shapes = False`), which compiles each "
                "size separately: the second size then gets a graph for all; or set dynamic=True "
                "for one from the start"
            )
            fix += _compared(plans, otherwise="")
            if plans is not None and plans.padded is not None:
                fix += f"; pad {MASKED}"
        elif pinned is not None:
            message += at_the_limit(size.first, facts)
            message += f"; {in_brief(pinned)} makes a constant of it"
            fix = _of_constant(size, pinned)
        elif needs_number(size):
            message += at_the_limit(size.first, facts)
            fix = (
                f"{pad(size)}: each size gets its own compile, because the code needs it as a "
                "number (to look up an entry, in an `if`), so dynamic=True won't help"
            )
            if size.first.compiled.settings.sizes is None:
                fix += "; or because dynamic=False says so: then leave that out"
        else:
            if not size.own:
                message += ", each time along with another dimension"
            message += at_the_limit(size.first, facts)
            fix = f"{dynamic}, or {pad(size)}"
            if is_set_dynamic(size):
                fix = f"{pad(size)}: dynamic=True is set, and the code needs the number"
            fix += _compared(plans)
        yield Match(
            message=message,
            fix=fix,
            events=tuple(found.compiled for found in size.own),
            location=pinned,
            noticed_at=compiled_line(size.first.compiled),
            detail=(_made_dynamic_after(size, facts) if pinned is None else PinnedTo(pad(size))),
            evidence=tuple(found.evidence for found in size.recompiles),
            confidence="high" if max(map(len, size.values)) > 2 else "medium",
            key=" ".join((size.source, *map(str, size.dimensions or (None,)))),
            group="",
            subject=Subject(
                size.source,
                size.dimensions,
                size.values[0],
                together(size, facts.dynamic_dimensions),
                size_kind=size.size_kind,
                choice=chosen,
            ),
            severity="info" if size.is_inherent else None,
        )


def _made_dynamic_after(size: InputSize, facts: ProcessFacts) -> MadeDynamic | None:
    """Return what came before the compile that made a size dynamic; None if that is unknown."""
    again = size.first.compiled
    before = next(one for one in facts.process.compiles if one.code_number == again.code_number)
    if not size.is_inherent or before.held is None or again.held is None or again.held.is_dropped:
        return None
    return MadeDynamic(
        size.values[0][0], before.held.stack, again.held.stack, before.held.is_dropped
    )


def _of_constant(size: InputSize, line: Frame) -> str:
    """Say what helps where a line of the program needs the number that a size is."""
    code = f"`{line.code}` ({in_brief(line)})" if line.code else in_brief(line)
    return (
        f"rewrite {code} so that it doesn't need that size as a number, or do it outside the "
        f"compiled code: it makes a constant of the size, even with dynamic=True; or {pad(size)}"
    )


def _of_loop(trail: Trail, site: Site, detail: PinnedTo) -> Remedy | None:
    """By the loop whose rounds a size counts; None where the line is of something else."""
    loop = size_loop(site, trail)
    if loop is None:
        return None
    one = f"`{loop.called}`" if loop.called else "what one round does"
    sentence = (
        f"take the loop over `{loop.over}` out of the compiled code, and compile {one}: Dynamo "
        "unrolls it, so each length gets its own compile, even with dynamic=True; or "
        f"{detail.padding}"
    )
    own = trail.finding.remedy
    return Remedy(sentence, "compile_round") if loop.called else own.instead(sentence)


def _is_made(site: Site | None, trail: Trail) -> bool:
    """Return whether the line to edit makes a blank tensor of the size that varies."""
    made = None if site is None else allocation(trail)
    return made is not None and site is not None and made.node is site.node


def _of_allocation(trail: Trail) -> Remedy:
    """By the line that makes a blank tensor: one size is enough, and costs no data."""
    own, subject = trail.finding.remedy, trail.finding.subject
    return own.instead(
        f"make `{referring(subject.source)}` of one size here (at least {max(subject.values)}), "
        f"{MASKED}; or {own.sentence}"
    )


def _compared(
    plans: FunctionPlans | None, otherwise: str = "; a few lengths cost a compile each"
) -> str:
    """Return ``. 3 buckets (…): 3 compiles, …``, or ``otherwise`` where the run does not tell."""
    compared = "" if plans is None else advice(plans)
    return f". {compared}" if compared else otherwise


def _told(size: InputSize) -> str:
    """Return `` in dimension 2: 32, 28 and 3: 32, 24``; a stride has no dimension."""
    listed = [first_few([str(one) for one in values], _VALUES_TOLD) for values in size.values]
    if not size.dimensions:
        return f": {listed[0]}"
    told = [f"{index}: {values}" for index, values in zip(size.dimensions, listed, strict=True)]
    return f" in {agreeing(len(told), 'dimension', 'dimensions')} {' and '.join(told)}"


def _made_dynamic(size: InputSize) -> str:
    """Return the compiles in which it became dynamic, with their seconds where the log has them."""
    if not size.own:
        return "the compile for another dimension made it dynamic as well"
    return _dynamic_since(size.own)


def _needed_since(size: InputSize, facts: ProcessFacts) -> str:
    """Say which of its sizes were compiled for after it was dynamic: 0 and 1 have their own."""
    failed = {
        f"`{one.guard}`": None
        for found in facts.dynamic_dimensions
        if found.source == size.source
        and found.index in size.dimensions
        and found.became is not None
        and found.became.code_number == size.first.compiled.code_number
        for one in found.respecialised
    }
    if not failed:
        return "no size has needed another since"
    return f"only sizes that fail {joined([*failed])} have needed another since"


def _dynamic_since(made: Sequence[RecompileFacts]) -> str:
    """Return ``one compile of 1.4 s made it dynamic``."""
    known = [one.compiled.seconds for one in made if one.compiled.seconds is not None]
    spent = f" of {duration(sum(known))}" if known else ""
    if len(made) == 1:
        return f"one compile{spent} made it dynamic"
    return f"{counted(len(made), 'compile')}{spent} in all made it dynamic"


def _nameless(facts: ProcessFacts) -> list[CaptureFacts]:
    return [found for found in facts.recaptures if found.capture.kind == "changed_shapes"]


def _without_values(captures: Sequence[CaptureFacts], facts: ProcessFacts) -> Iterator[Match]:
    for group in by_call(captures):
        number, total = len(group[0].capture.sizes_changed), group[0].capture.sizes_total
        how_many = "sizes" if total is None else f"{number} of {counted(total, 'size')}"
        yield Match(
            message=f"{how_many} of the backward changed; this log does not say to what",
            fix=(
                f"{all_dynamic(facts)}, or pad to one length, {MASKED}; "
                "`ca run` would name the values"
            ),
            **of_captures(group),
            confidence="medium",
            key="sizes",
        )


def _to_name(changes: Sequence[SizeChange]) -> SizeChange:
    """Return the change whose line tells most: the forward's, whose guard names the input."""
    forward = [
        change for change in changes if change.what.startswith("`") and change.fact.capture is None
    ]
    return (forward or list(changes))[0]


def _others(first: SizeChange, told: Sequence[int], changes: Sequence[SizeChange]) -> str:
    """Name the other dimensions of arguments that varied, unless by the sizes that are ``told``.

    An argument that varies as another one does is not named beside it.
    """
    found: dict[tuple[str, tuple[int, ...]], dict[int, None]] = {}
    for change in changes:
        if change.variable[0] and change.variable != first.variable:
            found.setdefault(change.variable, {}).update(dict.fromkeys(change.main))
    said: list[str] = []
    known = [set(told)]
    for (name, dimensions), values in found.items():
        if not any(values.keys() <= one for one in known):
            known.append(set(values))
            own = "" if name == first.variable[0] else f" of `{referring(name)}`"
            sizes = first_few([str(one) for one in values], _VALUES_TOLD)
            said.append(f"dimension {dimensions[0]}{own}: {sizes}")
    return f"; and in {', '.join(said[:_OTHERS_TOLD])}" if said else ""


def _filled(site: Site) -> str | None:
    """Return what gives as many samples as it holds: `sample(memory, min(count, len(memory)))`."""
    for call in ast.walk(site.node):
        if not isinstance(call, ast.Call) or last_name(call.func) != "min":
            continue
        for given in call.args:
            if isinstance(given, ast.Call) and last_name(given.func) == "len" and given.args:
                return ast.unparse(given.args[0])
    return None
