"""A run in words: what it lost, its totals, its devices."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_reports.sentences.failures import in_one_line, raised
from ca_reports.sentences.inherent import WHY_INHERENT
from ca_reports.sentences.processes import process_count, process_labels
from ca_reports.words.numbers import counted, duration, joined, percent, plural, times
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.costs.ranks import RankComparison, RankRow
    from ca_reports.facts.summary import Apart, Summary
    from ca_reports.run.model import Failure, Run

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
    """Say ``Lost 9.4 s of the 15 s it ran (63%) to 2 causes.``; of several ranks, for one."""
    if not run.processes:
        return Headline("Nothing was recorded.", "neutral")
    if summary.crash is not None:
        told = f"Crashed: {raised(summary.crash)}: {in_one_line(summary.crash)}"
        return Headline(told if told.endswith("…") else f"{told}.", "bad")
    unclear = [one for one in summary.failures if one.outcome == "unknown"]
    if unclear:
        return Headline(f"{_sentence(raised(unclear[0]))}{_and_more(unclear)}.", "bad")
    if not summary.avoidable:
        return _without_loss(run, summary, findings)
    lost = loss(run, summary, ranks)
    if lost is None:
        again = _again(summary, summary.dynamo_recompiles or 0)
        told = f"{again}; this log has no times, so the loss is unknown."
        return Headline(told, "neutral")
    costly = [found for found in findings if found.seconds]
    causes = sum(not found.is_note for found in costly)
    if costly and not causes:
        return Headline(f"Nothing to change: {lost} went to what the notes tell of.", "neutral")
    to = f" to {counted(causes, 'cause')}" if causes else ""
    told = f"Lost {lost}{to}{_gpu_waited(run, summary)}{_beside(run, summary)}."
    return Headline(told, "bad")


def _without_loss(run: Run, summary: Summary, findings: Sequence[Finding]) -> Headline:
    """Say what there is where nothing that can be avoided is known to be lost."""
    problems = sum(found.severity != "info" for found in findings)
    others = counted(problems, "other problem")
    if summary.least_recompiles > summary.inherent_recompiles:
        told = _again(summary, 0)
        return Headline(f"{told}; this log has no times, so the loss is unknown.", "neutral")
    if summary.inherent:
        told = joined([_of_inherent(found) for found in summary.inherent])
        return Headline(f"{told}{f'; {others}' if problems else ''}.", "neutral")
    if "recompiles" in summary.missing:
        told = f"{counted(problems, 'problem')}; " if problems else ""
        return Headline(f"{told}recompiles are not in this log.".capitalize(), "neutral")
    ended = next((one.end.error for one in run.processes if one.end and one.end.error), None)
    before = f" before the program ended with {ended}" if ended else _as_far(run)
    if not (summary.captures or run.compiles):
        return Headline(f"Nothing was compiled{before}.", "neutral")
    if problems:
        return Headline(f"No recompiles{before}, but {others}.", "neutral")
    return Headline(f"No recompiles{before}.", "neutral" if before else "good")


def _as_far(run: Run) -> str:
    """Say how far a recording goes that is damaged or lacks its end; empty where it is whole."""
    if run.unread:
        return " in what could be read"
    without = [one for one in run.processes if one.recorded and one.end is None]
    if not without:
        return ""
    return " so far" if all(one.is_running for one in without) else " in what was recorded"


def _again(summary: Summary, seen: int) -> str:
    """Say what was compiled again; ``seen`` are recompiles, of which a log may not have all.

    ``5 recompiles``, ``At least 7 recompiles``, ``2 recaptures and at least 1 recompile``.
    """
    captures, least = summary.recaptures, summary.least_recompiles
    told = [counted(captures, "recapture")] if captures else []
    if most := max(seen, least):
        told.append(("at least " if least > seen else "") + counted(most, "recompile"))
    return _sentence(joined(told))


def _of_inherent(found: Apart) -> str:
    """Return ``1 recompile (made a size dynamic), 1.4 s``."""
    spent = "" if found.seconds is None else f", {duration(found.seconds)}"
    return f"{_events(found)} ({WHY_INHERENT[found.why]}){spent}"


def _beside(run: Run, summary: Summary) -> str:
    """Say what was spent beside the loss: ``; 4.1 s more for 6 recompiles (made a size …)``."""
    spent = sum(found.seconds or 0.0 for found in summary.inherent)
    if not spent:
        return ""
    of = [f"{_events(found)} ({WHY_INHERENT[found.why]})" for found in summary.inherent]
    where = f" in {process_count(run)}" if len(run.processes) > 1 else ""
    return f"; {duration(spent)} more{where} for {joined(of)}"


def _events(found: Apart) -> str:
    """Return ``1 recapture``, ``2 recompiles``, or both."""
    counts = ((found.recaptures, "recapture"), (found.recompiles, "recompile"))
    return joined([counted(number, noun) for number, noun in counts if number])


def _and_more(failures: Sequence[Failure]) -> str:
    """Return ``, and 2 more compiles failed``; empty for one exception."""
    more = len(failures) - 1
    return f", and {counted(more, 'more exception')} came out of a compile" if more else ""


def _gpu_waited(run: Run, summary: Summary) -> str:
    """Return ``; the GPU waited 11.2 s of that (91%)``; empty where nothing measured it."""
    lost, waited = summary.seconds_lost, summary.gpu_waited
    if waited is None or not lost:
        return ""
    share = percent(min(1.0, waited / lost))
    if len(run.processes) > 1:  # what was lost is told of one of them
        return f"; the GPUs waited {share} of that time"
    return f"; the GPU waited {duration(waited)} of that ({share})"


# Who ran, where it was one process: see `Loss`.
IT = "it"


@dataclass(frozen=True, slots=True)
class Loss:
    """Lost seconds: of one process, or the mean of the ``ranks`` of a job.

    ``whole`` is how long that process ran, from the interpreter's start to the last record, the
    mean for ranks; None if unknown. ``who`` ran it, in words, ``where`` says on which rank it was
    lost, and ``slowest`` is the rank that lost more than the others. Sums over all processes are of
    ``of`` times as much.
    """

    seconds: float
    whole: float | None
    who: str = IT
    where: str = ""
    ranks: int = 1
    of: int = 1
    slowest: RankRow | None = None

    def __str__(self) -> str:
        """Return ``3.4 s of the 6.5 s that each rank ran (52%), 4.1 s on rank 3, the slowest,``."""
        told = duration(self.seconds)
        if self.whole:
            share = percent(min(1.0, self.seconds / self.whole))
            told += f" of the {duration(self.whole)} {self.who} ran ({share})"
        elif self.ranks > 1:
            told += " per rank"
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
        return Loss(lost, whole, where=f" on rank {row.rank}", of=len(times))
    if losing:
        mean = fmean(lost for _, lost, _ in times)
        row, most, _ = max(losing, key=lambda one: one[1])
        slowest = row if most > mean * _SLOWER else None
        whole = fmean(whole for _, _, whole in times)
        return Loss(mean, whole, "that each rank", ranks=len(times), of=len(times), slowest=slowest)
    if len(run.processes) == 1:
        return Loss(summary.seconds_lost, summary.seconds_total)
    own = [process.seconds or 0.0 for process in run.processes]
    those = process_count(run)
    if all(own):
        return Loss(summary.seconds_lost, sum(own), f"that {those}")
    return Loss(summary.seconds_lost, None, where=f" in {those}")


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
    """Return the run in two sentences: its `headline`, then its `run_counts`."""
    told = headline(run, summary, findings, ranks).text
    return f"{told} {run_counts(run, summary)}".strip()


def run_counts(run: Run, summary: Summary) -> str:
    """Say ``24 backwards: 21 hits (88%), 3 captures (2 recaptures); …``; empty of nothing.

    Of a run of Dynamo alone: ``9 compiles of 2 functions in 4.1 s; 7 recompiles; …``.
    """
    if _is_empty(run):
        return ""
    parts = _compiled(run, summary) if summary.forward_only else _captured(run, summary)
    return _sentence("; ".join(parts)) + "."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _is_empty(run: Run) -> bool:
    """Return whether there is nothing to count: nothing was compiled, as far as could be read.

    Of what was read whole, compiled autograd was neither used nor asked for, either.
    """
    if not all(process.has_compiled_nothing for process in run.processes):
        return False
    return run.unread > 0 or all(
        (process.recorded or process.raised) and not process.has_compiled_autograd
        for process in run.processes
    )


def recompile_count(summary: Summary, number: int | None, noun: str = "recompile") -> str:
    """Say ``no recompiles``, ``9 recompiles (1 made a size dynamic)``; empty if unknown."""
    if number is None:
        return ""
    if not number:
        return f"no {plural(noun)}"
    told = [
        WHY_INHERENT[found.why]
        if found.recompiles == number
        else f"{found.recompiles:,} {WHY_INHERENT[found.why]}"
        for found in summary.inherent
        if found.recompiles
    ]
    return counted(number, noun) + (f" ({', '.join(told)})" if told else "")


def _compiled(run: Run, summary: Summary) -> list[str]:
    """Return a run of Dynamo alone: what was compiled, how often again, and where graphs broke."""
    parts = []
    if summary.forward_compiles is not None:
        compiles = counted(summary.forward_compiles, "compile")
        functions = counted(summary.forward_functions or 0, "function")
        spent = (
            "" if summary.forward_seconds is None else f" in {duration(summary.forward_seconds)}"
        )
        processes = {one.process for one in run.forward_compiles}
        by = f" by {counted(len(processes), 'process')}" if len(processes) > 1 else ""
        parts.append(f"{compiles} of {functions}{by}{spent}{_raised(run)}")
    recompiles = summary.forward_recompiles
    parts.append(_least(summary) or recompile_count(summary, recompiles))
    parts.append(
        _breaks(run, summary) or ("" if summary.graph_breaks is None else "no graph breaks")
    )
    parts += [_internal(summary), _not_in_log(summary)]
    return list(filter(None, parts))


def _raised(run: Run) -> str:
    """Return ``, of which 1 raised``: of the compiles of user code; empty if none did."""
    compiles = run.forward_compiles
    raised = sum(one.failed is not None for one in compiles)
    if not raised:
        return ""
    return ", which raised" if raised == len(compiles) else f", of which {raised:,} raised"


def _least(summary: Summary) -> str:
    """Return ``at least 7 recompiles, 3 of them in this log``; empty where the log has them all."""
    seen = summary.dynamo_recompiles or 0
    if summary.least_recompiles <= seen:
        return ""
    told = f"at least {counted(summary.least_recompiles, 'recompile')}"
    return f"{told}, {seen} of them in this log" if seen else told


def _internal(summary: Summary) -> str:
    """Return ``4 compiles (2 recompiles) of torch's own around captured graphs, not counted``."""
    if not summary.internal_compiles:
        return ""
    again = summary.internal_recompiles
    of = f" ({counted(again, 'recompile')})" if again else ""
    compiles = counted(summary.internal_compiles, "compile")
    return f"not counted: {compiles}{of} that torch started around captured graphs"


def _not_in_log(summary: Summary) -> str:
    """Return ``not in this log: compiles and times``; empty where nothing lacks."""
    lacks = {
        "compiles": summary.forward_compiles is None,
        "recompiles": summary.dynamo_recompiles is None and not summary.least_recompiles,
        "graph breaks": summary.graph_breaks is None,
        "times": "times" in summary.missing,
    }
    names = [name for name, is_lacking in lacks.items() if is_lacking]
    return f"not in this log: {joined(names)}" if names else ""


def _breaks(run: Run, summary: Summary) -> str:
    """Return ``7 graph breaks at 2 places``; empty without any."""
    if not summary.graph_breaks:
        return ""
    places = counted(len(run.graph_breaks), "place")
    least = "at least " if "graph_breaks" in summary.missing else ""
    return f"{least}{counted(summary.graph_breaks, 'graph break')} at {places}"


def _captured(run: Run, summary: Summary) -> list[str]:
    captures = _least_captures(summary) + counted(summary.captures, "capture")
    if summary.recaptures:
        captures += f" ({counted(summary.recaptures, 'recapture')}{_other_backwards(summary)})"
    if summary.backwards is not None and summary.hits is not None:
        share = f" ({percent(summary.hits / summary.backwards)})" if summary.backwards else ""
        hits = counted(summary.hits, "hit")
        where = f" in {process_count(run)}" if len(run.processes) > 1 else ""
        backwards = counted(summary.backwards, "backward")
        parts = [f"{backwards}{where}: {hits}{share}, {captures}"]
    elif summary.captures:
        parts = [captures]
    elif "compiles" in summary.missing:
        parts = ["no compiled autograd in this log"]
    else:
        compiles = counted(
            sum(not compiled.is_refused for compiled in run.compiles), "Dynamo compile"
        )
        parts = [f"no compiled autograd in this log; {compiles}"]
    if summary.recompiled_captures:
        again = {(found.process, found.capture) for found in run.recompiled_captures}
        often = summary.recompiled_captures
        more = f" {times(often)}" if often > len(again) else ""
        parts.append(f"{counted(len(again), 'captured graph')} recompiled{more}")
    if summary.forward_recompiles:
        number = summary.forward_recompiles
        parts.append(recompile_count(summary, number, "forward recompile"))
    parts += [_least(summary), _breaks(run, summary), _internal(summary), _not_in_log(summary)]
    return list(filter(None, parts))


def _least_captures(summary: Summary) -> str:
    """Return ``at least ``, where the log names captures only in what else it tells of them."""
    return "at least " if "captures" in summary.missing and summary.captures else ""


def _other_backwards(summary: Summary) -> str:
    """Return ``, 1 for another backward``: of the recaptures; empty without any."""
    told = ""
    for found in summary.inherent:
        if found.recaptures:
            of = "" if found.recaptures == summary.recaptures else f"{found.recaptures:,} "
            told += f", {of}{WHY_INHERENT[found.why]}"
    return told


def graph_totals(run: Run, summary: Summary) -> str:
    """Say ``Compiled autograd captured 1 backward graph; Dynamo compiled 2 …``; or nothing."""
    if _is_empty(run):
        return ""
    number = _least_captures(summary) + counted(summary.captures, "backward graph")
    captured = f"Compiled autograd captured {number}"
    if summary.forward_graphs is None:
        return f"{captured}." if summary.captures else ""
    compiles = run.forward_compiles
    if compiles and summary.forward_only and all(one.failed is not None for one in compiles):
        return ""  # a graph whose compile raised is counted by torch, and serves no call
    if summary.forward_only:
        return f"Dynamo compiled {counted(summary.forward_graphs, 'graph')}."
    return f"{captured}; Dynamo compiled {counted(summary.forward_graphs, 'forward graph')}."


def devices(run: Run) -> str:
    """Say ``Ran on cuda:0 NVIDIA H200.``, by rank where they differ; empty if on the CPU."""
    found = [", ".join(process.devices) for process in run.processes]
    if not any(each not in ("", "cpu") for each in found):
        return ""
    if len(set(found)) == 1:
        return f"Ran on {found[0]}."
    rows = zip(process_labels(run), found, strict=True)
    told = [f"{label} on {each or 'an unknown device'}" for label, each in rows]
    return f"Ran: {listed(told)}."
