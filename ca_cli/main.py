"""The command ``ca``: which commands there are, and how what they raise ends them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli import formats
from ca_cli.commands.baseline import baseline
from ca_cli.commands.check import check
from ca_cli.commands.diff import diff
from ca_cli.commands.doctor import doctor
from ca_cli.commands.env import env
from ca_cli.commands.explain_recompiles import explain_recompiles
from ca_cli.commands.export import export
from ca_cli.commands.fix import fix
from ca_cli.commands.graph import graph
from ca_cli.commands.report import report
from ca_cli.commands.rule import rule
from ca_cli.commands.run import RunCommand, run
from ca_cli.commands.tlparse import tlparse
from ca_cli.commands.try_ import TryCommand, try_
from ca_cli.commands.watch import watch
from ca_cli.errors import FINE, UsageError, guarded
from ca_engine.version import __version__

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

app = typer.Typer(
    name="ca",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # half the time, and more of the help fits on a screen
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"ca {__version__}")
        raise typer.Exit


@app.callback()
def _ca(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Why does compiled autograd compile my backward again?

    \b
    ca run train.py            run it, record, and explain at the end
    ca explain-recompiles      explain the last run, or any log of TORCH_TRACE
    """  # noqa: D301 -- the character, which keeps these lines apart


app.command("run", cls=RunCommand)(run)
app.command("explain-recompiles", cls=formats.command_writing("analysis"))(explain_recompiles)
app.command("try", cls=TryCommand)(try_)
app.command("fix", cls=formats.command_writing("fixes"))(fix)
app.command("report", cls=formats.command_writing("page"))(report)
app.command("graph")(graph)
app.command("tlparse")(tlparse)
app.command("rule")(rule)
app.command("env")(env)
app.command("export")(export)
app.command("check", cls=formats.command_writing("verdict"))(check)
app.command("baseline")(baseline)
app.command("diff", cls=formats.command_writing("outcome"))(diff)
app.command("watch")(watch)
app.command("doctor")(doctor)


def main(args: Sequence[str] | None = None) -> int:
    """Run ``ca`` with `args` (those of the process if None) and return its exit code."""
    arguments = list(sys.argv[1:] if args is None else args)
    return guarded(lambda: _run(arguments or ["--help"]))


_CODE = re.compile(r"CA\d{3}", re.IGNORECASE)
# What people type first for a command of another name.
_MEANT = {
    "recompiles": "explain-recompiles",
    "open": "report",
    "html": "report",
    "show": "report",
    "rules": "rule",
    "record": "run",
    "profile": "run",
    "compare": "diff",
}


def with_command(arguments: list[str], commands: Collection[str]) -> list[str]:
    """Return `arguments` with the command that their first word stands for.

    `ca explain` is `ca explain-recompiles`, and with the code of a rule `ca rule`. Raises
    `UsageError` for a word that is no command, with the closest one.
    """
    word, *rest = arguments
    if word == "explain":
        is_rule = len(rest) == 1 and _CODE.fullmatch(rest[0])
        return ["rule" if is_rule else "explain-recompiles", *rest]
    if word.startswith("-") or word in commands:
        return arguments
    import difflib

    close = difflib.get_close_matches(word, [*commands, "explain", *_MEANT], n=1)
    meant = _MEANT.get(word) or (_MEANT.get(close[0], close[0]) if close else None)
    if meant is not None:
        raise UsageError(f"there is no command {word}: did you mean ca {meant}?")
    if Path(word).is_file():
        raise UsageError(f"there is no command {word}: did you mean ca run {word}?")
    raise UsageError(f"there is no command {word}: see ca --help")


def _run(arguments: list[str]) -> int:
    """Run a command without Typer's `main`, which turns exceptions into boxes and codes."""
    command = typer.main.get_group(app)
    try:
        with command.make_context("ca", with_command(arguments, command.commands)) as context:
            command.invoke(context)
    except typer.Exit as exit:
        return exit.exit_code
    return FINE
