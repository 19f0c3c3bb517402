"""Every command and option that a text names is one that the real command line takes."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from ca_cli.main import COMMANDS
from tests.docs.commands import (
    Typed,
    command_line,
    commands,
    known_options,
    options,
    problem,
)
from tests.docs.guide import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
SCRIPTS = sorted((ROOT / ".github").rglob("*.yml"))
SOURCES = [
    path
    for folder in ("ca_cli", "ca_pytest", "engine", "reports")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
# Of pytest, with our plugin.
OTHERS = frozenset(("--ca", "--ca-output"))


def told(found: Typed, why: str | None) -> list[str]:
    return [] if why is None else [f"line {found.line}: {found.text}: {why}"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_and_options_of_a_page(page: Any) -> None:
    text = page.read_text("utf-8")
    wrong = [line for found in commands(text) for line in told(found, problem(found))]
    for found in options(text):
        name = found.text.split()[0].partition("=")[0]
        if name not in known_options() | OTHERS:
            wrong += told(found, "no command has it")
    assert not wrong, "\n".join(wrong)


def test_commands_of_workflows() -> None:
    found = [one for path in SCRIPTS for one in commands(f"```\n{path.read_text('utf-8')}```\n")]
    assert len(found) >= 5
    assert [one for one in found if problem(one) is not None] == []


def test_commands_of_the_help() -> None:
    for name in COMMANDS:
        text = inspect.getdoc(command_line().get_command(None, name).callback) or ""
        for found in commands(f"```\n{text}\n```\n"):
            assert problem(found) is None, (name, found, problem(found))


def test_commands_that_messages_name() -> None:
    found = [
        (path.name, one)
        for path in SOURCES
        for one in commands(path.read_text("utf-8"), only_spans=True)
    ]
    assert len(found) > 50
    wrong = [(name, one, why) for name, one in found if (why := problem(one)) is not None]
    assert wrong == []


def test_enough_is_found() -> None:
    found = [one for page in PAGES for one in commands(page.read_text("utf-8"))]
    assert sum(one.whole for one in found) > 40
    assert sum(not one.whole for one in found) > 40


TEXT = """\
Type `ca run train.py` or `ca
check`, with `--jobs N`; not `cache it` or `--`.

```yaml
- run: ca diff base "$RUN" --format markdown -o comment.md   # a comment
- run: eval "ca check \\"\\$RUN\\" $OPTIONS --format github"
```

```console
$ FOLDER=x ca explain-recompiles a > b; ca report \\
>   a -o "b c.html"
$ ca rule      every rule, ca check too
$ job && for each in $(ca export --table captures); do echo; done
ca is what it printed
```
"""


def test_what_is_found() -> None:
    assert [(one.text, one.whole) for one in commands(TEXT)] == [
        ('ca diff base "$RUN" --format markdown -o comment.md', True),
        ("ca check '\\$RUN' $OPTIONS --format github", True),
        ("ca explain-recompiles a", True),
        ('ca report a -o "b c.html"', True),
        ("ca rule", True),
        ("ca export --table captures", True),
        ("ca is what it printed", True),
        ("ca run train.py", False),
        ("ca check", False),
    ]
    assert [one.text for one in options(TEXT)] == ["--jobs N"]


@pytest.mark.parametrize(
    ("text", "whole", "wrong"),
    [
        ("ca check --max-recaptures 0", True, False),
        ("ca check --max-recapture 0", True, True),
        ("ca check --max-recaptures N", True, False),
        ("ca check --max-recaptures few", True, True),
        ("ca chek", True, True),
        ("ca chek", False, True),
        ("ca diff", True, True),
        ("ca diff", False, False),
        ("ca diff --fail-on", False, False),
        ("ca diff --fail-of", False, True),
        ("ca run --enable torchrun --nproc-per-node 2 train.py", True, False),
        ("ca run --enabled train.py", True, True),
        ("ca --version", True, False),
        ("ca explain CA101", True, False),
        ("ca explain CA101 --jobs", True, True),
        ("ca profile", False, True),
        ("ca --verson", True, True),
        ("ca rule 'CA101", True, True),
    ],
)
def test_what_the_command_line_takes(text: str, whole: bool, wrong: bool) -> None:
    assert (problem(Typed(text, 1, whole)) is not None) is wrong
