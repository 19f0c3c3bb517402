"""How what a command raises ends it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

import pytest

from ca_cli import main as main_module
from ca_cli.errors import UsageError, explain

if TYPE_CHECKING:
    from collections.abc import Callable


# --- exceptions and exit codes ------------------------------------------------------------
def raising(error: BaseException) -> Callable[[list[str]], NoReturn]:
    def run(arguments: list[str]) -> NoReturn:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (UsageError("no\n such  thing"), 2, "ca: no such thing\n"),
        (PermissionError(13, "Permission denied", "x.html"), 2, "ca: x.html: Permission denied\n"),
        (BrokenPipeError(), 0, ""),
        (KeyboardInterrupt(), 130, ""),
        (
            ZeroDivisionError("division\nby zero"),
            2,
            "ca: this is a bug in ca: ZeroDivisionError: division by zero "
            "(CA_DEBUG=1 shows the traceback to report)\n",
        ),
    ],
)
def test_how_an_exception_ends_a_command(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    line: str,
) -> None:
    monkeypatch.setattr(main_module, "_run", raising(error))
    monkeypatch.delenv("CA_DEBUG", raising=False)

    assert main_module.main(["x"]) == code
    assert capfd.readouterr() == ("", line)


def test_debugging_shows_the_traceback_too(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(main_module, "_run", raising(ZeroDivisionError("zero")))
    monkeypatch.setenv("CA_DEBUG", "1")

    assert main_module.main(["x"]) == 2
    printed = capfd.readouterr().err
    assert printed.startswith("Traceback (most recent call last):\n")
    assert printed.splitlines()[-1].startswith("ca: this is a bug in ca")


def test_errors_of_the_readers_are_foreseen() -> None:
    from ca_reports.errors import NothingReadable

    assert explain(NothingReadable("nothing\n  here")) == "nothing here"
    assert "ca_reports.errors" in sys.modules


def test_a_value_that_is_none_is_told_without_the_words_of_who_checks_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main_module.main(["run", "--engine", "x", "train.py"]) == 2
    assert capfd.readouterr().err == "ca: --engine: 'x' is not one of 'ca', 'torch'\n"
