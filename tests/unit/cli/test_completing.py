"""Words that a shell completes at a press of Tab."""

from __future__ import annotations

import pytest
import typer

from ca_cli.completing import complete, script
from ca_cli.main import COMPLETE


def tiny() -> typer.Typer:
    app = typer.Typer()

    @app.command()
    def explain() -> None: ...

    @app.command()
    def export() -> None: ...

    return app


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_has_the_shell_ask_us(shell: str) -> None:
    text = script(shell)
    assert COMPLETE in text
    assert f"complete_{shell}" in text


@pytest.mark.parametrize(("typed", "words"), [("ca expo", ["export"]), ("ca x", [])])
def test_what_was_typed_is_completed(
    typed: str,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(COMPLETE, "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", "1")
    assert complete(tiny()) == 0
    assert capsys.readouterr().out.split() == words
