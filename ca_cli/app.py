"""The command ``ca`` as Typer has it: its commands, its own option, its help."""

from __future__ import annotations

import keyword
import os
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from ca_cli.errors import FINE
from ca_cli.main import COMMANDS, GROUPS, VERSION
from ca_cli.plain_values import spare_coercion


class Commands(TyperGroup):
    """`COMMANDS`, none of which is imported for their list.

    Typer's own groups need Rich at start-up, which doubles the time of ``ca --help``.
    """

    def list_commands(self, _ctx: Any) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, _ctx: Any, name: str) -> Any:
        """Return the command `name`, or None."""
        if name not in COMMANDS:
            return None
        function = name.replace("-", "_") + ("_" if keyword.iskeyword(name) else "")
        return vars(import_module(f"ca_cli.commands.{function}"))[function]

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the groups of commands that `ca --help` ends with, coloured on a terminal."""
        width = max(map(len, COMMANDS))
        for group, commands in GROUPS.items():
            with formatter.section(typer.style(group, bold=True)):
                # Padded, so that the texts of all groups begin in one column.
                formatter.write_dl(
                    [
                        (typer.style(f"{name:{width}}", fg=typer.colors.CYAN), text)
                        for name, text in commands.items()
                    ]
                )


app = typer.Typer(
    name="ca",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # half the time, and more of the help fits on a screen
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(VERSION)
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
    """Find out what torch.compile and compiled autograd recompile, and which line to change.

    \b
    ca run train.py            run it, record, and explain at the end
    ca explain-recompiles      explain the last run, or any log of TORCH_TRACE
    """  # noqa: D301 -- the character, which keeps these lines apart


def run(arguments: list[str]) -> int:
    """Run a command without Typer's `main`, which turns exceptions into boxes and codes."""
    command = cast("TyperGroup", typer.main.get_command(app))
    spare_coercion(command, {"version": bool})
    try:
        with command.make_context("ca", arguments, color=_wants_colour()) as context:
            command.invoke(context)
    except typer.Exit as exit:
        return exit.exit_code
    return FINE


def _wants_colour() -> bool | None:
    """Return what NO_COLOR and FORCE_COLOR ask for; None leaves it to the terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None
