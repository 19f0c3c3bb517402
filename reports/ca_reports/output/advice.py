"""The words about findings that the terminal, the HTML report and others share. Plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.remedies import NoEdits
from ca_reports.output import effects as effect_words
from ca_reports.run.build.forward import seconds_noting
from ca_reports.run.model import Compile
from ca_reports.sentences.phases import most_first
from ca_reports.sentences.places import shown_place, thread_named
from ca_reports.sentences.processes import process_count
from ca_reports.words.numbers import counted, duration, percent, times
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.findings import Diagnosis, Finding
    from ca_reports.run.model import Run

_IDS_TOLD = 6
_LOOPS_TOLD = 3


def total_seconds(run: Run, processes: Sequence[int]) -> float | None:
    """Add up how long these processes ran; None if one does not say."""
    seconds = [run.processes[index].seconds for index in processes]
    return None if not seconds or None in seconds else sum(filter(None, seconds))


def share(found: Finding, run: Run) -> float | None:
    """Return what part of the time of its processes a finding cost, 0 to 1; None if unknown."""
    total = total_seconds(run, found.processes)
    if found.seconds is None or total is None:
        return None
    return min(1.0, found.seconds / total)


def is_per_rank(found: Finding, run: Run) -> bool:
    """Return whether what a finding cost is told of one rank: the mean of those that have it."""
    ranks = {run.processes[index].rank for index in found.processes}
    return len(found.processes) > 1 and None not in ranks and len(ranks) == len(found.processes)


def seconds(found: Finding, run: Run) -> float | None:
    """Return what a finding cost, of several ranks each on average; None if unknown."""
    if found.seconds is None or not is_per_rank(found, run):
        return found.seconds
    return found.seconds / len(found.processes)


def heading(findings: Sequence[Finding]) -> str:
    """Name a list of findings by the order it has, or say that it is notes."""
    if all(found.is_note for found in findings):
        return "Notes: nothing to do"
    is_ranked = any(found.seconds is not None for found in findings)
    return "Fixes, costliest first" if is_ranked else "Fixes"


def nothing_found(run: Run, *, is_cold: bool = False) -> str:
    """Say that a run has no finding, as far as its log can tell.

    ``is_cold``: it is said already that its caches did not serve.
    """
    if not run.processes:
        return "Nothing was recorded, so there is nothing to say."
    if run.missing & {"recompiles", "graph_breaks"}:
        return "No problem is in what this log holds."
    return "No other problem found." if is_cold else "No problems found."


def fix_label(found: Finding) -> str:
    """Return what stands before the fix of a finding, or before why it needs none."""
    return "to do" if found.is_note else "fix"


def fix_line(found: Finding) -> str:
    """Return ``fix: pass drop_last=True``: the fix behind its label."""
    return f"{fix_label(found)}: {found.fix}"


def no_patch(found: Finding, reason: str, cwd: str | None) -> tuple[str, str]:
    """Say of which line `ca fix` makes no patch, and why; and what to do by hand.

    The reason is left out where what to do by hand gives it. Files are named below ``cwd``.
    """
    place = found.location or found.noticed_at
    at = "" if place is None else f" at {shown_place(place, cwd)}"
    own = found.remedy.edit
    is_given = isinstance(own, NoEdits) and own.is_in_sentence and own.reason == reason
    why = "" if is_given else f": {reason}"
    return f"{found.rule}{at}: no patch{why}", fix_line(found)


def cost(found: Finding, run: Run) -> str:
    """Return ``1.2 s lost, 31% of the run; 3 times``, as far as it is known."""
    parts = []
    own = seconds(found, run)
    if own is not None:
        each = " on each rank" if is_per_rank(found, run) else ""
        lost = f"{duration(own)} lost{each}"
        part = share(found, run)
        if part is not None:
            lost += f", {percent(part)} of the run"
        parts.append(lost)
    if found.count > 1:
        parts.append(times(found.count))
    if len(found.processes) > 1:
        parts.append(f"in {process_count(run, found.processes)}")
    if where := in_threads(found, run):
        parts.append(where)
    return "; ".join(parts)


def in_threads(found: Finding, run: Run) -> str:
    """Say ``in the thread `worker_1```; empty where all compiled in it, or that is not known."""
    own = [one.held for one in found.events if isinstance(one, Compile)]
    if not own or len(own) < len(found.events) or None in own:
        return ""
    names = {held.thread for held in own if held is not None}
    every = {
        compiled.held.thread
        for index in found.processes
        for compiled in run.processes[index].compiles
        if compiled.is_forward and compiled.held is not None
    }
    if names == every:
        return ""
    told = [thread_named(name) for name in sorted(names, key=lambda name: name or "")]
    return f"in {first_few(told, 3)}"


def phases(found: Finding) -> str:
    """Return ``Dynamo 1.1 s, capture 50 ms``: where the time went, most first."""
    return most_first(found.phases)


def events(found: Finding) -> str:
    """Return ``!1, !2, 0/1 and 3 more``: the captures and compiles that a finding explains."""
    return first_few([*found.captures, *found.compile_ids], _IDS_TOLD)


def when(found: Finding) -> str:
    """Return ``at step 17, epoch 2, validation; and 3 more``, if the user's loop named them."""
    told = first_few([loop.words for loop in found.loops], _LOOPS_TOLD, "; ", "; and ")
    return f"at {told}" if told else ""


def effects(found: Finding) -> str:
    """Say what the change does to the training besides; empty for a note, or if unsure."""
    return "" if found.is_note else effect_words.in_words(found.remedy.sure_effects)


def notes(found: Finding) -> list[str]:
    """Return what else there is to say: more that a fix saves, other rules, how sure it is."""
    told = [] if found.saves is None else [saving(found, found.saves)]
    if found.is_shared:
        told.append(f"another cause shows in the same {_events(found)}")
    if found.other_rules:
        told.append(f"could also be {' or '.join(map(str, found.other_rules))}")
    if found.confidence != "high":
        told.append(f"{found.confidence} confidence")
    return told


def saving(found: Finding, saves: float) -> str:
    """Say what the fix of a finding saves by itself, in seconds, and why that is not its cost."""
    own = found.rule.code
    codes = ", ".join(
        f"another {own}" if rule.code == own else rule.code for rule in found.saves_of
    )
    few = "nothing" if saves == 0 else duration(saves)
    if found.subject.choice is not None and not codes:
        return f"by the times of this run, the best sizes save {few} of it in all"
    if saves > (found.seconds or 0.0):
        return f"its fix saves {few}, with what comes of it ({codes})"
    if saves == 0 and not found.spared:
        return f"its fix alone saves nothing: values of {codes} take its compiles"
    if codes:
        return f"its fix alone saves {few}: {codes} shows in the same {_events(found)}"
    return f"its fix saves {few}: the largest capture is left"


def _events(found: Finding) -> str:
    return "captures" if found.captures else "compiles"


def noting(run: Run) -> str | None:
    """Say what ``ca run --forward-stacks`` noted and cost; None without it."""
    forwards = sum(len(process.noted_forwards) for process in run.processes)
    if not forwards:
        return None
    costs = [seconds_noting(process) for process in run.processes if process.noted_forwards]
    known = [cost for cost in costs if cost is not None]
    cost = f", about {duration(sum(known))} slower in all" if len(known) == len(costs) else ""
    return f"--forward-stacks noted the lines of {counted(forwards, 'forward')}{cost}."


def could_locate(diagnosis: Diagnosis, run: Run) -> str | None:
    """Say what would name the line of the forward, where a finding has that of the backward."""
    if any(process.noted_forwards or not process.recorded for process in run.processes):
        return None
    calls = {capture.backward_call for capture in run.captures}
    vague = {
        found.code
        for found in diagnosis.findings
        if found.rule.located_in_forward and found.location in calls
    }
    if not vague:
        return None
    codes = ", ".join(sorted(vague))
    return f"`ca run --forward-stacks` also names the line of the forward ({codes})."


def silenced(diagnosis: Diagnosis) -> str | None:
    """Return ``2 findings silenced (CA201, 2 × CA301)``; None if there are none."""
    if not diagnosis.silenced:
        return None
    codes = ", ".join(
        f"{number} × {code}" if number > 1 else code
        for code, number in sorted(diagnosis.silenced.items())
    )
    return f"{counted(sum(diagnosis.silenced.values()), 'finding')} silenced ({codes})."
