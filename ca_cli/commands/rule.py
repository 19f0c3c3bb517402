"""``ca rule``: what a finding's code means."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from ca_cli.console import console_on
from ca_cli.errors import UsageError
from ca_cli.options import command

Format = Literal["terminal", "markdown", "json"]


def _codes_that_begin_with(incomplete: str) -> list[tuple[str, str]]:
    from ca_reports.causes.rules import all_rules

    beginning = incomplete.upper()
    return [(rule.code, rule.name) for rule in all_rules() if rule.code.startswith(beginning)]


@command
def rule(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE",
            show_default=False,
            autocompletion=_codes_that_begin_with,
            help="CA101, or last-batch.",
        ),
    ] = None,
    all: Annotated[
        bool, typer.Option("--all", help="Every rule, which is also what no CODE means.")
    ] = False,
    format: Annotated[Format, typer.Option("--format", help="What to print.")] = "terminal",
) -> None:
    """Explain a rule: what it finds, why that costs, what to do.

    \b
    ca rule CA101
    ca rule            every rule, one line each
    """  # noqa: D301 -- the character, which keeps these lines apart
    from ca_reports.causes.rules import all_rules, find_rule, pages, similar_rule

    if all and code is not None:
        raise UsageError("name one rule, such as CA101, or --all")
    if code is None:
        rules = all_rules()
    else:
        found = find_rule(code)
        if found is None:
            close = similar_rule(code)
            meant = f": did you mean {close.code} ({close.name})?" if close is not None else ""
            raise UsageError(f"unknown rule {code}{meant} (`ca rule` lists them)")
        rules = (found,)
    if format == "json":
        sys.stdout.write(pages.as_json(rules))
    elif format == "markdown":
        sys.stdout.write("\n".join(pages.markdown(found) for found in rules))
    else:
        from ca_reports.output.rules import render_rule, render_rules

        console = console_on(sys.stdout)
        if code is None:
            render_rules(rules, console)
        else:
            render_rule(rules[0], console)
