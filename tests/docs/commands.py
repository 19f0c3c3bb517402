"""Finds what a text tells its reader to type: every ``ca …`` and every option in it.

Not only in the sessions that `guide` runs: in running text and tables (`` `ca check` ``), in
blocks of YAML, TOML and Python, and in the messages of the program itself.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from ca_cli.app import app
from ca_cli.errors import UsageError, explain
from ca_cli.main import COMMANDS, with_command

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"^(?P<fence>`{3,})[^\n]*\n(?P<body>.*?)^(?P=fence) *$", re.M | re.S)
_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)(?P<text>[^`\n]+(?:\n[^`\n]+)?)\1(?!`)")
# Where a command may begin in a block: at the begin of a line, after a prompt or a key of
# YAML, after what the shell puts between commands or before one.
_BEGIN = re.compile(
    r"(?:^|\$ +|[;&|] *|\beval +[\"']|\$\(|- |run: +|\b[A-Z_]+=\S* +)\s*"
    r"(?=(?P<command>ca +[a-z-][^\n]*))",
    re.M,
)
# What ends it, outside of quotes; in a list of commands it is two blanks.
_END = re.compile(r"\s\s|\s(?:#|\d?>{1,2}|<|\|\|?|&&)(?:\s|$)|\s\d?>{1,2}\S|;|\)")
_OPTION = re.compile(r"^--[a-z][\w-]*(?:[= ]\S.*)?$")
_PLACEHOLDER = re.compile(r"[A-Z]+|…|\.\.\.|\$\{?\w+\}?")


@dataclass(frozen=True)
class Typed:
    """A command as a text has it, and in which line. ``whole``: nothing was left out of it."""

    text: str
    line: int
    whole: bool


def commands(text: str, *, only_spans: bool = False) -> Iterator[Typed]:
    """Every ``ca …`` in Markdown, or in the spans of any other text."""
    blocks = [] if only_spans else list(_FENCE.finditer(text))
    for block in blocks:
        body = re.sub(r"\s*\\\n(?:> )?\s*", " ", block["body"]).replace('\\"', "'")
        for found in _BEGIN.finditer(body):
            yield Typed(_cut(found["command"]), _line(text, block.start()), whole=True)
    for span in _spans(text, blocks):
        inside = " ".join(span["text"].split())
        if re.match(r"ca (?=[a-z-])", inside):
            yield Typed(_cut(inside), _line(text, span.start()), whole=False)


def options(text: str) -> Iterator[Typed]:
    """Every option that stands by itself in running text: `` `--jobs N` ``."""
    for span in _spans(text, list(_FENCE.finditer(text))):
        if _OPTION.match(span["text"]):
            yield Typed(span["text"], _line(text, span.start()), whole=False)


def problem(typed: Typed) -> str | None:
    """What the real command line says against it; None if it takes it.

    What only names a command or an option (`` `ca diff --fail-on` ``) may lack its arguments,
    and stand-ins such as ``N`` may be no number.
    """
    try:
        arguments = with_command(shlex.split(typed.text)[1:])
    except UsageError as error:
        return str(error)
    except ValueError as error:
        return str(error)
    command = command_line()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            context = command.make_context("ca", list(arguments))
            name, chosen, rest = command.resolve_command(context, list(arguments))
            chosen.make_context(name, rest, parent=context)
    except typer.Exit:
        return None  # --help and --version
    except Exception as error:
        said = explain(error)
        lacks = type(error).__name__ == "MissingParameter" or "requires an argument" in said
        if lacks and not typed.whole:
            return None
        if type(error).__name__ == "BadParameter" and any(
            _PLACEHOLDER.fullmatch(part) for part in arguments
        ):
            return None
        return said
    return None


def known_options() -> frozenset[str]:
    """Every option of every command."""
    line = command_line()
    every = [line, *(line.get_command(None, name) for name in COMMANDS)]
    parameters = [parameter for one in every for parameter in one.params]
    names = {name for one in parameters for name in (*one.opts, *one.secondary_opts)}
    return frozenset(names | {"--help"})


@functools.cache
def command_line() -> Any:
    """What `ca` parses with."""
    return typer.main.get_command(app)


def _spans(text: str, blocks: list[re.Match[str]]) -> Iterator[re.Match[str]]:
    for span in _SPAN.finditer(text):
        if not any(block.start() <= span.start() < block.end() for block in blocks):
            yield span


def _cut(command: str) -> str:
    """Without what the shell would do with it, and without a comment."""
    quote, opened = "", 0
    for index, character in enumerate(command):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote, opened = character, index
        elif _END.match(command, index):
            return command[:index].strip()
    # A quote that is not closed here was opened before the command: eval "ca …".
    return (command[:opened] if quote else command).strip()


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
