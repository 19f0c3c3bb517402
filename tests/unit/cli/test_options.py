"""Options that several commands share, and those of a Python command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
import typer

from ca_cli.commands.run import run
from ca_cli.options import OptionGroup, PythonCommandLine, command


@dataclass(frozen=True)
class Size(OptionGroup):
    width: Annotated[int, typer.Option("--width", help="How wide.")] = 1
    deep: Annotated[bool, typer.Option("--deep", help="Deep.")] = False


def test_a_command_gets_its_groups_made_of_their_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen: list[Any] = []

    @command
    def draw(name: str, size: Size, often: Annotated[int, typer.Option("--often")] = 1) -> None:
        """Draw it."""
        seen.append((name, size, often))

    for arguments in (["a"], ["--width", "3", "b", "--deep", "--often", "2"]):
        draw.main(arguments, standalone_mode=False)
    assert seen == [("a", Size(), 1), ("b", Size(3, deep=True), 2)]
    draw.main(["--help"], standalone_mode=False)
    assert "--width" in capsys.readouterr().out


def test_our_own_options_are_those_that_typer_knows() -> None:
    assert isinstance(run, PythonCommandLine)
    options = run.own_options(run.make_context("run", ["-"]))
    assert options["--output"] is options["-o"] is True
    assert options["--enable"] is options["--no-dynamic"] is False
    assert options["--max-lost-share"] is options["--engine"] is True
    assert options["--help"] is False
