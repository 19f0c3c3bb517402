"""Completes words for the shell at a press of Tab."""

from __future__ import annotations

import os

import typer

from ca_cli.main import COMPLETE


def script(shell: str) -> str:
    """Return the script that makes `shell` ask."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    made: str = get_completion_script(prog_name="ca", complete_var=COMPLETE, shell=shell)
    return made


def complete(app: typer.Typer) -> int:
    """Print completions of the command line that the shell describes in the environment."""
    from typer.completion import completion_init, shell_complete  # type: ignore[attr-defined]

    completion_init()
    return shell_complete(typer.main.get_command(app), {}, "ca", COMPLETE, os.environ[COMPLETE])
