"""Runs the commands that a page of the guide shows, and compares what they print.

A page is Markdown, and its ```` ```console ```` blocks are sessions of a terminal: each line
that begins with ``$ `` is a command, the lines after it are what it printed, on stdout and
stderr. All commands of a page run in their order in one temporary folder that holds
``sample_scripts``. Comments before a block, which no reader sees, direct it:

    <!-- file: train.py -->                the block is not run but written to that file
    <!-- exit: 1 -->                       the last command of the block ends with that code
    <!-- not run: needs a cluster -->      shown only, for that reason
    <!-- only the commands -->             the output is not compared

What is shown of an output must be there, word by word and in that order; ``...`` stands for
anything. Numbers, times and paths differ from run to run: any number is equal to any other,
and how lines are wrapped does not count. A command without output shown may print anything.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests import warm
from tests.once import made_once

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
TIMEOUT = 240
WIDTH = 100
ANYTHING = "..."

_PRINTED = ".printed"  # by a shared command, beside what it left

_FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<language>\S*)[^\n]*\n(?P<body>.*?)^(?P=fence) *$", re.M | re.S
)
_DIRECTIVES = re.compile(r"((?:<!-- [^\n]*? -->\s*)+)\Z")
_DIRECTIVE = re.compile(r"<!-- ([\w ]+?)(?:: ([^\n]*?))? -->")
_KNOWN = frozenset(("file", "exit", "not run", "only the commands"))
_TIME = re.compile(r"#\s?(?:s|ms|µs|min)\b")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,.]*(?<![,.])")
_RULE = re.compile(r"[─━═=_-]{4,}")


@dataclass(frozen=True)
class Command:
    """``text`` is for the shell; ``shown`` what the page says that it prints, if it does."""

    text: str
    shown: str
    line: int
    exit_code: int = 0
    compared: bool = True


@dataclass(frozen=True)
class File:
    """A file that the commands after it need."""

    name: str
    text: str


@dataclass(frozen=True)
class NotRun:
    """A block that is only shown."""

    reason: str
    text: str
    line: int


Step = Command | File | NotRun


def steps(page: str) -> list[Step]:
    """What a page has to run, in order. Raises ValueError for a directive that is none."""
    return [step for block in _FENCE.finditer(page) for step in _steps_of(page, block)]


def run(page: str, folder: Path, shared: Path | None = None) -> None:
    """Do all that a page shows, in ``folder``. Raises AssertionError where it is not so.

    With ``shared``, a folder, a page that begins with the same ``ca run`` as another one goes on
    from what that left behind: the run of a sample is the same for both, and takes long.
    """
    shown = [step for step in steps(page) if not isinstance(step, NotRun)]
    for number, step in enumerate(shown):
        if number == 0 and isinstance(step, Command) and shared and step.text.startswith("ca run"):
            begun = made_once(
                shared / hashlib.sha256(step.text.encode()).hexdigest()[:16], partial(_begin, step)
            )
            shutil.copytree(begun, folder, dirs_exist_ok=True)
            _compare(step, (folder / _PRINTED).read_text("utf-8"))
            continue
        _lay_out(folder)
        if isinstance(step, File):
            file = folder / step.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, "utf-8")
        elif isinstance(step, Command):
            _run(step, folder)


def matches(shown: str, printed: str) -> bool:
    """Whether ``printed`` is what ``shown`` says, as this module's docstring defines it."""
    parts = [
        _plain(part) for part in re.split(rf"^\s*{re.escape(ANYTHING)}\s*$", shown, flags=re.M)
    ]
    pattern = ".*?".join(re.escape(part) + (r"\s*" if part else "") for part in parts)
    return re.fullmatch(pattern, _plain(printed), re.S) is not None


def _steps_of(page: str, block: re.Match[str]) -> Iterator[Step]:
    directives = _directives(page[: block.start()])
    body = block["body"]
    line = page.count("\n", 0, block.start()) + 1
    if "file" in directives:
        yield File(directives["file"], body)
        return
    if block["language"] != "console":
        if directives:
            raise ValueError(f"line {line}: {', '.join(directives)} before what is no console")
        return
    if "not run" in directives:
        if not directives["not run"]:
            raise ValueError(f"line {line}: not run, and no reason why")
        yield NotRun(directives["not run"], body, line)
        return
    found = list(_commands(body, line))
    for number, (text, shown, at) in enumerate(found):
        last = number == len(found) - 1
        yield Command(
            text,
            shown,
            at,
            int(directives.get("exit", 0)) if last else 0,
            "only the commands" not in directives,
        )


def _directives(before: str) -> dict[str, str]:
    found = _DIRECTIVES.search(before)
    directives = {}
    for directive in _DIRECTIVE.finditer(found[1] if found else ""):
        if directive[1] not in _KNOWN:
            if re.search(r"[a-z]", directive[1]) and not directive[1].startswith("Generated"):
                raise ValueError(f"no such directive: {directive[1]}")
            continue
        directives[directive[1]] = directive[2] or ""
    return directives


def _commands(body: str, line: int) -> Iterator[tuple[str, str, int]]:
    text, at = "", 0
    shown: list[str] = []
    for number, part in enumerate(body.splitlines(), line + 1):
        if text.endswith("\\\n"):
            text += part.removeprefix("> ") + "\n"
        elif part.startswith("$ "):
            if text:
                yield text, "\n".join(shown), at
            text, shown, at = part[2:] + "\n", [], number
        elif text:
            shown.append(part)
        else:
            raise ValueError(f"line {number}: output before the first command")
    if text:
        yield text, "\n".join(shown), at


def _lay_out(folder: Path) -> None:
    """What every page has: the samples."""
    if not (folder / "sample_scripts").exists():
        shutil.copytree(
            ROOT / "sample_scripts",
            folder / "sample_scripts",
            ignore=shutil.ignore_patterns("__pycache__"),
        )


def _begin(step: Command, folder: Path) -> None:
    _lay_out(folder)
    _run(replace(step, shown=""), folder, folder / _PRINTED)


def _run(command: Command, folder: Path, printed: Path | None = None) -> None:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.text],
        cwd=folder,
        env=_environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == command.exit_code, (
        f"{_where(command)}\nended with {done.returncode}, not {command.exit_code}:\n"
        f"{done.stdout[-3000:]}"
    )
    _compare(command, done.stdout)
    if printed is not None:
        printed.write_text(done.stdout, "utf-8")


def _compare(command: Command, printed: str) -> None:
    if command.compared and command.shown.strip():
        assert matches(command.shown, printed), (
            f"{_where(command)}\nprinted\n{printed[-6000:]}\nand not\n{command.shown}"
        )


def _where(command: Command) -> str:
    return f"line {command.line}: {command.text.strip()}"


def _environment(folder: Path) -> dict[str, str]:
    """As in a user's shell, whatever this suite was started with."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PYTEST", "CA_", "TORCH", "COV_", "GITHUB_"))
    }
    warm.python()
    commands = warm.commands(folder.with_name(f"{folder.name}-commands"))
    path = os.pathsep.join(
        [str(commands), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    )
    return {**kept, "PATH": path, "COLUMNS": str(WIDTH), "HOME": str(folder), "NO_COLOR": "1"}


def _plain(text: str) -> str:
    plain = _RULE.sub("─", text)
    plain = _NUMBER.sub("#", plain)
    plain = _TIME.sub("# s", plain)
    return " ".join(plain.split())
