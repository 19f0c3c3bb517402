"""What rules say of themselves: complete, unique, and the same in docs, JSON and terminal."""

from __future__ import annotations

import io
import json
import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from ca_reports.render.rules import render_rule, render_rules
from ca_reports.rules import all_rules, find_rule, pages
from ca_reports.rules.base import SECTIONS, Rule, parse_documentation

REPOSITORY = Path(__file__).resolve().parents[4]
DOCS = REPOSITORY / "docs" / "rules"
RULES = all_rules()
WIDTH = 80

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_is_documented_in_all_sections(rule: type[Rule]) -> None:
    documentation = rule.documentation()
    assert tuple(documentation.sections) == SECTIONS
    assert documentation.summary.endswith(".")
    assert "\n" not in documentation.summary
    # An example is code, which Markdown knows by its indentation.
    assert re.search(r"^    \S", documentation.sections["Example"], re.M)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_is_named_like_its_module(rule: type[Rule]) -> None:
    module = rule.__module__.rpartition(".")[2]
    assert module == f"{rule.code}_{rule.name}".lower().replace("-", "_")


def test_codes_and_names_are_unique() -> None:
    assert len({rule.code for rule in RULES}) == len(RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_a_rule_is_found_by_code_and_by_name() -> None:
    found = find_rule("ca101")
    assert found is not None
    assert found.code == "CA101"
    assert find_rule("last-batch") is found
    assert find_rule("CA999") is None


def test_the_pages_in_docs_are_those_of_the_rules() -> None:
    # `make docs-rules` writes them.
    written = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    expected = pages.pages(RULES)
    assert sorted(written) == sorted(expected)
    stale = [name for name, text in expected.items() if written[name] != text]
    assert not stale, "run `make docs-rules`"


def test_the_gallery_is_that_of_the_samples() -> None:
    made = runpy.run_path(str(REPOSITORY / "docs" / "generate_rules.py"))["gallery"]()
    assert (REPOSITORY / "docs" / "gallery.md").read_text("utf-8") == made, "run `make docs-rules`"
    assert made.count("```diff") > 60


def test_the_index_links_to_every_page() -> None:
    index = pages.index(RULES)
    assert all(f"({pages.file_name(rule)})" in index for rule in RULES)


def test_json_holds_every_section() -> None:
    documents = json.loads(pages.as_json(RULES))
    assert [found["code"] for found in documents] == [rule.code for rule in RULES]
    sections = documents[0]["sections"]
    assert list(sections) == [heading.lower().replace(" ", "_") for heading in SECTIONS]
    assert all(sections.values())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
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
    (rule,) = (found for found in RULES if found.code == "CA206")
    text = printed(lambda console: render_rule(rule, console), soft_wrap=True)
    paragraph = rule.documentation().sections["Why it costs"].replace("**", "")
    assert f"  {' '.join(paragraph.split())}\n" in text
    assert "      exponent = 2.0 + 0.01 * step\n      loss = error" in text


def printed(render: Callable[[Console], None], *, soft_wrap: bool = False) -> str:
    stream = io.StringIO()
    render(Console(file=stream, width=WIDTH, soft_wrap=soft_wrap))
    return stream.getvalue()


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A line.", "sections must be"),
        ("A line.\n" + "".join(f"\n## {name}\n\nx\n" for name in SECTIONS[1:]), "must be"),
        ("A line.\n" + "".join(f"\n## {name}\n\n" for name in SECTIONS), "empty"),
        ("".join(f"\n## {name}\n\nx\n" for name in SECTIONS), "empty"),
    ],
)
def test_documentation_that_lacks_something_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_documentation(text)
