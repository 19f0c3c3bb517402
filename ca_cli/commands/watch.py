"""``ca watch``: a run in progress, from another terminal."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli import inputs
from ca_cli.console import console_on
from ca_cli.editor import choose_editor
from ca_cli.options import command

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ca_reports.diagnosis.live import LiveAnalysis
    from ca_reports.run.gather.follow import Follower

_OF_THE_KERNEL = ("/proc/", "/sys/")


@command
def watch(
    paths: inputs.Paths = None,
    once: Annotated[
        bool, typer.Option("--once", help="Print one view and end, as without a terminal.")
    ] = False,
    interval: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Between two looks at the files.")
    ] = 1.0,
) -> None:
    """Watch a live run: what it lost so far, to what, and what each rank does.

    It only reads the files that the run writes. Without PATHS it goes over to a newer run
    when one begins, and waits for the first. Ends with the run, or by Ctrl-C.

    \b
    ca watch
    ca watch ca-runs/train-20260401-093000
    """  # noqa: D301 -- the character, which keeps these lines apart
    console = console_on(sys.stdout)
    if once or not sys.stdout.isatty():
        watched = _Watched(inputs.resolve(paths), newest=False, once=True)
        watched.look()
        # The first look holds back the last record, of which more might have followed.
        console.print(watched.look(), soft_wrap=False)
        return
    from rich.live import Live

    watched = _Watched(list(paths or ()), newest=not paths)
    with Live(console=console, auto_refresh=False, transient=False) as live:
        try:
            while True:
                live.update(watched.look(), refresh=True)
                if watched.ended:
                    return
                time.sleep(interval)
        except KeyboardInterrupt:
            return  # the way to leave it


class _Watched:
    """Watches the paths that were named, or always the newest run."""

    def __init__(self, paths: list[str], *, newest: bool, once: bool = False) -> None:
        self._paths = paths
        self._newest = newest
        self._once = once
        self._follower: Follower | None = None
        self._live: LiveAnalysis
        self._editor = choose_editor(None, Path.cwd())
        self.ended = False

    def look(self) -> RenderableType:
        """Read what has come, and return the screen."""
        from rich.text import Text

        from ca_reports.diagnosis.live import LiveAnalysis
        from ca_reports.errors import NothingReadable
        from ca_reports.output import watch as screen
        from ca_reports.run.gather.follow import Follower

        if self._newest:
            try:
                self._paths = inputs.resolve(None)
            except NothingReadable:
                return Text("waiting for a run in ca-runs (start one with: ca run train.py)")
        if self._follower is None or self._follower.paths != tuple(self._paths):
            _refuse_what_does_not_grow(self._paths)
            self._follower = Follower(self._paths)
            self._live = LiveAnalysis()
        run = self._follower.poll()
        # A run that ended and whose last records were read: the next look would be the same.
        ended = bool(run.recorded) and all(found.end is not None for found in run.recorded)
        if ended and not self.ended:
            run = self._follower.poll()
        self.ended = ended
        analysis = self._live.look(run, afresh=ended or self._once)
        return screen.view(replace(analysis, editor=self._editor), time.time())


def _refuse_what_does_not_grow(paths: list[str]) -> None:
    from ca_cli.errors import UsageError
    from ca_reports.logs.opening import STDIN, is_url

    for name in paths:
        if name == STDIN or is_url(name):
            raise UsageError(f"{name}: only local files and folders can be watched")
        if not Path(name).exists() and not any(letter in name for letter in "*?["):
            raise UsageError(f"{name}: there is no such file or folder")
        what = _not_to_be_read(Path(name))
        if what is not None:
            raise UsageError(f"{name}: {what}; name the folder of a run, or a log")


def _not_to_be_read(path: Path) -> str | None:
    """Return why nothing can come of watching a path that exists."""
    if os.path.realpath(path).startswith(_OF_THE_KERNEL):
        return "a file of the kernel is not a log"
    if not path.exists() or ((path.is_file() or path.is_dir()) and os.access(path, os.R_OK)):
        return None
    return (
        "it may not be read"
        if path.is_file() or path.is_dir()
        else "a device or a pipe is not a log"
    )
