"""The formats of the commands, as the reports offer them, and where their text goes."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from ca_cli import step_summary, writing
from ca_cli.console import console_on
from ca_cli.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

    from ca_reports.output.format import Format, Kind, Subject

Chosen = Annotated[str, typer.Option("--format", metavar="FORMAT", help="What to write.")]


def command_writing(kind: Kind) -> type[TyperCommand]:
    """Return the class of a command with ``--format``; its help lists what `kind` offers."""

    class Command(TyperCommand):
        def format_help(self, ctx: Any, formatter: Any) -> None:
            # Here and not at start-up: it imports every format.
            from ca_reports.output import formats

            told = ", ".join(f"{found.name} ({found.help})" for found in formats.offered(kind))
            for parameter in self.params:
                if parameter.name == "format":
                    parameter.help = f"{told}."  # type: ignore[attr-defined]
            super().format_help(ctx, formatter)

    return Command


def find(name: str, kind: Kind) -> Format:
    """Return the format `name`. Raises `UsageError` for one that does not write `kind`."""
    from ca_reports.output import formats

    found = formats.find(name, kind)
    if found is None:
        names = ", ".join(each.name for each in formats.offered(kind))
        raise UsageError(f"--format: {name!r} is not one of {names}")
    return found


def emit(format: Format, kind: Kind, subject: Subject, output: Path | None, *, force: bool) -> None:
    """Write `subject` to `output`, or to stdout."""
    if output is None or writing.is_stdout(output):
        show(format, kind, subject, sys.stdout)
        return
    stream = io.StringIO()
    show(format, kind, subject, stream)
    text = stream.getvalue()
    if format.comment is not None:
        text = writing.signed(text, *format.comment)
    writing.write(output, text, force=force)
    writing.say_wrote(output)


def show(format: Format, kind: Kind, subject: Subject, stream: IO[str]) -> None:
    """Write `subject` to `stream`."""
    if format.on_console:
        # Straight to the console: it knows the terminal's width and colours.
        format.show(kind, subject, console_on(stream))
    else:
        stream.write(format.text(kind, subject))


def summarize(kind: Kind, subject: Subject) -> None:
    """Add `subject` to the job's summary, where there is one."""
    if step_summary.wanted() is not None:
        step_summary.append(find("markdown", kind).text(kind, subject))
