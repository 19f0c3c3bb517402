"""A report as Markdown, such as a comment holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ca_reports.output import markdown
from ca_reports.output.reported import Report
from ca_reports.run.model import Run
from tests.unit.reports.gates.made import sample
from tests.unit.reports.output.reported import REPORTS, Page, checked, explained


@pytest.mark.parametrize("make", REPORTS)
def test_markdown_holds_no_markup_of_a_log(run: Run, make: Callable[[Run], Report]) -> None:
    text = markdown.render(make(run))

    assert len(text) <= markdown.LIMIT
    outside_code = re.sub(r"(`+).*?\1", "", text)
    page = Page()
    page.feed(outside_code)
    assert set(page.tags) <= {"details", "summary"}
    assert outside_code.count("<details") == outside_code.count("</details>")
    assert "@everyone" not in outside_code
    assert "#12" not in outside_code
    assert "http://" not in outside_code
    assert not re.search("[\x00-\x08\x1b\u202e]", text)
    text.encode()


def test_markdown_of_one_finding(tmp_path: Path) -> None:
    text = markdown.render(checked(sample(tmp_path)))

    assert text.startswith("### ca check\n\n**Failed: 1 of 2 budgets exceeded.**\n")
    assert "| 2 recaptures, at most 0 allowed | CA206, CA202 |" in text
    assert "- where: `train.py:11` `loss.backward()`" in text


def test_markdown_keeps_to_what_a_comment_holds(tmp_path: Path) -> None:
    run = sample(tmp_path)
    report = explained(run)
    many = replace(report, findings=report.findings * 200)

    text = markdown.render(many)

    assert len(text) <= markdown.LIMIT
    assert re.search(r"And \d+ more findings: see the HTML report\.", text)
    assert text.count("<details>") == text.count("</details>")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b *c*", r"a\_b \*c\*"),
        ("`.grad` of x", "`.grad` of x"),
        ("<b>", "&lt;b&gt;"),
        ("1. one", r"1\. one"),
        ("- one", r"\- one"),
        ("-2 of 3.5", "-2 of 3.5"),
        ("---", r"\---"),
        ("@me", "@\u200bme"),
    ],
)
def test_prose(text: str, expected: str) -> None:
    assert markdown.prose(text) == expected


def test_code_with_backticks() -> None:
    assert markdown.code("a `` b") == "```a `` b```"
    assert markdown.code("`a`") == "`` `a` ``"
