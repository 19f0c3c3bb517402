"""Writes ``docs/man/ca.1``, the manual page, from the help of every command: ``make man``."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import typer

from ca_cli.app import app
from ca_cli.main import COMMANDS

PAGE = Path(__file__).parent / "man" / "ca.1"
# Typer fills it into a help text to keep the lines that follow apart.
_KEPT_APART = "\b"


def main() -> None:
    """Write the page."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(manual(), encoding="utf-8")


def manual() -> str:
    """Return the manual page in roff's man macros, without a date, which would change it daily."""
    group: Any = typer.main.get_command(app)
    with group.make_context("ca", [], resilient_parsing=True) as context:
        lines = ['.TH CA 1 "" "ca" "User Commands"', ".SH NAME", "ca \\- " + _roff(_first(group))]
        lines += [".SH SYNOPSIS", ".B ca", ".I COMMAND", "[ARGS]...", ".SH DESCRIPTION"]
        lines += [*_paragraphs(group), ".SH COMMANDS"]
        for name in COMMANDS:
            command = group.get_command(context, name)
            with command.make_context(name, [], parent=context, resilient_parsing=True) as inner:
                lines += [f".SS {_roff(inner.command_path)}", *_paragraphs(command)]
                for parameter in command.get_params(inner):
                    record = parameter.get_help_record(inner)
                    if record is not None:
                        lines += [".TP", f".B {_roff(record[0])}", _roff(record[1])]
    lines += [".SH EXIT STATUS", *_exit_codes(), ".SH SEE ALSO", ".BR python (1)"]
    return "\n".join(lines) + "\n"


def _exit_codes() -> list[str]:
    """Return the first paragraphs of the one module that decides them."""
    from ca_cli import errors

    text = inspect.getdoc(errors) or ""
    return [_roff(" ".join(part.split())) + "\n.PP" for part in text.split("\n\n")[1:]]


def _first(command: Any) -> str:
    return str(command.get_short_help_str(200)).rstrip(".")


def _paragraphs(command: Any) -> list[str]:
    lines = []
    for part in inspect.cleandoc(command.help or "").split("\n\n"):
        if part.startswith(_KEPT_APART):
            lines += [".PP", ".nf", *map(_roff, part.split("\n")[1:]), ".fi"]
        else:
            lines += [".PP", _roff(" ".join(part.split()))]
    return lines


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    main()
