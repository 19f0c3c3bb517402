"""A progress bar on stderr for reading that takes longer than a moment."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from ca_cli.console import console_on
from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

# Shorter reading needs no bar, and a bar that flashes up only disturbs.
APPEARS_AFTER = 1.0


class ReadingProgress:
    """Implements `ca_reports.run.gather.pool.Progress`; shown only if stderr is a terminal."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._files = 0
        self._size: int | None = None
        self._read = 0
        self._done = 0
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._shown = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> ReadingProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def start(self, files: int, size: int | None) -> None:
        """Begin the reading: so many files of so many bytes (None: unknown)."""
        self._begin = time.monotonic()
        self._files, self._size = files, size

    def advance(self, size: int) -> None:
        """So many bytes more were read."""
        self._read += size
        self._update()

    def file_done(self) -> None:
        """One file more was read."""
        self._done += 1
        self._update()

    def _update(self) -> None:
        if not self._shown:
            return
        if self._bar is None and time.monotonic() - self._begin > APPEARS_AFTER:
            self._show()
        if self._bar is not None and self._task is not None:
            if self._size is None or self._read > self._size:
                # Unknown, or packed: the bytes that come out are more than the file has.
                self._bar.update(self._task, completed=self._done, total=self._files)
            else:
                self._bar.update(self._task, completed=self._read, total=self._size)

    def _show(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        what = counted(self._files, "file")
        self._bar = Progress(
            TextColumn("reading {task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            console=console_on(sys.stderr),
            transient=True,
        )
        self._task = self._bar.add_task(what, total=self._size or self._files)
        self._bar.start()
