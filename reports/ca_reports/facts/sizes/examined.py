"""All that `ca sizes` says of a run: the functions whose inputs vary, with a plan for each."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.argument_names import CallNames
from ca_reports.facts.costs import Costs
from ca_reports.facts.sizes.histogram import only_dimension, sized_functions
from ca_reports.facts.sizes.plans import function_plans
from ca_reports.program.files import SourceFiles

if TYPE_CHECKING:
    from ca_reports.facts.sizes.histogram import SizedFunction
    from ca_reports.facts.sizes.plans import FunctionPlans
    from ca_reports.run.model import Run


@dataclass(frozen=True, slots=True)
class RunSizes:
    """The plans for each function of a run, the most called first.

    ``is_counted`` says whether the run counted sizes at all: one without calls in our records did
    not, which says nothing about its sizes. ``batch_sizes``: only those were asked for.
    """

    run: Run
    functions: tuple[FunctionPlans, ...]
    is_counted: bool
    batch_sizes: bool = False


def examine(
    run: Run,
    steps: int | None = None,
    *,
    batch_sizes: bool = False,
    costs: Costs | None = None,
    files: SourceFiles | None = None,
) -> RunSizes:
    """Reckon the plans for ``steps`` steps; without, for as many as each function was called.

    With ``batch_sizes`` only for the first dimension of its inputs, as a server needs them.
    ``costs`` and ``files`` are those of the run, where they are known already.
    """
    costs = Costs(run) if costs is None else costs
    functions = _as_called(sized_functions(run), SourceFiles.of(run) if files is None else files)
    if batch_sizes:
        functions = [one for one in map(_of_batches, functions) if one is not None]
    return RunSizes(
        run,
        tuple(function_plans(one, costs, steps) for one in functions),
        is_counted=any(process.graph_sizes for process in run.processes),
        batch_sizes=batch_sizes,
    )


def _as_called(functions: list[SizedFunction], files: SourceFiles) -> list[SizedFunction]:
    """Return ``functions`` with the names of their arguments in the user's calls."""
    calls = CallNames(files)
    return [
        replace(one, names=calls.of(one.location, [name for name, _ in chain(*one.arguments)]))
        for one in functions
    ]


def _of_batches(function: SizedFunction) -> SizedFunction | None:
    at = next(
        (
            number
            for number, dimensions in enumerate(function.arguments)
            if any(index == 0 for _, index in dimensions)
        ),
        None,
    )
    return None if at is None else only_dimension(function, at)
