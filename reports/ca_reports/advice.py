"""The words about findings that the terminal, the HTML report and others share. Plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.sentences import count, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.findings import Diagnosis, Finding
    from ca_reports.model import Run

PHASE_WORDS = {
    "capture": "capture",
    "dynamo": "Dynamo",
    "aot": "AOT autograd",
    "backend": "backend",
    "other": "first run",
}
# A phase that took less than this share is not worth a reader's time.
_SHARE_TOLD = 0.02
_IDS_TOLD = 6


def total_seconds(run: Run, processes: Sequence[int]) -> float | None:
    """How long these processes ran, added up; None if one does not say."""
    total = 0.0
    for index in processes:
        process = run.processes[index]
        if process.start is None or process.last is None:
            return None
        total += process.last - process.start
    return total or None


def share(found: Finding, run: Run) -> float | None:
    """What part of the time of its processes a finding cost, 0 to 1; None if unknown."""
    total = total_seconds(run, found.processes)
    if found.seconds is None or total is None:
        return None
    return min(1.0, found.seconds / total)


def cost(found: Finding, run: Run) -> str:
    """``1.2 s lost, 31 % of the run; 3 times``, as far as it is known."""
    parts = []
    if found.seconds is not None:
        lost = f"{seconds(found.seconds)} lost"
        part = share(found, run)
        if part is not None:
            lost += f", {part:.0%} of the run".replace("%", " %")
        parts.append(lost)
    if found.count > 1:
        parts.append(f"{found.count:,} times")
    if len(found.processes) > 1:
        parts.append(f"in {len(found.processes)} processes")
    return "; ".join(parts)


def phases(found: Finding) -> str:
    """``Dynamo 1.1 s, capture 50 ms``: where the time went, most first."""
    total = sum(found.phases.values())
    told = [
        (spent, f"{PHASE_WORDS.get(phase, phase)} {seconds(spent)}")
        for phase, spent in found.phases.items()
        if total and spent / total >= _SHARE_TOLD
    ]
    return ", ".join(text for _, text in sorted(told, reverse=True))


def events(found: Finding) -> str:
    """``!1, !2, 0/1 and 3 more``: the captures and compiles that a finding explains."""
    ids = [*found.captures, *found.compile_ids]
    more = len(ids) - _IDS_TOLD
    return ", ".join(ids[:_IDS_TOLD]) + (f" and {more} more" if more > 0 else "")


def notes(found: Finding) -> list[str]:
    """What else there is to say: other rules that fit, and how sure this is."""
    told = []
    if found.also:
        told.append(f"{', '.join(found.also)} {'fits' if len(found.also) == 1 else 'fit'} too")
    if found.confidence != "high":
        told.append(f"confidence: {found.confidence}")
    return told


def silenced(diagnosis: Diagnosis) -> str | None:
    """``2 findings silenced (CA201, 2 × CA301)``; None if there are none."""
    counted = sorted(diagnosis.silenced.items())
    if not counted:
        return None
    codes = ", ".join(f"{times} × {code}" if times > 1 else code for code, times in counted)
    return f"{count(sum(times for _, times in counted), 'finding')} silenced ({codes})."
