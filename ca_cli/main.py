"""The command ``ca``: which commands there are, and how what they raise ends them."""

from __future__ import annotations

import keyword
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ca_cli.completing import COMPLETE, complete
from ca_cli.errors import FINE, UsageError, guarded
from ca_engine.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

# A command is the function of its module in `commands`, which is imported when it is called.
GROUPS = {
    "Record": {
        "run": "Run a script, record it, and explain its recompilations.",
        "try": "Run a script briefly under other options, and compare.",
        "env": "Print the environment that records every Python process.",
        "watch": "Watch a live run: what it lost, to what, and each rank.",
    },
    "Explain and fix": {
        "explain-recompiles": "Explain each recompilation and what to change.",
        "fix": "Write a patch for what a run found, and prove it.",
        "sizes": "Find which sizes to pad to, or to make dynamic.",
        "caches": "Explain which graphs a start compiled again, and why.",
        "report": "Write one HTML page about a run; it needs no server.",
        "graph": "Show the graph of a capture, folded.",
        "rule": "Explain a rule: its cause, its cost, its fix.",
        "tlparse": "Run tlparse on a whole run.",
        "export": "Write captures, compiles, findings and more as tables.",
    },
    "Limits and CI": {
        "check": "Check a run against limits; exit code 1 if it fails.",
        "baseline": "Write the known findings, for `ca check --baseline`.",
        "diff": "Compare two runs, or two baselines.",
    },
    "Setup": {
        "mcp": "Serve these commands to a coding agent over MCP.",
        "doctor": "Show versions and devices, and try a real capture.",
        "completion": "Print the script that makes the shell complete `ca`.",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}


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
    """Find out what torch.compile and compiled autograd recompile, and which line to change.

    \b
    ca run train.py            run it, record, and explain at the end
    ca explain-recompiles      explain the last run, or any log of TORCH_TRACE
    """  # noqa: D301 -- the character, which keeps these lines apart


def main(args: Sequence[str] | None = None) -> int:
    """Run ``ca`` with `args` (those of the process if None) and return its exit code."""
    arguments = list(sys.argv[1:] if args is None else args)
    if COMPLETE in os.environ:  # the shell asks, at a press of Tab
        return guarded(lambda: complete(app))
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


def with_command(arguments: list[str]) -> list[str]:
    """Return `arguments` with the command that their first word stands for.

    `ca explain` is `ca explain-recompiles`, and with the code of a rule `ca rule`. Raises
    `UsageError` for a word that is no command, with the closest one.
    """
    word, *rest = arguments
    if word == "explain":
        is_rule = len(rest) == 1 and _CODE.fullmatch(rest[0])
        return ["rule" if is_rule else "explain-recompiles", *rest]
    if word.startswith("-") or word in COMMANDS:
        return arguments
    import difflib

    close = difflib.get_close_matches(word, [*COMMANDS, "explain", *_MEANT], n=1)
    meant = _MEANT.get(word) or (_MEANT.get(close[0], close[0]) if close else None)
    if meant is not None:
        raise UsageError(f"unknown command {word}: did you mean `ca {meant}`?")
    if Path(word).is_file():
        raise UsageError(f"unknown command {word}: did you mean `ca run {word}`?")
    raise UsageError(f"unknown command {word}: `ca --help` lists them")


def _run(arguments: list[str]) -> int:
    """Run a command without Typer's `main`, which turns exceptions into boxes and codes."""
    command = typer.main.get_command(app)
    try:
        with command.make_context("ca", with_command(arguments), color=_wants_colour()) as context:
            command.invoke(context)
    except typer.Exit as exit:
        return exit.exit_code
    return FINE


def _wants_colour() -> bool | None:
    """Return what NO_COLOR and FORCE_COLOR ask for; None leaves it to the terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None
