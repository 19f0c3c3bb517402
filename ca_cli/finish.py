"""The end of a run: complete run.json, write the report, print the summary.

The root process starts this in an interpreter of its own (see `ca_engine.boot`), by
`main`. It is no command of `ca`, and imports no Typer: the user waits for it.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ca_cli import run_folder, writing
from ca_cli.console import console_on, say, tell
from ca_cli.editor import choose_editor
from ca_cli.errors import FINE, explain, guarded
from ca_engine.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_engine.schema import ProcessRow, RunFile
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.run.model import Run

# In bytes; what smaller ones take is of no matter.
LARGE_TRACE = 1_000_000
_INSTALLED = frozenset(("site-packages", "dist-packages"))
# Of the line between the script's output and the summary, in characters.
RULE_WIDTH = 80


def main(args: Sequence[str] | None = None) -> int:
    """Finish the run that `args` (those of the process if None) name; return an exit code.

    The environment is still the run's.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--exit-code", type=int)
    options = parser.parse_args(args)

    def action() -> int:
        settings = Settings.from_environment(os.environ)
        for place in (settings.cwd, options.folder):
            if Path(place).is_dir():
                os.chdir(place)
                break
        finish(options.folder, settings, options.exit_code)
        return FINE

    return guarded(action)


def finish(folder: Path, settings: Settings, exit_code: int | None = None) -> Analysis | None:
    """Complete run.json of `folder`, write report.html, and say on stderr what was found.

    `exit_code` is the script's if known already. The traces are put where the user's own
    TORCH_TRACE wanted them, too. Returns what was found; None if nothing was recorded.
    """
    if not folder.is_dir():
        tell(f"the run folder was deleted, with all that was recorded: {folder}")
        return None
    described = run_folder.read_run_file(folder)
    described["end"] = time.time()
    described["exit_code"] = exit_code
    # Twice: the end must be noted even if reading the traces fails, and is in the report.
    written = _write_run_file(folder, described)
    traces = trace_files(folder)
    if settings.user_torch_trace is not None:
        copy_traces(traces, Path(settings.user_torch_trace))
    if not traces:
        if not settings.quiet:
            tell("nothing was recorded: no process of this run imported torch._dynamo")
        return None

    import ca_reports

    # Recorded a moment ago, by this user: the files are still those that ran.
    run = ca_reports.load([folder], source_roots=[described["cwd"]], cache_keys=True)
    _describe_processes(described, run, folder)
    if written:
        _write_run_file(folder, described)
    from ca_reports.diagnosis.analysis import analyze
    from ca_reports.words.places import repository_root

    started = Path(described["cwd"])
    editor = choose_editor(None, started)
    analysis = analyze(run, root=repository_root(started), editor=editor, secrets=settings.secrets)
    from ca_reports.costs.earlier import start_of

    analysis = replace(analysis, start=start_of(run, analysis.files))
    page = _write_report(analysis, folder) if settings.report else None
    _keep_source(analysis, folder, settings)
    if not settings.quiet:
        _print_summary(analysis)
        say_what_caches_gave(analysis, shown_path(folder, described["cwd"]))
        say_size(traces)
        say_where(folder, described["cwd"], has_report=page is not None)
    return analysis


def _write_run_file(folder: Path, described: RunFile) -> bool:
    """Write run.json, and return whether that went; a full disk leaves the rest to be done."""
    try:
        run_folder.write_run_file(folder, described)
    except OSError as error:
        tell(f"cannot write {folder / run_folder.RUN_FILE}: {error.strerror}")
        return False
    return True


def trace_files(folder: Path) -> list[Path]:
    """Return the trace files of a run: what its processes wrote, oldest first."""
    files = [path for path in (folder / run_folder.TRACE).iterdir() if path.stat().st_size]
    return sorted(files, key=lambda path: path.stat().st_mtime)


def copy_traces(traces: list[Path], target: Path) -> None:
    """Put `traces` where the user's own TORCH_TRACE wanted them, as links if possible.

    Names are torch's and random, so one that exists there is a file of another run and is
    left alone.
    """
    target.mkdir(parents=True, exist_ok=True)
    for trace in traces:
        copy = target / trace.name
        try:
            os.link(trace, copy)
        except FileExistsError:
            continue
        except OSError:  # another file system, or one without links
            shutil.copy2(trace, copy)


def shown_path(folder: Path, cwd: str) -> str:
    """Return `folder` as one would type it where `ca run` was typed."""
    try:
        return str(folder.relative_to(cwd))
    except ValueError:
        return str(folder)


def _describe_processes(described: RunFile, run: Run, folder: Path) -> None:
    rows: list[ProcessRow] = []
    for process in (*run.processes, *run.helpers):
        described["versions"] = {**process.versions, **described["versions"]}
        if process.pid is not None:
            trace = os.path.relpath(process.file, folder)
            rows.append({"pid": process.pid, "rank": process.rank, "trace": trace})
    described["processes"] = rows


def _write_report(analysis: Analysis, folder: Path) -> Path | None:
    """Write the page; a failure is said, and leaves the summary to be printed."""
    try:
        from ca_reports.output import html

        page = folder / run_folder.REPORT
        writing.write(page, html.render(analysis))
    except Exception as error:
        if os.environ.get("CA_DEBUG") == "1":
            raise
        tell(f"no report: {explain(error)}")
        return None
    return page


def _keep_source(analysis: Analysis, folder: Path, settings: Settings) -> None:
    """Keep the program's files that were read for the report; a failure is no reason to stop."""
    from ca_reports.program.stack import is_library_file
    from ca_reports.words.places import is_typed

    typed = {name: file for name, file in analysis.run.source.items() if is_typed(name)}
    files = typed | {
        name: file
        for name, file in analysis.files.seen.items()
        if not is_library_file(name) and not _INSTALLED.intersection(Path(name).parts)
    }
    if not files:
        return
    try:
        run_folder.write_source(folder, files, settings.secrets, keep=settings.source)
    except OSError as error:
        tell(f"cannot write {folder / run_folder.SOURCE}: {error.strerror}")


def _print_summary(analysis: Analysis) -> None:
    """Print the summary below a line that sets it off from the script's output."""
    from rich.rule import Rule

    from ca_reports.output import terminal

    console = console_on(sys.stderr)
    rule = Rule("ca", align="left", style="dim")
    console.print(rule, width=min(console.width, RULE_WIDTH), soft_wrap=False)
    terminal.render_summary(analysis, console)


def say_what_caches_gave(analysis: Analysis, shown: str) -> None:
    """Say what was taken from the file of `--cache`, and why graphs were compiled again."""
    from ca_reports.sentences.caches import cold_line, of_file

    if (start := analysis.start) is None:
        return
    lines = of_file(start)
    if (cold := cold_line(start)) is not None:
        lines.append(f"{cold} Why: ca caches {shlex.quote(shown)}")
    if lines:
        sys.stderr.write("\n")
    for line in lines:
        say(line, sys.stderr)


def say_size(traces: list[Path]) -> None:
    """Say how much a run has written, if it is at least `LARGE_TRACE`."""
    from ca_reports.words.numbers import megabytes

    written = sum(trace.stat().st_size for trace in traces)
    if written >= LARGE_TRACE:
        sys.stderr.write("\n")
        say(f"The trace takes {megabytes(written)}.", sys.stderr)


def say_where(folder: Path, cwd: str, *, has_report: bool) -> None:
    """Say what to type and what to open to see more."""
    shown = shown_path(folder, cwd)
    sys.stderr.write("\n")
    say(f"Details: ca explain-recompiles {shlex.quote(shown)}", sys.stderr)
    if has_report:
        page = os.path.join(shown, run_folder.REPORT)  # noqa: PTH118 -- shown, not opened
        say(f"Report:  {page}", sys.stderr)
