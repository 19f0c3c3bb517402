"""The command as Typer has it."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from ca_cli import app
from ca_cli.main import COMMANDS, VERSION, main


def test_every_command_is_one_of_the_group() -> None:
    group: Any = typer.main.get_command(app.app)

    assert group.list_commands(None) == list(COMMANDS)
    for name in COMMANDS:
        assert group.get_command(None, name).callback is not None
    assert group.get_command(None, "recompiles") is None


@pytest.mark.parametrize("words", [["--version"], ["--version", "run"]])
def test_the_version_is_printed_with_other_words_too(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out == f"{VERSION}\n"


@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_is_as_the_environment_asks(
    variables: dict[str, str],
    is_coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert app.run(["--help"]) == 0
    assert ("\x1b[" in capsys.readouterr().out) is is_coloured
