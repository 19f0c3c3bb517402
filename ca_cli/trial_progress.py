"""Shows which of several runs goes on, and how long it may take: a bar, or a line for each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ca_cli.console import console_on, tell

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# Of a bar that takes longer than it was expected to: it is not there yet.
_ALMOST = 0.98
_LONGEST, _SHORTEST = 60, 12
# The bar, and with the spaces between them the time that went by: what comes beside the words.
_BAR, _TIME = 20, 10
# Often enough for a run of minutes; rich's ten times a second fill a recorded terminal.
_PER_SECOND = 4


class TrialProgress:
    """Implements `trials.RunDisplay`.

    ``runs`` are how many there will be at least and at most, None if nothing tells. ``expected``
    are the seconds that one may take, None if nothing tells; may be set meanwhile. Nothing is
    written if ``quiet``.
    """

    def __init__(
        self,
        runs: tuple[int, int] | None = None,
        *,
        expected: float | None = None,
        quiet: bool = False,
    ) -> None:
        self.expected = expected
        self._fewest, self._most = runs or (0, 0)
        self._number = 0
        self.is_quiet = quiet or sys.stderr is None
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def begin(self, name: str, what: str) -> None:
        """Show that the next run begins."""
        self._number += 1
        if self.is_quiet:
            return
        from ca_reports.words.clean import one_line
        from ca_reports.words.numbers import rough_duration

        about = "" if self.expected is None else f" (about {rough_duration(self.expected)})"
        if not sys.stderr.isatty():
            tell(f"{self._which}: {name}: {what}{about} …")
            sys.stderr.flush()
            return
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        console = console_on(sys.stderr)
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=_BAR),
            TimeElapsedColumn(),
            TextColumn(about.strip(), markup=False),
            console=console,
            transient=True,
            refresh_per_second=_PER_SECOND,
        )
        beside = len(f"{self._which}: ") + _BAR + _TIME + len(about)
        longest = max(_SHORTEST, min(_LONGEST, console.width - beside))
        told = f"{self._which}: {one_line(f'{name}: {what}', longest)}"
        self._task = self._bar.add_task(told, total=self.expected)
        self._bar.start()

    @property
    def _which(self) -> str:
        # There may be one more than was thought of: the unchanged program once more.
        most = max(self._most, self._number if self._most else 0)
        if not most:
            return f"run {self._number}"
        return f"run {self._number} of {'up to ' if self._fewest < most else ''}{most}"

    def wait(self, seconds: float) -> None:
        """Show that the run takes ``seconds`` already."""
        if self._bar is not None and self._task is not None and self.expected is not None:
            self._bar.update(self._task, completed=min(seconds, _ALMOST * self.expected))

    def end(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
