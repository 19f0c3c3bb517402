"""What a rule says of itself."""

from __future__ import annotations

import re

import pytest

from ca_reports.causes.rules import all_rules
from ca_reports.causes.rules.base import SECTIONS, Rule, parse_documentation


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rule_is_documented_in_all_sections(rule: type[Rule]) -> None:
    documentation = rule.documentation()
    assert tuple(documentation.sections) == SECTIONS
    assert documentation.summary.endswith(".")
    assert "\n" not in documentation.summary
    # An example is code, which Markdown knows by its indentation.
    assert re.search(r"^    \S", documentation.sections["Example"], re.M)


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


def test_a_family_says_a_section_once() -> None:
    first, *others = SECTIONS
    text = "A line.\n" + "".join(f"\n## {name}\n\nx\n" for name in others)
    assert parse_documentation(text, {first: "all"}).sections == {
        first: "all",
        **dict.fromkeys(others, "x"),
    }
    own = f"A line.\n\n## {first}\n\ny\n{text.removeprefix('A line.')}"
    assert parse_documentation(own, {first: "all"}).sections[first] == "y"
    with pytest.raises(ValueError, match="must be"):
        parse_documentation(text, {others[0]: "all"})
