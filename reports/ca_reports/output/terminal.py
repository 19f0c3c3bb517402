"""The answer in a terminal or a pipe. Nothing from a log is ever read as markup or control."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.style import Style
from rich.table import Table
from rich.text import Text

from ca_reports.causes.findings import Diagnosis
from ca_reports.costs import ranks
from ca_reports.costs.bill import compile_bill, used_caches
from ca_reports.output import advice
from ca_reports.output import ranks as rank_lines
from ca_reports.output.code_frame import code_frame
from ca_reports.output.lines import Lines
from ca_reports.output.runs import devices, graph_totals, headline, run_counts
from ca_reports.program.excerpts import excerpt
from ca_reports.sentences import dynamic
from ca_reports.sentences.background import background_lines
from ca_reports.sentences.bill import about_caches
from ca_reports.sentences.captures import KIND_WORDS, in_short
from ca_reports.sentences.failures import in_full
from ca_reports.sentences.limits import when_and_pace
from ca_reports.sentences.lowering import engine_lines, lowering_lines
from ca_reports.sentences.phases import OF_BILL, PHASE_WORDS
from ca_reports.sentences.places import at_line, run_cwd, shown_place
from ca_reports.sentences.processes import how_it_ended, process_labels
from ca_reports.words.clean import shorten
from ca_reports.words.editors import PLAIN
from ca_reports.words.numbers import and_more, counted, duration, joined, known, span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.console import Console

    from ca_reports.causes.findings import Finding
    from ca_reports.costs.bill import BillLine
    from ca_reports.costs.ranks import RankRow
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.run.model import Capture, Compile, Frame

_ROWS = 10
_CHOSEN_ROWS = 60
_SUMMARY_ROWS = 3
_SHORTEST_CODE = 20
# On narrower terminals the kind of a capture gives its room to what changed.
_WIDE = 100
_BILL_ROWS = 5
_NO_VALUE = "–"
_END = "end"
# Characters between two columns of a table.
_GAP = 2
_KIND_STYLES = {
    "first": "green",
    "new_autograd_node": "red",
    "changed_shapes": "yellow",
    "unknown": "magenta",
}
_TONE_STYLES = {"bad": "bold", "good": "bold green", "neutral": "bold"}
_SEVERITY_STYLES = {"error": "bold red", "warning": "bold yellow", "info": "bold cyan"}


def render(analysis: Analysis, console: Console, *, in_full: bool = False) -> None:
    """Print everything: findings, captures, recompiles, graph breaks, totals, gaps, damage.

    Of each the first ten, or with ``in_full`` all.
    """
    _Printer(analysis, console, None if in_full else _ROWS).everything()


def render_summary(analysis: Analysis, console: Console) -> None:
    """Print a few lines for the end of a run: the totals and the worst findings."""
    _Printer(analysis, console).short()


def render_findings(
    analysis: Analysis,
    console: Console,
    findings: Sequence[Finding],
    *,
    before: Sequence[tuple[str, str]] = (),
    after: Sequence[tuple[str, str]] = (),
) -> None:
    """Print lines of our own (text, style), these findings in brief, and more lines."""
    chosen = replace(analysis, diagnosis=Diagnosis(tuple(findings)))
    _Printer(chosen, console).some(before, after)


class _Printer:
    def __init__(self, analysis: Analysis, console: Console, rows: int | None = _ROWS) -> None:
        """Print at most ``rows`` of each table; None for all."""
        run = analysis.run
        self._rows = rows
        self._analysis = analysis
        self._run = run
        self._diagnosis = analysis.diagnosis
        self._labels = process_labels(run)
        self._shows_code = console.is_terminal
        self._width = console.width
        self._code_width = console.width - 8
        self._is_wide = console.width >= _WIDE
        self._path_width = max(20, console.width // 3 - 5)
        self._cwd = run_cwd(run)
        self._several = len(run.processes) > 1
        self._lines = Lines(console)
        self._summary = analysis.summary
        self._ranks = analysis.ranks
        self._cause_by_event = {
            event.key: found
            for found in analysis.diagnosis.findings
            if not found.is_shared
            for event in found.events
        }

    def everything(self) -> None:
        self._headline()
        self._line("")
        self._findings()
        self._captures()
        self._recompiles(
            "Cache hits that still recompiled",
            ranks.distinct_recompiles(self._run.recompiled_captures, self._ranks),
        )
        self._recompiles(
            "Forward recompiles",
            ranks.distinct_recompiles(self._run.forward_recompiles, self._ranks),
        )
        self._dynamic_shapes()
        self._limits()
        self._graph_breaks()
        self._bill()
        self._compare_ranks()
        counts = run_counts(self._run, self._summary)
        graphs = graph_totals(self._run, self._summary)
        for told in filter(None, (counts, graphs, devices(self._run))):
            self._line(told)
        for line in (*engine_lines(self._run), *background_lines(self._run)):
            self._line(line)
        self._noting()
        ended = how_it_ended(self._run)
        if ended is not None:
            self._line(ended, "yellow")
        self._unknown()
        self._damage()

    def short(self) -> None:
        self._headline()
        if counts := run_counts(self._run, self._summary):
            self._line(counts)
        for line in (*lowering_lines(self._run.captures), *background_lines(self._run)):
            self._line(line)
        findings = self._diagnosis.findings
        for found in findings[:_SUMMARY_ROWS]:
            self._finding(found, brief=True)
        more = len(findings) - _SUMMARY_ROWS
        if more > 0:
            self._line(and_more(more, "finding"), "dim", 2)
        if self._ranks is not None and (limit := rank_lines.near_limit(self._ranks)) is not None:
            self._line(limit, "yellow")
        self._noting()
        for gap in self._analysis.limitations:
            if gap.subject in ("trace", "compiled_autograd", "recorder", "engine", "end"):
                self._line(gap.text)
        if self._run.damage:
            number = sum(damage.count for damage in self._run.damage)
            self._line(f"{counted(number, 'damaged place')} in the log.", "yellow")

    def some(self, before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> None:
        for text, style in before:
            self._line(text, style)
        for found in self._diagnosis.findings[:_CHOSEN_ROWS]:
            self._finding(found, brief=True)
        more = len(self._diagnosis.findings) - _CHOSEN_ROWS
        if more > 0:
            self._line(f"{and_more(more, 'finding')}: see --format json", "dim", 2)
        for text, style in after:
            self._line(text, style)

    # ---- parts

    def _headline(self) -> None:
        found = headline(self._run, self._summary, self._diagnosis.findings, self._ranks)
        self._line(found.text, _TONE_STYLES[found.tone])

    def _noting(self) -> None:
        told = advice.noting(self._run)
        if told is not None:
            self._line(told)

    def _findings(self) -> None:
        silenced = advice.silenced(self._diagnosis)
        for findings in filter(None, (self._diagnosis.fixes, self._diagnosis.notes)):
            self._line(advice.heading(findings), "bold")
            self._line("")
            for found in findings[: self._rows]:
                self._finding(found)
                self._line("")
            if self._more(len(findings)):
                self._line("")
        hint = advice.could_locate(self._diagnosis, self._run)
        for line in (hint, silenced):
            if line is not None:
                self._line(line, "dim")
                self._line("")
        for failed in self._diagnosis.failed_rules:
            self._line(f"A rule failed, which is a bug in ca: {failed}", "yellow")

    def _finding(self, found: Finding, *, brief: bool = False) -> None:
        text = Text()
        text.append(f"{found.code} ", _SEVERITY_STYLES[found.severity])
        text.append(self._safe(found.message))
        self._lines.text(text, 2, hanging=len(found.code) + 1)
        if found.location is not None:
            self._location(found.location, brief=brief)
        if found.failure is not None and not brief:
            self._labelled("exception", in_full(found.failure))
        cost = advice.cost(found, self._run)
        for line in (advice.when(found), cost if brief else None):
            if line:
                self._line(line, "dim", 8)
        if not brief:
            if found.noticed_at is not None and found.noticed_at != found.location:
                self._labelled("noticed at", self._place(found.noticed_at))
            self._labelled("to change, one of", ", ".join(map(self._place, found.candidates)))
            self._labelled("chain", found.chain)
            self._labelled("cost", _joined(cost, advice.phases(found)))
            self._labelled("events", advice.events(found))
            self._labelled("note", "; ".join(advice.notes(found)))
        style = "" if brief or found.is_note else "bold"
        self._labelled(advice.fix_label(found), found.fix, style)
        if not brief:
            self._labelled("effect", advice.effects(found))

    def _location(self, frame: Frame, *, brief: bool) -> None:
        """Print the line to change: bright, a link where the terminal has them, and its code."""
        lines = None
        if self._shows_code and not brief:
            lines = excerpt(self._analysis.files, frame)
        shown = shown_place(frame, self._cwd, self._path_width * 2)
        told = shown if lines is not None else self._place(frame)
        text = Text(self._safe(told))
        link = (self._analysis.editor or PLAIN).link(frame.file, frame.line)
        text.stylize(Style(bold=True, color="cyan", link=link), 0, len(shown))
        self._lines.text(text, 8)
        if lines is not None:
            for line in code_frame(lines, self._code_width):
                self._lines.text(line, 8)

    def _labelled(self, label: str, text: str | None, style: str = "") -> None:
        if text:
            self._line(f"{label}: {text}", style, 8)

    def _captures(self) -> None:
        captures = ranks.distinct_captures(self._run, self._ranks)
        if not captures:
            return
        if self._rows is not None and len(captures) > self._rows:
            self._captures_by_cause(captures)
            return
        table = self._table("Captures of a backward (cache misses)")
        self._process_column(table)
        table.add_column("capture", no_wrap=True, style="bold")
        table.add_column("cause", no_wrap=True)
        table.add_column("step", no_wrap=True, justify="right")
        named = any(capture.loop is not None for capture in captures[: self._rows])
        if named:
            table.add_column("called", overflow="fold", ratio=2)
        if self._is_wide:
            table.add_column("kind", no_wrap=True)
        table.add_column("what changed", overflow="fold", ratio=3)
        places = self._called_from(table, captures[: self._rows])
        table.add_column("seconds", no_wrap=True, justify="right")
        for capture, place in zip(captures, places, strict=False):
            self._row(
                table,
                capture,
                Text(capture.label),
                self._text(cause.code if (cause := self._cause_by_event.get(capture.key)) else "–"),
                Text("" if capture.step is None else str(capture.step)),
                *([self._text(capture.loop.words if capture.loop else "")] if named else ()),
                *(
                    [Text(KIND_WORDS[capture.kind], _KIND_STYLES[capture.kind])]
                    if self._is_wide
                    else ()
                ),
                self._text(in_short(capture)),
                *place,
                self._text(duration(capture.seconds.total)),
            )
        self._print_table(table, len(captures))

    def _captures_by_cause(self, captures: Sequence[Capture]) -> None:
        """Print a row for each finding, with the first of its captures: there are too many."""
        groups: dict[str, list[Capture]] = {}
        codes: dict[str, str] = {}
        for capture in captures:
            cause = self._cause_by_event.get(capture.key)
            name = "" if cause is None else f"{cause.code} {cause.message}"
            codes[name] = "–" if cause is None else cause.code
            groups.setdefault(name, []).append(capture)
        table = self._table(f"{counted(len(captures), 'capture')} of a backward, by cause")
        for name in ("cause", "captures", "steps"):
            table.add_column(name, no_wrap=True, justify="left" if name == "cause" else "right")
        table.add_column("what changed, at first", overflow="fold", ratio=3)
        found = sorted(groups.items(), key=lambda group: -_seconds(group[1]))
        places = self._called_from(table, [group[0] for _, group in found[: self._rows]])
        table.add_column("seconds", no_wrap=True, justify="right")
        for (name, group), place in zip(found, places, strict=False):
            steps = [capture.step for capture in group if capture.step is not None]
            table.add_row(
                self._text(codes[name]),
                Text(f"{len(group):,}"),
                self._text(span(min(steps), max(steps)) if steps else ""),
                self._text(in_short(group[0])),
                *place,
                self._text(duration(_seconds(group) or None)),
            )
        self._lines.table(table)
        if not self._more(len(found)):
            self._line("--all lists every capture", "dim", 2)
        self._line("")

    def _recompiles(self, title: str, found: tuple[Compile, ...]) -> None:
        if not found:
            return
        table = self._table(title)
        self._process_column(table)
        table.add_column("compile", no_wrap=True, style="bold")
        table.add_column("guard that failed", overflow="fold", ratio=3)
        places = self._places(table, [compiled.location for compiled in found[: self._rows]])
        table.add_column("seconds", no_wrap=True, justify="right")
        for compiled, place in zip(found, places, strict=False):
            self._row(
                table,
                compiled,
                self._text(compiled.compile_id),
                self._text(self._analysis.guard_that_failed(compiled)),
                *place,
                self._text(duration(compiled.seconds)),
            )
        self._print_table(table, len(found))

    def _dynamic_shapes(self) -> None:
        every = ranks.distinct_dimensions(self._analysis.dynamic_dimensions, self._ranks)
        found = dynamic.worth_a_row(every)
        if not found:
            return
        table = self._table("Dynamic shapes: sizes that varied or are dynamic")
        self._process_column(table)
        table.add_column("argument", overflow="fold", ratio=2)
        table.add_column("of", overflow="fold", ratio=2)
        table.add_column("sizes", overflow="fold", ratio=2)
        table.add_column("dynamic since", no_wrap=True)
        recompiled = [dynamic.respecialised(one) for one in found[: self._rows]]
        if any(recompiled):
            table.add_column("still recompiled for", overflow="fold", ratio=4)
        for one, guards in zip(found, recompiled, strict=False):
            self._row(
                table,
                one,
                self._text(dynamic.argument(one)),
                self._where(one.location),
                self._text(dynamic.sizes(one)),
                self._text(dynamic.became(one)),
                *([self._text("; ".join(guards))] if any(recompiled) else ()),
            )
        self._lines.table(table)
        self._more(len(found))
        advised = {
            f"to make {dynamic.argument(one)} dynamic from the start: {told}": None
            for one in found[: self._rows]
            if (told := dynamic.advice(one))
        }
        for line in advised:  # each once, of however many processes
            self._line(line, "dim", 2)
        self._line("")

    def _limits(self) -> None:
        found = self._analysis.limits
        if not found:
            return
        table = self._table("Functions that hit a recompile limit and have run uncompiled since")
        self._process_column(table)
        table.add_column("function", overflow="fold", ratio=3)
        table.add_column("limit", no_wrap=True)
        for name in ("step", "at", "before", "since"):
            table.add_column(name, no_wrap=True, justify="right")
        for limit in found[: self._rows]:
            self._row(
                table,
                limit.given_up,
                self._where(limit.location),
                self._text(limit.name),
                Text("–" if limit.step is None else f"{limit.step:,}"),
                *(self._text(told) for told in when_and_pace(limit)),
            )
        self._print_table(table, len(found))

    def _graph_breaks(self) -> None:
        found = ranks.distinct_breaks(self._run.graph_breaks, self._ranks)
        if not found:
            return
        table = self._table("Graph breaks")
        self._process_column(table)
        table.add_column("compile", no_wrap=True, style="bold")
        table.add_column("reason", overflow="fold", ratio=3)
        places = self._places(table, [broken.location for broken in found[: self._rows]])
        table.add_column("times", no_wrap=True, justify="right")
        for broken, place in zip(found, places, strict=False):
            self._row(
                table,
                broken,
                self._text(broken.compile_id or ""),
                self._text(broken.reason),
                *place,
                Text(str(broken.count)),
            )
        self._print_table(table, len(found))

    def _bill(self) -> None:
        """Print where compiling took its time: of forwards, where there is nothing else to tell.

        In a run with captured backwards only where caches took part, or could have.
        """
        bill = compile_bill(self._run)
        if not bill or not (self._summary.forward_only or any(map(used_caches, bill))):
            return
        table = self._table("Seconds compiling")
        self._process_column(table)
        table.add_column("function", no_wrap=True)
        for name in ("compiles", "seconds"):
            table.add_column(name, no_wrap=True, justify="right")
        lines = ranks.distinct_bill(bill, self._ranks)
        shown = lines[:_BILL_ROWS]
        # A column where no function has anything would only make the others narrower.
        columns = {
            name: cells
            for name, cells in _bill_columns(shown)
            if any(cell != _NO_VALUE for cell in cells)
        }
        places = [self._where(line.location) for line in shown]
        known = [["compiles"], ["seconds", *(_known_seconds(line.seconds) for line in shown)]]
        known.append(["function", *(row for place in places for row in place.plain.splitlines())])
        if self._several:
            known.append(["process", *self._labels])
        kept = _fitting(columns, self._width - sum(map(_column_width, known)))
        for name in kept:
            table.add_column(name, no_wrap=True, justify="right")
        for line, place, *cells in zip(shown, places, *map(columns.__getitem__, kept), strict=True):
            self._row(
                table,
                line,
                place,
                Text(str(line.compiles)),
                Text(_known_seconds(line.seconds)),
                *map(self._text, cells),
            )
        self._lines.table(table)
        if cut := [name for name in columns if name not in kept]:
            self._line(f"In a wider terminal also: {joined(cut)}.", "dim", 2)
        if len(lines) > len(shown):
            self._line(f"{and_more(len(lines) - len(shown))}: see --format json", "dim", 2)
        for told in about_caches(bill):
            self._line(told, "dim", 2)
        self._line("")

    def _compare_ranks(self) -> None:
        if self._ranks is None:
            return
        table = self._table("Ranks: one is shown in full above, the others where they differ")
        rows, left_out = rank_lines.shown_rows(self._ranks)
        columns = {
            name: cells
            for name, cells in _rank_columns(rows, forward_only=self._ranks.forward_only)
            if any(cell not in ("", _NO_VALUE) for cell in cells)
        }
        for name in columns:
            is_text = name == _END
            table.add_column(
                name,
                no_wrap=not is_text,
                overflow="fold" if is_text else "ellipsis",
                justify="left" if is_text else "right",
            )
        for cells in zip(*columns.values(), strict=True):
            table.add_row(*map(self._text, cells))
        self._lines.table(table)
        if left_out:
            self._line(f"{and_more(left_out, 'rank')}: see --format json", "dim", 2)
        for line in rank_lines.lines(self._analysis, self._ranks):
            self._line(line)
        self._line("")

    def _unknown(self) -> None:
        found = self._analysis.limitations
        if not found:
            return
        self._line("")
        self._line("What this log cannot tell", "bold")
        for entry in found:
            self._line(entry.text, indent=2)

    def _damage(self) -> None:
        damage = self._run.damage
        if not damage:
            return
        self._line("")
        self._line("Damage in the log", "bold yellow")
        # What is said of a file as a whole, as that it is a bomb, comes before lines of it.
        for entry in sorted(damage, key=lambda entry: entry.line != 0)[: self._rows]:
            self._line(f"{at_line(entry.file, entry.line)}: {entry.detail}", indent=2)
        self._more(len(damage))

    # ---- helpers

    def _table(self, title: str) -> Table:
        self._line(title, "bold")
        return Table(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            expand=False,
            padding=(0, 1, 0, 0),
        )

    def _process_column(self, table: Table) -> None:
        if self._several:
            table.add_column("process", no_wrap=True)

    def _row(self, table: Table, of: ranks.HasProcess, *cells: Text) -> None:
        if self._several:
            table.add_row(self._text(self._labels[of.process]), *cells)
        else:
            table.add_row(*cells)

    def _print_table(self, table: Table, rows: int) -> None:
        self._lines.table(table)
        self._more(rows)
        self._line("")

    def _more(self, rows: int) -> bool:
        """Say how many of so many rows are not shown, if any."""
        more = 0 if self._rows is None else rows - self._rows
        if more > 0:
            self._line(f"{and_more(more)}: see --all", "dim", 2)
        return more > 0

    def _called_from(self, table: Table, captures: Sequence[Capture]) -> list[list[Text]]:
        """Add the column of the lines that called ``backward``, with those of the forward."""
        calls = [capture.backward_call for capture in captures]
        forwards = [capture.forward for capture in captures]
        if not any(forwards):
            return self._places(table, calls)
        named_once = self._name_once(calls)
        table.add_column("forward" if named_once else "where", no_wrap=True)
        cells = list[Text]()
        for call, forward in zip(calls, forwards, strict=True):
            cell = Text() if named_once else self._where(call)
            if forward is not None:
                cell.append("" if named_once else "\nforward ").append_text(self._where(forward))
            cells.append(cell)
        return [[cell] for cell in self._without_repeats(cells)]

    def _places(self, table: Table, frames: Sequence[Frame | None]) -> list[list[Text]]:
        """Add the column of these places, and return each row's cell.

        If all are the same place, it stands above the table, and there is no column.
        """
        if self._name_once(frames):
            return [[] for _ in frames]
        table.add_column("where", no_wrap=True)  # it is what a reader copies
        return [[cell] for cell in self._without_repeats([*map(self._where, frames)])]

    def _name_once(self, frames: Sequence[Frame | None]) -> bool:
        """Print the one place of several rows, if it is one; return whether it is."""
        first = frames[0]
        if first is None or len(frames) == 1 or any(frame != first for frame in frames):
            return False
        self._line(f"all at {self._place(first)}", "dim", 2)
        return True

    def _without_repeats(self, cells: Sequence[Text]) -> list[Text]:
        return [
            Text(self._safe("″"), "dim") if cell and number and cell == cells[number - 1] else cell
            for number, cell in enumerate(cells)
        ]

    def _where(self, frame: Frame | None) -> Text:
        if frame is None:
            return Text("unknown", "dim")
        text = self._text(shown_place(frame, self._cwd, self._path_width))
        if frame.code:
            code = shorten(frame.code, max(_SHORTEST_CODE, len(text)))
            text.append("\n" + self._safe(code), "dim")
        elif frame.function:
            text.append("\nin " + self._safe(frame.function), "dim")
        return text

    def _place(self, frame: Frame) -> str:
        where = shown_place(frame, self._cwd, self._path_width * 2)
        return f"{where}  {frame.code or f'in {frame.function}'}" if frame.function else where

    def _safe(self, text: str) -> str:
        return self._lines.safe(text)

    def _text(self, text: str) -> Text:
        return Text(self._safe(text))

    def _line(self, text: str, style: str = "", indent: int = 0) -> None:
        self._lines.line(text, style, indent)


def _column_width(cells: Iterable[str]) -> int:
    """Return the characters that a column of a table takes, with the gap behind it."""
    return max(map(cell_len, cells)) + _GAP


def _fitting(columns: Mapping[str, Sequence[str]], room: int) -> list[str]:
    """Return the names of the first columns that fit into ``room`` characters, uncut."""
    widths = accumulate(_column_width([name, *cells]) for name, cells in columns.items())
    return [name for name, width in zip(columns, widths, strict=True) if width <= room + _GAP]


def _bill_columns(lines: Sequence[BillLine]) -> Iterator[tuple[str, list[str]]]:
    """Yield the columns that some runs have, with a cell for each of ``lines``."""
    for phase in OF_BILL:
        yield PHASE_WORDS[phase], [_known_seconds(line.phases.get(phase)) for line in lines]
    yield "Triton/C++", [_known_seconds(line.kernels) for line in lines]
    for name, outcome in (("cache hits", "hit"), ("misses", "miss")):
        yield name, [str(line.lookups(outcome) or _NO_VALUE) for line in lines]


def _rank_columns(
    rows: Sequence[RankRow], *, forward_only: bool
) -> Iterator[tuple[str, list[str]]]:
    """Yield the columns of the table of ranks, with a cell for each of ``rows``."""
    yield "process", [f"rank {row.rank}" for row in rows]
    if forward_only:
        yield "compiles", [known(row.compiles) for row in rows]
        yield "recompiles", [known(row.recompiles) for row in rows]
        yield "breaks", [known(row.graph_breaks) for row in rows]
        yield "compiling", [duration(row.seconds_compiling) for row in rows]
    else:
        yield "captures", [known(row.captures) for row in rows]
        yield "recaptures", [known(row.recaptures) for row in rows]
        yield "hits", [known(row.hits) for row in rows]
        yield "of", [known(row.backwards) for row in rows]
    yield "lost", [duration(row.seconds_lost) for row in rows]
    yield "last step", [known(row.last_step) for row in rows]
    yield _END, [rank_lines.end(row) for row in rows]


def _known_seconds(seconds: float | None) -> str:
    return duration(seconds) if seconds else _NO_VALUE


def _seconds(captures: Iterable[Capture]) -> float:
    return sum(capture.seconds.total or 0.0 for capture in captures)


def _joined(cost: str, phases: str) -> str:
    return f"{cost} ({phases})" if cost and phases else cost
