"""The command ``ca``: which commands there are, and how what they raise ends them.

Imports no Typer, which takes four fifths of the time of ``ca --version``.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from typing import TYPE_CHECKING

from ca_cli.errors import FINE, UsageError, guarded
from ca_engine.lazy_expressions import expression
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


VERSION = f"ca {__version__}"
# Set by the shell that asks for completions; it names the shell as well.
COMPLETE = "_CA_COMPLETE"
# Objects made before Python looks for cycles among the young. With its 700, a start looks 120 times
# and finds classes and functions, which stay: a tenth of the time of a short command.
_BETWEEN_COLLECTIONS = 50_000


def main(args: Sequence[str] | None = None) -> int:
    """Run ``ca`` with `args` (those of the process if None) and return its exit code."""
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    arguments = list(sys.argv[1:] if args is None else args)
    if COMPLETE in os.environ:  # the shell asks, at a press of Tab
        return guarded(_complete)
    return guarded(lambda: _run(arguments or ["--help"]))


def _complete() -> int:
    from ca_cli.app import app
    from ca_cli.completing import complete

    return complete(app)


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        print(VERSION)
        return FINE
    arguments = with_command(arguments)
    from ca_cli import app

    return app.run(arguments)


_CODE = expression(r"CA\d{3}", re.IGNORECASE)
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
    if os.path.isfile(word):  # noqa: PTH113 -- pathlib is imported by what needs it
        raise UsageError(f"unknown command {word}: did you mean `ca run {word}`?")
    raise UsageError(f"unknown command {word}: `ca --help` lists them")
