"""CA103."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import Subject
from ca_reports.causes.located import batches
from ca_reports.causes.rules.base import PATTERN, Match, Rule, of_recompiles
from ca_reports.causes.rules.size_advice import is_set_dynamic, together, unbacked
from ca_reports.facts.dynamic_shapes import input_name, of_one_size
from ca_reports.facts.guard_paths import guard_path, referring, verbatim
from ca_reports.facts.guarded_things import compiled_line
from ca_reports.facts.size_changes import is_zero_one_guard
from ca_reports.program.stack import is_library_file
from ca_reports.sentences.dynamic import in_words
from ca_reports.sentences.places import in_brief
from ca_reports.words.guard_values import in_order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_engine.guards import Guard
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.input_sizes import InputSize
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Frame


_AT_LEAST_TWO = (
    "keep this size at 2 or more: merge batches of one sample, or pad lengths to 2 and mask what "
    "is added"
)


class ZeroOne(Rule):
    """A size was 0 or 1 in some steps.

    ## What it is

    A dynamic size (a batch, a length, an index) became 0 or 1, or was 0 or 1 when the graph
    was compiled.

    ## Why it costs

    One graph with a dynamic size serves every value but these two. A size of 1 broadcasts and
    one of 0 is empty, so Dynamo compiles separately for 0, for 1, and for 2 and up.

    ## Example

        for batch in [8, 6, 5, 1]:                  # 8, 6 and 5 share a graph, 1 does not
            backward(loss_of(model(inputs[:batch])))

    ## What to do

    Mark the size of a forward's input as unbacked before the call, where the code does not decide
    by it: `torch._dynamo.decorators.mark_unbacked(x, 0)`. One graph then serves 0, 1 and all
    others. Or keep the size at 2 or more: merge batches of one sample, pad lengths to at least 2
    with a mask, start indices at 2. A model that reads a text at once and then one token after
    another has two graphs by design: that is told as info.

    ## Measured

    4 compiles of a captured graph became 2; with `mark_unbacked` 2 compiles of a forward that was
    warmed up with one row became 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    It relies on the failed guard. A guard such as `2 <= …` fails for no other reason, but which
    of several inputs of equal size it names is up to torch.
    """

    code = "CA103"
    name = "zero-one"
    place = batches.zero_or_one
    edits = ("mark_unbacked", "eager_small_sizes")
    specificity = PATTERN + 2
    suggests_trial = "shapes"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        # What another call gives, such as a sample that begins with one token, is one cause with
        # the other sizes of that call (CA102).
        elsewhere = {
            found.compiled.key
            for size in facts.input_sizes
            if size.is_of_another_call
            for found in size.recompiles
        }
        found = [
            recompile
            for recompile in facts.recompiles
            if is_zero_one_guard(recompile.guard)
            and not _was_static(facts, recompile)
            and recompile.compiled.key not in elsewhere
            and recompile.compiled.key not in facts.inherent
        ]
        yield from _of_inputs(facts)
        groups: dict[object, list[RecompileFacts]] = {}
        for recompile in found:
            frame = recompile.compiled.compile_id.rpartition("/")[0]
            groups.setdefault(frame, []).append(recompile)
        for group in groups.values():
            first = group[0]
            subject = _subject(first.guard)
            fix = _AT_LEAST_TWO
            if subject.dimensions and first.capture is None and _is_alone(subject, first, facts):
                fix = f"{unbacked(subject.source, subject.dimensions[0])}; or {_AT_LEAST_TWO}"
            yield Match(
                message=(
                    f"a dynamic size was 0 or 1{_at(first)}, which needs its own compile: "
                    f"guard `{verbatim(first.guard.text)}` failed"
                ),
                fix=fix,
                **of_recompiles(group, first.line),
                key=first.guard.source or first.guard.kind,
                group=first.guard.text,
                subject=subject,
            )


def _of_inputs(facts: ProcessFacts) -> Iterator[Match]:
    """Find a forward's inputs with a size of 0 or 1 when their sizes were not dynamic yet."""
    for size in facts.input_sizes:
        if not size.is_of_zero_or_one or facts.unseen_versions(size.first.compiled):
            continue
        (dimension,) = size.dimensions
        told = in_order(tuple(map(str, size.values[0])))
        small = min(size.values[0])
        fix = _AT_LEAST_TWO
        if not guard_path(size.source).is_on_stack:
            marked = unbacked(size.source, dimension, together(size, facts.dynamic_dimensions))
            fix = f"{marked}; or {_AT_LEAST_TWO}"
        if dimension == 0 and size.values[0][-1] == 1:
            fix += "; where it is broadcast beside a whole batch, `.expand()` it to that"
        message = f"{in_words(size.source)} varied in dimension {dimension}: {told}"
        message += f"; a size of {small} "
        if size.is_second_phase:
            if size.other_call is not None:
                message += f"comes from {in_brief(size.other_call)}"
            else:
                message += f"comes once `{referring(size.continues)}` is no longer None"
            message += ": two phases, each with its graph"
            fix = "nothing: a phase of one token at a time has its own graph by design"
        elif size.values[0][0] == small:
            first = _first_call(size, facts)
            where = "" if first is None else f" ({in_brief(first)})"
            message += f"came first{where}, and its graph serves no other"
            if first is not None and is_set_dynamic(size):
                fix += f"; or call with 2 or more first{where}, if {small} does not come later"
        else:
            message += "needs its own compile"
        yield Match(
            message=message,
            fix=fix,
            is_note=size.is_second_phase,
            events=tuple(found.compiled for found in size.own),
            noticed_at=compiled_line(size.first.compiled),
            evidence=tuple(found.evidence for found in size.recompiles),
            key=f"{size.source} {dimension}",
            group="",
            subject=Subject(size.source, size.dimensions, size.values[0], size_kind=size.size_kind),
            severity="info" if size.is_inherent else None,
        )


def _first_call(size: InputSize, facts: ProcessFacts) -> Frame | None:
    """Return the user's line that led to the first compile and not to the one for ``size``."""
    again = size.first.compiled
    before = next(one for one in facts.process.compiles if one.code_number == again.code_number)
    pairs = zip(before.stack, again.stack, strict=False)
    first = next((one for one, other in pairs if one != other), None)
    return None if first is None or is_library_file(first.file) else first


def _subject(guard: Guard) -> Subject:
    """Return the dimension of the tensor that a guard like ``2 <= boxes.size()[0]`` is about."""
    if guard.index is None or guard.kind not in ("size_relation", "duck_size"):
        return Subject(size_kind="zero_or_one")
    return Subject(guard.source, (guard.index,), size_kind="zero_or_one")


def _is_alone(subject: Subject, found: RecompileFacts, facts: ProcessFacts) -> bool:
    """Return whether no other input has that size: of two, marking one changes nothing."""
    code = found.compiled.code_number
    same = (one for one in facts.process.compiles if one.code_number == code)
    own = input_name(subject.source)
    return all(name == own for name, _ in of_one_size(subject.source, subject.dimensions, same))


def _at(found: RecompileFacts) -> str:
    return "" if found.step is None else f" at step {found.step}"


def _was_static(facts: ProcessFacts, recompile: RecompileFacts) -> bool:
    """Return whether the size was static: its first change costs a compile, whatever the value."""
    guard = recompile.guard
    if guard.kind != "size":
        return False
    frame = recompile.compiled.compile_id.rpartition("/")[0]
    earlier = [
        other
        for other in facts.recompiles
        if other.compiled.compile_id.rpartition("/")[0] == frame
        and other.guard.source == guard.source
    ]
    return earlier[0] is recompile
