"""The words that the terminal and the HTML report share. Plain text; callers escape it."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from ca_reports.model import Capture, Change, Compile, Frame, Run
    from ca_reports.summary import Summary

KIND_WORDS = {
    "first": "first",
    "new_autograd_node": "node",
    "changed_shapes": "shapes",
    "unknown": "unknown",
}
_CHANGES_TOLD = 3
_VALUE_WIDTH = 60
PATH_WIDTH = 60


def totals(run: Run, summary: Summary) -> str:
    """The run in a sentence: ``24 backwards: 21 hits (88 %), 3 captures, of them 2 again; …``."""
    if not run.processes:
        return "Nothing was recorded."
    captures = count(summary.captures, "capture")
    if summary.recaptures:
        captures += f", of them {summary.recaptures} again"
    if summary.backwards is not None and summary.hits is not None:
        share = f" ({summary.hits / summary.backwards:.0%})" if summary.backwards else ""
        share = share.replace("%", " %")
        hits = count(summary.hits, "hit")
        parts = [f"{count(summary.backwards, 'backward')}: {hits}{share}, {captures}"]
    elif summary.captures:
        parts = [captures]
    else:
        compiles = count(len(run.compiles), "Dynamo compile")
        parts = [f"no compiled autograd in this log; {compiles}"]
    if summary.recompiled_captures:
        again = {(found.process, found.capture) for found in run.recompiled_captures}
        times = summary.recompiled_captures
        more = f" {times} times" if times > len(again) else ""
        parts.append(f"{count(len(again), 'captured graph')} compiled again{more}")
    if summary.forward_recompiles:
        parts.append(count(summary.forward_recompiles, "forward recompile"))
    if summary.graph_breaks:
        places = count(len(run.graph_breaks), "place")
        parts.append(f"{count(summary.graph_breaks, 'graph break')} at {places}")
    if summary.seconds_lost is not None:
        lost = f"{seconds(summary.seconds_lost)} lost"
        several = len(run.processes) > 1
        if several:
            lost += f", summed over {len(run.processes)} processes"
        if summary.seconds_total is not None:
            lost += (
                f", in a run of {seconds(summary.seconds_total)}"
                if several
                else (f" of {seconds(summary.seconds_total)}")
            )
        parts.append(lost)
    sentence = "; ".join(parts)
    return sentence[0].upper() + sentence[1:] + "."


def ended(run: Run) -> str | None:
    """How a run ended that did not end well."""
    codes = [recorded.exit_code for recorded in run.recorded if recorded.exit_code]
    if not codes:
        return None
    return f"The run ended with exit code {', '.join(str(code) for code in codes)}."


def graphs(summary: Summary) -> str:
    """``Compiled autograd captured 1 backward graph; Dynamo compiled 2 forward graphs …``."""
    return (
        f"Compiled autograd captured {count(summary.captures, 'backward graph')}; Dynamo "
        f"compiled {count(summary.forward_graphs, 'forward graph')} in "
        f"{count(summary.forward_compiles, 'compile')} of user code."
    )


def what_changed(capture: Capture) -> str:
    """Why this capture happened, as far as the log tells."""
    if capture.error is not None:
        return f"the capture failed: {first_line(capture.error)}"
    if capture.kind == "first":
        return "first capture of this process"
    told = describe_changes(capture.changes)
    if capture.kind == "new_autograd_node":
        name = short_name(capture.node.name) if capture.node is not None else "autograd node"
        index = f" (NodeCall {capture.node.index})" if capture.node is not None else ""
        sentence = f"new autograd node {name}{index}"
        if not told and capture.key_size is not None:
            sentence += _key_hint(capture)
    elif capture.kind == "changed_shapes":
        number = len(capture.sizes_changed)
        of = f" of {capture.sizes_total}" if capture.sizes_total is not None else ""
        sentence = f"{number}{of} sizes changed" if number else "sizes changed"
        if not told and number:
            names = [f"sizes[{index}]" for index in capture.sizes_changed]
            sentence += ": " + _first_few(names, 4)
    else:
        sentence = first_line(capture.reason) if capture.reason else "no reason in this log"
    if told:
        sentence += f"; {told}"
    if capture.near:
        sentence += f"; near `{capture.near}`"
    return sentence


def describe_changes(changes: tuple[Change, ...]) -> str:
    """``SumBackward0 sizes[0], sizes[1]: 10 → 100; 29 × AccumulateGrad .grad: …``.

    What changed alike in one node, or in several nodes of one name, is told once.
    """
    nodes: dict[tuple[str, str, str], set[int | None]] = {}
    attributes: dict[tuple[str, str, str], dict[str, None]] = {}
    for change in changes:
        key = (short_name(change.name), value(change.before), value(change.after))
        nodes.setdefault(key, set()).add(change.index)
        attributes.setdefault(key, {})[change.attribute] = None
    told = []
    for key, indices in nodes.items():
        name, before, after = key
        times = f"{len(indices)} × " if len(indices) > 1 else ""
        what = f"{times}{name} {_first_few(list(attributes[key]), 4)}".strip()
        told.append(f"{what}: {before} → {after}")
    return _first_few(told, _CHANGES_TOLD, "; ")


def recompile_reason(compiled: Compile) -> str:
    """The first failed guard, without the id of the earlier compile before it."""
    line = " ".join(first_line(compiled.recompile_reason or "").split())
    head, colon, rest = line.partition(": ")
    return rest if colon and head.replace("/", "").removeprefix("!").isdecimal() else line


def short_name(name: str) -> str:
    """``torch::autograd::AccumulateGrad`` → ``AccumulateGrad``."""
    return name.rsplit("::", 1)[-1]


def value(found: Any) -> str:
    """A JSON value for reading; None (it was not there) as a word."""
    if found is None:
        return "nothing"
    try:
        written = found if isinstance(found, str) else orjson.dumps(found).decode()
    except TypeError:  # a number of more than 64 bits
        written = str(found)
    return written if len(written) <= _VALUE_WIDTH else written[: _VALUE_WIDTH - 1] + "…"


def place(frame: Frame, cwd: str | None = None, width: int = PATH_WIDTH) -> str:
    """``train.py:12``, relative to ``cwd`` where it lies below it.

    A path longer than ``width`` loses its front, as much as needed but not the file's name.
    """
    file = frame.file
    base = cwd.rstrip("/\\") if cwd else ""
    if base and file.startswith(base) and file[len(base) : len(base) + 1] in ("/", "\\"):
        file = file[len(base) + 1 :]
    if len(file) > width:
        parts = PurePath(file.replace("\\", "/")).parts
        for start in range(1, len(parts)):
            shorter = "/".join(("…", *parts[start:]))
            if len(shorter) <= width or start == len(parts) - 1:
                file = shorter
                break
    return f"{file}:{frame.line}"


def seconds(found: float | None) -> str:
    """``4.2 s``, ``31 ms``; a dash if unknown."""
    if found is None:
        return "–"
    if found == 0:
        return "0 s"
    if found < 0.1:
        return f"{found * 1000:.0f} ms" if found >= 0.001 else "< 1 ms"
    return f"{found:.2f} s" if found < 1 else f"{found:,.1f} s"


def count(number: int, noun: str) -> str:
    """``1 capture``, ``2 captures``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def first_line(text: str) -> str:
    """The first line that holds anything."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def worst(run: Run, number: int) -> list[Capture]:
    """The captures that were made again, the most expensive first."""
    again = [capture for capture in run.captures if capture.again]
    again.sort(key=lambda capture: -(capture.seconds.total or 0.0))
    return again[:number]


def run_cwd(run: Run) -> str | None:
    """Where the script was started, to shorten paths by."""
    for recorded in run.recorded:
        if recorded.cwd:
            return recorded.cwd
    return next((process.cwd for process in run.processes if process.cwd), None)


def process_labels(run: Run) -> list[str]:
    """One label a process; where two would be equal, their numbers are added."""
    labels = [process.label for process in run.processes]
    times = Counter(labels)
    return [
        f"{label} #{index}" if times[label] > 1 else label for index, label in enumerate(labels)
    ]


def _key_hint(capture: Capture) -> str:
    """What the sizes of the cache keys say when nothing better is known (measured)."""
    if not capture.previous_key_sizes:
        return "; another node stood there before"
    if capture.key_size in capture.previous_key_sizes:
        return "; the same node with another value baked in"
    return "; the same node with something more or less attached"


def _first_few(texts: list[str], number: int, separator: str = ", ") -> str:
    told = separator.join(texts[:number])
    more = len(texts) - number
    return f"{told}{separator}{more} more" if more > 0 else told
