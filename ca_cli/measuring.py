"""``ca sizes --measure``: short runs of the run's own command, one for each of the best plans."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ca_cli import run_folder, verifying
from ca_cli.errors import UsageError
from ca_cli.trial_progress import TrialProgress

if TYPE_CHECKING:
    from ca_cli.verifying import Command
    from ca_reports.facts.sizes.examined import RunSizes
    from ca_reports.facts.sizes.plans import FunctionPlans, Measurement, Plan

# Steps of each run, where nothing else is asked for.
STEPS = 60
# A run may take so many times as long as the recorded one, and so many seconds at least: a server
# whose threads wait for more calls does not end by itself.
_SLOWER, _AT_LEAST = 5.0, 600.0
# Runs of each plan, all plans in turn: each is held by what is done now, round by round.
ROUNDS = 3


def measured(found: RunSizes, *, steps: int | None, yes: bool) -> RunSizes:
    """Try the best plans for the function that is called most, and return what they took.

    Raises `UsageError` if there is nothing to try, or the command cannot be run again.
    """
    from ca_reports.facts.sizes.measured import chosen, with_measured

    plans = found.functions[0] if found.functions else None
    places = chosen(plans) if plans is not None else ()
    if plans is None or not places:
        raise UsageError("--measure has no plan to try: no size varied, or nothing was timed")
    command = verifying.command_of(found.run, "--measure")
    most = min(steps or STEPS, STEPS)
    expected = verifying.recorded_seconds(found.run)
    runs = ROUNDS * len(places)
    verifying.agree_to(
        command, (runs, runs), most, expected, yes=yes, quiet=False, option="--measure"
    )
    limits = verifying.RunLimits(most, max(_AT_LEAST, _SLOWER * (expected or 0.0)))
    progress = TrialProgress((runs, runs))
    of_plan: dict[int, list[Measurement]] = {at: [] for at in places}
    with tempfile.TemporaryDirectory(prefix="ca-sizes-", ignore_cleanup_errors=True) as name:
        for number in range(ROUNDS):
            for at, known in of_plan.items():
                if all(one.error is None for one in known):
                    folder = Path(name) / f"{at}-{number}"
                    known.append(_try(command, plans, plans.plans[at], limits, folder, progress))
    return replace(found, functions=(with_measured(plans, of_plan), *found.functions[1:]))


def _try(
    command: Command,
    plans: FunctionPlans,
    plan: Plan,
    limits: verifying.RunLimits,
    place: Path,
    progress: TrialProgress,
) -> Measurement:
    import ca_reports
    from ca_reports.errors import NothingReadable
    from ca_reports.facts.sizes.measured import measurement, setting
    from ca_reports.facts.sizes.plans import Measurement
    from ca_reports.sentences.sizes import plan_name
    from ca_reports.words.numbers import counted

    chosen = setting(plan, plans.function)
    outcome = command.run(
        plan_name(plan),
        counted(limits.steps or STEPS, "step"),
        place,
        limits,
        progress,
        settings={"try_sizes": chosen} if chosen else {},
    )
    try:
        return measurement(
            ca_reports.load([place / run_folder.TRACE]), outcome.error if outcome.crashed else None
        )
    except NothingReadable:
        return Measurement(error=outcome.error or "nothing was recorded")
