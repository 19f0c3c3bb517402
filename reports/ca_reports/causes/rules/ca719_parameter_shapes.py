"""CA719."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import Subject
from ca_reports.causes.located import guarded_values
from ca_reports.causes.rules.base import PATTERN, Match, Rule, of_compiles
from ca_reports.causes.rules.of_guards import at_the_limit, has_refused, limit_of
from ca_reports.facts.guard_paths import guard_path, referring
from ca_reports.facts.guarded_things import compiled_line
from ca_reports.sentences.limits import RAISE_LIMIT, in_its_thread
from ca_reports.words.numbers import counted
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.remedies import Edit
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.parameter_shapes import ParameterShapes, ReplacedParameter
    from ca_reports.facts.process import ProcessFacts

_SHAPES_TOLD = 6
_STATIC = "dynamic=True and mark_dynamic have no effect on parameters"
_SETTINGS = ("force_parameter_static_shapes", "force_nn_module_property_static_shapes")


class ParameterShapesRule(Rule):
    """A compiled function meets parameters of one shape after another.

    ## What it is

    The function that updates a parameter is compiled, and the optimizer's step calls it in a loop
    over the parameters, or over groups of one shape. Each shape fails the guard of the one before.
    So does a function of the program's own that is given each parameter in turn, as one that
    averages two models does.
    Or a compiled module gets another parameter in the place of its own, of another shape: adapters
    of several ranks, say, that are swapped between requests. So does a buffer that the forward
    replaces: a table of angles that is made again for a longer sequence.

    ## Why it costs

    The first step compiles the function once for each shape, or twice and more until its sizes are
    dynamic, and waits for all of it. At the eighth compile (`recompile_limit`) Dynamo gives up, and
    the update of all other shapes runs uncompiled.

    ## Example

        @torch.compile
        def orthogonalised(gradient): ...

        for parameter in parameters:
            parameter.sub_(orthogonalised(parameter.grad), alpha=lr)

    ## What to do

    Compile the loop instead of its body: a function that takes all tensors as a list and gives a
    list. All shapes are in one graph then, which is compiled once. A parameter that is swapped:
    make it as large as the largest, and copy each into it in place, with zeros for the rest. A
    buffer is made once, for the longest, before the first compiled call.
    Neither `dynamic=True` nor `mark_dynamic` helps alone: Dynamo takes the sizes of parameters as
    static, unless `torch._dynamo.config.force_parameter_static_shapes = False` is set before the
    first compile, and `force_nn_module_property_static_shapes = False` for those of torch's own
    modules, such as `nn.Linear`.

    ## Measured

    2 recompiles became none, and 3 compiles 1; with parameters that are filled in place 4 became
    none. With `force_parameter_static_shapes = False` 7 recompiles and the limit became none, 4
    became 1; of a `nn.Linear` that is replaced by wider ones 6 became 1 with both settings, and
    stayed 6 with one. A table that is made for the longest at first: 5 became none (torch 2.13.0,
    CPU).

    ## When the rule can be wrong

    A log that `ca run` did not write does not say what is called in an optimizer's step, nor with
    which objects. There only a guard on a parameter tells, and an update that is given the
    gradients alone is taken for a forward whose batches vary.
    """

    code = "CA719"
    name = "parameter-shapes"
    joined_by = "name"
    place = guarded_values.parameters
    specificity = PATTERN + 8

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for found in facts.parameter_shapes:
            first = found.recompiles[0]
            function = f"`{found.function}`" if found.function else "a function"
            times = sum(not one.compiled.is_refused for one in found.recompiles)
            again = counted(times, "recompile")
            fix, edits = _with_limit(
                f"call {function} once, with the parameters of all layers in its lists, so "
                "that one graph has all shapes"
                if found.in_list
                else "compile the loop over the parameters instead: a function that takes all "
                f"of them as a list and calls {function}, so that one graph has all shapes",
                found.recompiles,
                facts,
            )
            if found.are_static and edits != ("limit_of_compile",):
                fix, edits = f"{_dynamic_by(_SETTINGS[:1])}; or {fix}", ("parameter_sizes", *edits)
            yield Match(
                message=(
                    f"{function} is compiled for each shape of the parameters"
                    f"{_each(found)}: {again}{limit_of(found.recompiles, facts)}"
                ),
                fix=fix,
                edits=edits,
                **of_compiles(found.recompiles, found.call or compiled_line(first.compiled)),
                confidence="high" if first.compiled.held is not None else "medium",
                key=found.function,
                count=times,
            )

        for replaced in facts.replaced_parameters:
            yield _of_replaced(replaced, facts)


def _with_limit(
    fix: str, recompiles: Sequence[RecompileFacts], facts: ProcessFacts
) -> tuple[str, tuple[Edit, ...]]:
    """Return ``fix`` with what is done about the limit that shapes hit, if any, and its edits."""
    if not has_refused(recompiles):
        return fix, ()
    limit = facts.limit_of(recompiles[0].compiled)
    if limit is not None and (in_thread := in_its_thread(limit)):
        return f"{in_thread}; or {fix}", ("limit_of_compile",)
    return f"{fix}; or {RAISE_LIMIT}", ("raised_limit",)


def _of_replaced(found: ReplacedParameter, facts: ProcessFacts) -> Match:
    """Return a module whose parameter has another shape each time."""
    first = found.recompiles[0]
    name, sizes = referring(found.source), [str(size) for size in found.sizes]
    times = sum(not one.compiled.is_refused for one in found.recompiles)
    again = counted(times, "recompile")
    place = first.compiled.location
    largest = max(found.sizes, default=1)
    return Match(
        message=(
            f"the {'buffer' if found.is_buffer else 'parameter'} `{name}` has another shape each "
            f"time (dimension {found.index}: {first_few(sizes, _SHAPES_TOLD)}): "
            f"{again}{at_the_limit(first, facts)}"
        ),
        fix=(
            f"make `{name}` once, for the largest size (at least {largest}), before the first "
            "compiled call, such as in `__init__`: what compiled code puts in a buffer's place is "
            "compiled for at each size, with dynamic=True as well"
            if found.is_buffer
            else f"{_dynamic(found)}keep `{name}`, and what is swapped with it, in one shape: make "
            f"them as large as the largest (at least {largest}), and copy each into them in place "
            "(`.copy_()`), with zeros for the rest "
            f"where these change nothing{'' if found.is_static else f'; {_STATIC}'}"
        ),
        edits=("parameter_sizes",) if found.is_static else (),
        **of_compiles(found.recompiles, compiled_line(first.compiled)),
        key=found.source,
        group="" if place is None else place.function,
        count=times,
        subject=Subject(found.source, (found.index,), found.sizes),
    )


def _dynamic_by(settings: Sequence[str]) -> str:
    named = " and ".join(f"`torch._dynamo.config.{one} = False`" for one in settings)
    return (
        f"set {named} before the first compile: sizes of parameters are then dynamic like any "
        "other (dynamic=False turns that off)"
    )


def _dynamic(found: ReplacedParameter) -> str:
    """Say by which settings its sizes are dynamic, if those of parameters are what is static.

    Those of torch's own modules need two.
    """
    if not found.is_static:
        return ""
    settings = _SETTINGS if guard_path(found.source).is_inner_parameter else _SETTINGS[:1]
    return f"{_dynamic_by(settings)}; or "


def _each(found: ParameterShapes) -> str:
    shapes = ["×".join(map(str, shape)) for shape in found.shapes]
    return f" ({first_few(shapes, _SHAPES_TOLD)})" if len(shapes) > 1 else ""
