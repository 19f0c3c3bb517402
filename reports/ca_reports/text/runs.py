"""A run in words: its totals, its end, its processes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from ca_reports.text.numbers import counted, duration, percent
from ca_reports.text.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.findings import Finding
    from ca_reports.model import Run
    from ca_reports.ranks import RankComparison, RankRow
    from ca_reports.summary import Summary

# A rank that lost so many times what the others lost is named.
_SLOWER = 1.1


@dataclass(frozen=True, slots=True)
class Headline:
    """Loss of a run, in a sentence. ``tone`` is ``bad``, ``good``, or ``neutral`` (unknown)."""

    text: str
    tone: Literal["bad", "good", "neutral"]


def headline(
    run: Run,
    summary: Summary,
    findings: Sequence[Finding] = (),
    ranks: RankComparison | None = None,
) -> Headline:
    """``Lost 19.4 s of 30.2 s (64%) to 2 causes.``; of several ranks, what one of them lost."""
    if not run.processes:
        return Headline("Nothing was recorded.", "neutral")
    recompiles = summary.recaptures + summary.dynamo_recompiles
    if not recompiles:
        if not (summary.captures or run.compiles):
            return Headline("Nothing was compiled.", "neutral")
        problems = sum(found.severity != "info" for found in findings)
        if problems:
            told = f"No recompiles, but {counted(problems, 'other problem')}."
            return Headline(told, "neutral")
        return Headline("No recompiles.", "good")
    lost = loss(run, summary, ranks)
    if lost is None:
        told = f"{counted(recompiles, 'recompile')}; this log has no times, so the loss is unknown."
        return Headline(told, "neutral")
    causes = sum(bool(found.seconds) for found in findings)
    to = f" to {counted(causes, 'cause')}" if causes else ""
    return Headline(f"Lost {lost}{to}{_gpu_waited(run, summary)}.", "bad")


def _gpu_waited(run: Run, summary: Summary) -> str:
    """``; the GPU waited 11.2 s of that (91%)``; empty where nothing measured it."""
    lost, waited = summary.seconds_lost, summary.gpu_waited
    if waited is None or not lost:
        return ""
    share = percent(min(1.0, waited / lost))
    if len(run.processes) > 1:  # what was lost is told of one of them
        return f"; the GPUs waited {share} of that time"
    return f"; the GPU waited {duration(waited)} of that ({share})"


@dataclass(frozen=True, slots=True)
class Loss:
    """Lost seconds: of one process, or the mean of the ``ranks`` of a job.

    ``whole`` is how long that process ran, the mean for ranks; None if unknown. ``where`` says
    whose it is, in words, and ``slowest`` is the rank that lost more than the others.
    """

    seconds: float
    whole: float | None
    where: str = ""
    ranks: int = 1
    slowest: RankRow | None = None

    def __str__(self) -> str:
        """``3.4 s of 6.5 s per rank (52%), 4.1 s on rank 3, the slowest,``."""
        told = duration(self.seconds)
        if self.whole:
            told += f" of {duration(self.whole)}"
        if self.ranks > 1:
            told += " per rank"
        if self.whole:
            told += f" ({percent(min(1.0, self.seconds / self.whole))})"
        told += self.where
        slow = self.slowest
        if slow is None:
            return told
        return f"{told}, {duration(slow.seconds_lost)} on rank {slow.rank}, the slowest,"


def loss(run: Run, summary: Summary, ranks: RankComparison | None) -> Loss | None:
    """Work out what the headline, the bar and the findings tell; None if the log has no times."""
    if summary.seconds_lost is None:
        return None
    times = [] if ranks is None else _times_of_ranks(run, ranks)
    losing = [(row, lost, whole) for row, lost, whole in times if lost]
    if len(losing) == 1:
        ((row, lost, whole),) = losing
        return Loss(lost, whole, f" on rank {row.rank}")
    if losing:
        mean = fmean(lost for _, lost, _ in times)
        row, most, _ = max(losing, key=lambda one: one[1])
        slowest = row if most > mean * _SLOWER else None
        whole = fmean(whole for _, _, whole in times)
        return Loss(mean, whole, ranks=len(times), slowest=slowest)
    if len(run.processes) == 1:
        return Loss(summary.seconds_lost, summary.seconds_total)
    own = [process.seconds or 0.0 for process in run.processes]
    return Loss(summary.seconds_lost, sum(own) if all(own) else None, f" in {process_count(run)}")


def _times_of_ranks(run: Run, ranks: RankComparison) -> list[tuple[RankRow, float, float]]:
    """Return what each rank lost and how long it ran; empty if that is not known of all."""
    known = [(row, row.seconds_lost, run.processes[row.process].seconds) for row in ranks.rows]
    times = [(row, lost, whole) for row, lost, whole in known if lost is not None and whole]
    return times if len(times) == len(known) else []


def run_totals(
    run: Run,
    summary: Summary,
    findings: Sequence[Finding] = (),
    ranks: RankComparison | None = None,
) -> str:
    """The run in two sentences: its `headline`, then its `run_counts`."""
    told = headline(run, summary, findings, ranks).text
    return f"{told} {run_counts(run, summary)}".strip()


def run_counts(run: Run, summary: Summary) -> str:
    """``24 backwards: 21 hits (88%), 3 captures (2 recaptures); …``; empty where nothing was made.

    Of a run of Dynamo alone: ``9 compiles of 2 functions in 4.1 s; 7 recompiles; …``.
    """
    if _is_empty(run):
        return ""
    parts = _compiled(run, summary) if summary.forward_only else _captured(run, summary)
    sentence = "; ".join(parts)
    return sentence[0].upper() + sentence[1:] + "."


def _is_empty(run: Run) -> bool:
    """Whether nothing was compiled, and compiled autograd neither used nor asked for."""
    return all(
        process.recorded and process.has_compiled_nothing and not process.has_compiled_autograd
        for process in run.processes
    )


def _compiled(run: Run, summary: Summary) -> list[str]:
    """A run of Dynamo alone: what was compiled, how often again, and where graphs broke."""
    compiles = counted(summary.forward_compiles, "compile")
    parts = [f"{compiles} of {counted(summary.forward_functions, 'function')}"]
    if summary.forward_seconds is not None:
        parts[0] += f" in {duration(summary.forward_seconds)}"
    recompiles = summary.forward_recompiles
    parts.append(counted(recompiles, "recompile") if recompiles else "no recompiles")
    parts.append(_breaks(run, summary) or "no graph breaks")
    return parts


def _breaks(run: Run, summary: Summary) -> str:
    """``7 graph breaks at 2 places``; empty without any."""
    if not summary.graph_breaks:
        return ""
    places = counted(len(run.graph_breaks), "place")
    return f"{counted(summary.graph_breaks, 'graph break')} at {places}"


def _captured(run: Run, summary: Summary) -> list[str]:
    captures = counted(summary.captures, "capture")
    if summary.recaptures:
        captures += f" ({counted(summary.recaptures, 'recapture')})"
    if summary.backwards is not None and summary.hits is not None:
        share = f" ({percent(summary.hits / summary.backwards)})" if summary.backwards else ""
        hits = counted(summary.hits, "hit")
        where = f" in {process_count(run)}" if len(run.processes) > 1 else ""
        backwards = counted(summary.backwards, "backward")
        parts = [f"{backwards}{where}: {hits}{share}, {captures}"]
    elif summary.captures:
        parts = [captures]
    else:
        compiles = counted(len(run.compiles), "Dynamo compile")
        parts = [f"no compiled autograd in this log; {compiles}"]
    if summary.recompiled_captures:
        again = {(found.process, found.capture) for found in run.recompiled_captures}
        times = summary.recompiled_captures
        more = f" {times} times" if times > len(again) else ""
        parts.append(f"{counted(len(again), 'captured graph')} recompiled{more}")
    if summary.forward_recompiles:
        parts.append(counted(summary.forward_recompiles, "forward recompile"))
    if summary.graph_breaks:
        parts.append(_breaks(run, summary))
    return parts


def how_it_ended(run: Run) -> str | None:
    """Say how a run ended that did not end well."""
    codes = [recorded.exit_code for recorded in run.recorded if recorded.exit_code]
    if not codes:
        return None
    return f"The run ended with exit code {', '.join(str(code) for code in codes)}."


def graph_totals(run: Run, summary: Summary) -> str:
    """``Compiled autograd captured 1 backward graph; Dynamo compiled 2 …``; empty as above."""
    if _is_empty(run):
        return ""
    if summary.forward_only:
        return f"Dynamo compiled {counted(summary.forward_graphs, 'graph')}."
    return (
        f"Compiled autograd captured {counted(summary.captures, 'backward graph')}; Dynamo "
        f"compiled {counted(summary.forward_graphs, 'forward graph')}."
    )


def process_count(run: Run, indices: Iterable[int] | None = None) -> str:
    """``4 processes``; ``2 recordings`` where it is one process that was recorded as often."""
    chosen = [run.processes[index] for index in indices] if indices else run.processes
    # A process that does not say which it is is another one.
    distinct = {
        (found.host, found.rank, found.pid, found.index if found.pid is None else None)
        for found in chosen
    }
    if len(distinct) == 1 < len(chosen):
        return f"{len(chosen)} recordings"
    return f"{len(distinct)} processes"


def devices(run: Run) -> str:
    """``Ran on cuda:0 NVIDIA H200.``, by rank where they differ; empty if all was on the CPU."""
    found = [", ".join(process.devices) for process in run.processes]
    if not any(each not in ("", "cpu") for each in found):
        return ""
    if len(set(found)) == 1:
        return f"Ran on {found[0]}."
    rows = zip(process_labels(run), found, strict=True)
    told = [f"{label} on {each or 'an unknown device'}" for label, each in rows]
    return f"Ran: {listed(told)}."


def process_labels(run: Run) -> list[str]:
    """One label a process; where two would be equal, their numbers are added."""
    labels = [process.label for process in run.processes]
    times = Counter(labels)
    return [
        f"{label} #{index}" if times[label] > 1 else label for index, label in enumerate(labels)
    ]
