"""Rules in a terminal."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from ca_reports.causes.rules import all_rules, pages
from ca_reports.causes.rules.base import Rule
from ca_reports.output.rules import render_rule, render_rules

if TYPE_CHECKING:
    from collections.abc import Callable

WIDTH = 80


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_code_is_marked_on_pages_and_plain_in_a_terminal(rule: type[Rule]) -> None:
    documentation = rule.documentation()
    page = pages.markdown(rule)
    for text in (documentation.summary, *documentation.sections.values()):
        # One backtick, always in pairs; reStructuredText's two are not Markdown's.
        assert "``" not in text
        assert text.count("`") % 2 == 0
        assert all(f"`{code}`" in page for code in re.findall(r"`([^`\n]+)`", text))
    assert "`" not in pages.plain(rule)
    assert "`" not in printed(lambda console: render_rules([rule], console))
    text = printed(lambda console: render_rule(rule, console))
    assert "`" not in text
    assert not re.search(r"\*\*\w+\*\*", text)
    assert max(map(len, text.splitlines())) <= WIDTH


def test_a_pipe_gets_a_line_for_each_paragraph() -> None:
    (rule,) = (found for found in all_rules() if found.code == "CA206")
    text = printed(lambda console: render_rule(rule, console), soft_wrap=True)
    paragraph = rule.documentation().sections["Why it costs"].replace("**", "")
    assert f"  {' '.join(paragraph.split())}\n" in text
    assert "      exponent = 2.0 + 0.01 * step\n      loss = error" in text


def printed(render: Callable[[Console], None], *, soft_wrap: bool = False) -> str:
    stream = io.StringIO()
    render(Console(file=stream, width=WIDTH, soft_wrap=soft_wrap))
    return stream.getvalue()
