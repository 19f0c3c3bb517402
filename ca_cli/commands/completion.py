"""``ca completion``: what makes the shell complete commands, options and codes of rules."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ca_cli import completing
from ca_cli.options import command

Shell = Literal["bash", "zsh", "fish"]  # those that Typer has a script for


@command
def completion(shell: Annotated[Shell, typer.Argument(help="For which shell.")]) -> None:
    r"""Print the script that makes the shell complete `ca`.

    \b
    echo 'eval "$(ca completion bash)"' >> ~/.bashrc
    echo 'eval "$(ca completion zsh)"' >> ~/.zshrc     # below compinit
    ca completion fish > ~/.config/fish/completions/ca.fish
    """
    typer.echo(completing.script(shell))
