"""The rules' pages in docs."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

from ca_reports.causes.rules import all_rules, pages
from ca_reports.causes.rules.base import SECTIONS, Rule

REPOSITORY = Path(__file__).resolve().parents[5]
DOCS = REPOSITORY / "docs" / "rules"


def test_the_pages_in_docs_are_those_of_the_rules() -> None:
    # `make docs-rules` writes them.
    written = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    expected = pages.pages(all_rules())
    assert sorted(written) == sorted(expected)
    stale = [name for name, text in expected.items() if written[name] != text]
    assert not stale, "run `make docs-rules`"


def test_the_gallery_is_that_of_the_samples() -> None:
    made = runpy.run_path(str(REPOSITORY / "docs" / "generate_rules.py"))["gallery"]()
    assert (REPOSITORY / "docs" / "gallery.md").read_text("utf-8") == made, "run `make docs-rules`"
    assert made.count("```diff") > 60


def test_the_index_links_to_every_page() -> None:
    index = pages.index(all_rules())
    assert all(f"({pages.file_name(rule)})" in index for rule in all_rules())


def test_json_holds_every_section() -> None:
    documents = json.loads(pages.as_json(all_rules()))
    assert [found["code"] for found in documents] == [rule.code for rule in all_rules()]
    sections = documents[0]["sections"]
    assert list(sections) == [heading.lower().replace(" ", "_") for heading in SECTIONS]
    assert all(sections.values())


def test_an_example_becomes_one_fenced_block() -> None:
    class Made(Rule):
        """A line.

        ## What it is

        Text.

            first = 1

            second = 2

        More text.

        ## Why it costs

        x

        ## Example

            code()

        ## What to do

        x

        ## Measured

        x

        ## When the rule can be wrong

        x
        """

        code = "CA999"
        name = "made"

        def matches(self, facts: object) -> list[object]:  # type: ignore[override]
            return []

    text = pages.markdown(Made)
    assert "```python\nfirst = 1\n\nsecond = 2\n```\n\nMore text." in text
    assert "```python\ncode()\n```\n\n## What to do" in text
