"""The documentation of rules on a console: as wide as it is, and one line a paragraph in a pipe."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.text import Text

from ca_engine.lazy_expressions import expression
from ca_reports.causes.rules import pages
from ca_reports.causes.rules.base import SECTIONS
from ca_reports.output.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from ca_reports.causes.rules.base import Rule

# Longer lines are hard to read, however wide the terminal is.
_LONGEST = 100
_CODE_INDENT = 6
# A column of fewer characters is not worth the lines.
_NARROWEST = 20
# Code in backticks, and what a page prints in bold.
_MARKED = expression(r"`(?P<code>[^`]+)`|\*\*(?P<bold>[^*]+)\*\*")


def render_rule(rule: type[Rule], console: Console) -> None:
    """Print one rule: its summary, and each section under its heading."""
    printer = _Printer(console)
    documentation = rule.documentation()
    title = Text().append(rule.code, "bold yellow").append(f" {rule.name}", "bold")
    printer.lines.text(title)
    printer.lines.line("")
    printer.paragraph(documentation.summary, 0)
    printer.paragraph(pages.facts(rule), 0)
    for heading in SECTIONS:
        printer.lines.line("")
        printer.lines.line(heading.upper(), "bold")
        printer.section(documentation.sections[heading])


def render_rules(rules: Sequence[type[Rule]], console: Console) -> None:
    """Print a line for each rule, group by group."""
    printer = _Printer(console)
    width = max((len(rule.name) for rule in rules), default=0)
    for number, (title, group) in enumerate(pages.grouped(rules)):
        if number:
            printer.lines.line("")
        printer.lines.line(title, "bold")
        for rule in group:
            text = Text().append(rule.code, "yellow").append(f"  {rule.name:{width}}  ")
            printer.beside(text, _styled(rule.documentation().summary))


class _Printer:
    def __init__(self, console: Console) -> None:
        if not console.soft_wrap:
            console.width = min(console.width, _LONGEST)
        self._console = console
        self.lines = Lines(console)
        self._colours_code = console.is_terminal

    def section(self, text: str) -> None:
        """Print Markdown: paragraphs, and code that is indented by four."""
        found = groupby(text.split("\n"), key=lambda line: (bool(line), line.startswith("    ")))
        for (is_text, is_code), lines in found:
            if not is_text:
                self.lines.line("")
            elif is_code:
                self._code("\n".join(line[4:] for line in lines))
            else:
                self.paragraph(" ".join(lines), 2)

    def paragraph(self, text: str, indent: int) -> None:
        self.lines.text(_styled(text), indent)

    def beside(self, name: Text, text: Text) -> None:
        """Print ``name``, and ``text`` as a column to its right."""
        margin = Text(" " * len(name))
        width = self._console.width - len(name) - 2
        wraps = not self._console.soft_wrap and width > _NARROWEST
        for line in text.wrap(self._console, width) if wraps else [text]:
            line.rstrip()
            self.lines.text(name + line, 2)
            name = margin

    def _code(self, text: str) -> None:
        if not self._colours_code:
            shown = Text(text)
        else:
            from rich.syntax import Syntax

            shown = Syntax("", "python", theme="ansi_dark").highlight(text)
            shown.rstrip()
        for line in shown.split("\n"):
            self.lines.text(line, _CODE_INDENT)


def _styled(text: str) -> Text:
    """Return ``text`` without its marks: code in cyan, and bold as on a page."""
    styled, end = Text(), 0
    for found in _MARKED.finditer(text):
        styled.append(text[end : found.start()])
        styled.append(found["code"] or found["bold"], "cyan" if found["code"] else "bold")
        end = found.end()
    return styled.append(text[end:])
