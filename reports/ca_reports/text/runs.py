"""A run in words: its totals, its end, its processes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ca_reports.text.numbers import counted, duration, percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.model import Run
    from ca_reports.summary import Summary


def run_totals(run: Run, summary: Summary) -> str:
    """The run in a sentence: ``24 backwards: 21 hits (88%), 3 captures (2 recaptures); …``.

    Of a run of Dynamo alone: ``9 compiles of 2 functions in 4.1 s; 7 recompiles; …``.
    """
    if not run.processes:
        return "Nothing was recorded."
    parts = _compiled(run, summary) if summary.forward_only else _captured(run, summary)
    parts += _lost(run, summary)
    sentence = "; ".join(parts)
    return sentence[0].upper() + sentence[1:] + "."


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
        parts = [f"{counted(summary.backwards, 'backward')}: {hits}{share}, {captures}"]
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


def _lost(run: Run, summary: Summary) -> list[str]:
    if summary.seconds_lost is not None:
        lost = f"{duration(summary.seconds_lost)} lost"
        several = len(run.processes) > 1
        if several:
            lost += f", summed over {process_count(run)}"
        if summary.seconds_total is not None:
            lost += (
                f", in a run of {duration(summary.seconds_total)}"
                if several
                else (f" of {duration(summary.seconds_total)}")
            )
        return [lost]
    return []


def how_it_ended(run: Run) -> str | None:
    """How a run ended that did not end well."""
    codes = [recorded.exit_code for recorded in run.recorded if recorded.exit_code]
    if not codes:
        return None
    return f"The run ended with exit code {', '.join(str(code) for code in codes)}."


def graph_totals(summary: Summary) -> str:
    """``Compiled autograd captured 1 backward graph; Dynamo compiled 2 …``."""
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


def process_labels(run: Run) -> list[str]:
    """One label a process; where two would be equal, their numbers are added."""
    labels = [process.label for process in run.processes]
    times = Counter(labels)
    return [
        f"{label} #{index}" if times[label] > 1 else label for index, label in enumerate(labels)
    ]
