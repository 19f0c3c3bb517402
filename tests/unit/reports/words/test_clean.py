"""Texts of a log that steer nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.words.clean import (
    BREAK,
    cell,
    clean,
    json_safe,
    json_text,
    one_line,
    shorten,
    visible,
)

UNSAFE = "\x00\x08\x1b\x7f\x9b\u200f\u202e\u2066\ud800\uffff"


def test_what_would_act_is_seen() -> None:
    assert visible(f"a{UNSAFE}b") == "a" + "\ufffd" * len(UNSAFE) + "b"
    assert visible("a\tb\r\nc\nd") == "a\tb\nc\nd"


@pytest.mark.parametrize("command", ["::error::x", "  ::group::", "##[warning]x", "##vso[task]x"])
def test_no_line_is_a_command_of_a_ci_system(command: str) -> None:
    found = clean(f"a\n{command}")
    assert BREAK in found
    assert found.replace(BREAK, "") == f"a\n{command}"


def test_what_only_looks_like_one_is_left() -> None:
    for text in ("a::b", "C++ std::vector", "# [x]", "issue #3", "torch::autograd::GraphRoot"):
        assert clean(text) == text


def test_one_line_of_a_width() -> None:
    assert one_line(" a \n\n b\tc ", 5) == "a b c"
    assert one_line("a b c d", 5) == "a b …"
    assert shorten("abc", None) == "abc"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert cell(text) == f"'{text}"
    assert cell(f"x{text}") == f"x{text}"


@given(st.text())
def test_json_says_the_same_whatever_it_holds(text: str) -> None:
    found = json_safe(json.dumps({"text": text}, ensure_ascii=False))
    assert json.loads(found) == {"text": text}
    assert visible(found) == found


def test_a_document_is_indented_and_ends() -> None:
    assert json_text({"a": [1]}) == '{\n  "a": [\n    1\n  ]\n}\n'
